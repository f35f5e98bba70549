"""What a join of a stream is made of: with a table, with a global table, with another stream."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from holdfast.dsl.handle import Handle
from holdfast.dsl.join_window import join_window
from holdfast.dsl.lambdas import expression, joiner_scope, record_scope
from holdfast.dsl.materialized import state_options
from holdfast.errors import TopologyError
from holdfast.position import user_position
from holdfast.topology.nodes import Node
from holdfast.topology.sources import Source
from holdfast.topology.stream_joins import StreamJoin
from holdfast.topology.stream_table_joins import Join
from holdfast.units.duration import milliseconds


@dataclass(frozen=True)
class Options:
    """What was said about a join beside the other side and the joiner."""

    within: Any = None
    on: Any = None
    grace: Any = None
    late: str | None = None
    store: str | None = None


def join_node(
    stream: Node, how: str, other: object, joiner: object, options: Options
) -> tuple[type[Node], dict[str, Any]]:
    """The class and the fields of the node that joins `stream` with `other`."""
    if not isinstance(other, Handle):
        raise TopologyError(
            f"join wants a table, a global table or a stream, {other!r} came; use app.table(...)", at=user_position()
        )
    make = _with_table if other.node.is_table else _with_stream
    fields = make(stream, how, other.node, options)
    tree = None if joiner is None else expression(joiner, joiner_scope(stream, other.node), "the joiner")
    return (Join if other.node.is_table else StreamJoin), {**fields, "joiner": tree}


def _with_stream(stream: Node, how: str, other: Node, options: Options) -> dict[str, Any]:
    if options.on is not None:
        raise TopologyError(
            f"join with stream '{other.title}': on= is for global tables; use select_key(...) before the join",
            at=user_position(),
        )
    window = join_window(options.within, options.grace)
    spans = {"before": window.before, "after": window.after, "grace": window.grace}
    return {"how": how, **spans, "late": options.late, "store": state_options(options.store, "join")}


def _with_table(stream: Node, how: str, table: Node, options: Options) -> dict[str, Any]:
    is_global = isinstance(table, Source) and table.kind == "global"
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
        raise TopologyError("store= names what a join keeps; with a table it keeps records only with grace=", at=at)
    if options.grace is not None and is_global:
        raise TopologyError("grace= needs a versioned table; a global table has no versions", at=at)
