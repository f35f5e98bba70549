"""The fields of the node that joins a stream: with a table, a global table or another stream."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypedDict

from holdfast.dsl.handle import Handle
from holdfast.dsl.join_window import Duration, JoinWindow, join_window
from holdfast.dsl.lambdas import expression, joiner_scope, record_scope
from holdfast.dsl.materialized import state_options
from holdfast.errors import TopologyError
from holdfast.position import user_position
from holdfast.topology.graph import StoreOptions
from holdfast.topology.infer import E
from holdfast.topology.nodes import Node
from holdfast.topology.stream_joins import StreamJoin
from holdfast.topology.stream_table_joins import Join
from holdfast.units.duration import milliseconds


@dataclass(frozen=True)
class Options:
    """The options of a join besides the other side and the joiner."""

    within: Duration | JoinWindow | None = None
    on: object = None
    grace: Duration | None = None
    late: str | None = None
    store: str | None = None


class StreamFields(TypedDict):
    """The fields of a join of two streams, apart from the joiner."""

    how: str
    before: int
    after: int
    grace: int
    late: str | None
    store: StoreOptions


class TableFields(TypedDict):
    """The fields of a join with a table, apart from the joiner."""

    left: bool
    kind: str
    on: E | None
    grace: int | None
    store: StoreOptions | None


def joined_side(other: object) -> Handle:
    """The other side of a join."""
    if not isinstance(other, Handle):
        raise TopologyError(
            f"join wants a table, a global table or a stream, {other!r} came; use app.table(...)", at=user_position()
        )
    return other


def join_node(stream: Handle, other: Node, how: str, joiner: object, options: Options) -> Node:
    """The node that joins `stream` with `other`."""
    if other.is_table:
        table = _with_table(stream.node, how, other, options)
        return stream._add(Join, other, joiner=_joiner(stream.node, other, joiner), **table)
    both = _with_stream(how, other, options)
    return stream._add(StreamJoin, other, joiner=_joiner(stream.node, other, joiner), **both)


def _joiner(left: Node, right: Node, joiner: object) -> E | None:
    return None if joiner is None else expression(joiner, joiner_scope(left, right), "the joiner")


def _with_stream(how: str, other: Node, options: Options) -> StreamFields:
    if options.on is not None:
        raise TopologyError(
            f"join with stream '{other.title}': on= is for global tables; use select_key(...) before the join",
            at=user_position(),
        )
    window = join_window(options.within, options.grace)
    return {
        "how": how,
        "before": window.before,
        "after": window.after,
        "grace": window.grace,
        "late": options.late,
        "store": state_options(options.store, "join"),
    }


def _with_table(stream: Node, how: str, table: Node, options: Options) -> TableFields:
    is_global = table.is_global_table
    _refuse_for_tables(how, table, is_global, options)
    grace = None if options.grace is None else milliseconds(options.grace, "grace=")
    return {
        "left": how == "left",
        "kind": "global" if is_global else "table",
        "on": None if options.on is None else expression(options.on, record_scope(stream), "on="),
        "grace": grace,
        "store": None if grace is None else state_options(options.store, "join"),
    }


def _refuse_for_tables(how: str, table: Node, is_global: bool, options: Options) -> None:
    at = user_position()
    given = next((name for name in ("within", "late") if getattr(options, name) is not None), None)
    if given:
        raise TopologyError(f"{given}= is for joining two streams; a table needs none", at=at)
    if how == "outer":
        raise TopologyError(
            "outer_join is for two streams or two tables, here a stream meets a table; use left_join", at=at
        )
    if options.on is not None and not is_global:
        raise TopologyError(
            f"join with table '{table.title}': on= is for global tables; use select_key(...) before the join", at=at
        )
    if options.store is not None and options.grace is None:
        raise TopologyError("store= names the buffer of a join; with a table it has one only with grace=", at=at)
    if options.grace is not None and is_global:
        raise TopologyError("grace= needs a versioned table; a global table has no versions", at=at)
