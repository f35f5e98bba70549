"""What a join of a stream with a table is made of."""

from __future__ import annotations

from typing import Any

from holdfast.dsl.calling import expression, joiner_scope, record_scope
from holdfast.dsl.handle import Handle
from holdfast.dsl.position import user_position
from holdfast.errors import NotAvailable, TopologyError
from holdfast.topology.nodes import Node
from holdfast.topology.sources import Source


def join_fields(stream: Node, other: Any, joiner: Any, on: Any, windows: dict[str, Any]) -> dict[str, Any]:
    """The fields of a join node."""
    table = _table(other, windows)
    is_global = isinstance(table, Source) and table.kind == "global"
    if on is not None and not is_global:
        raise TopologyError(
            f"join with table '{table.title}': on= is for global tables; use select_key(...) before the join",
            at=user_position(),
        )
    return {
        "kind": "global" if is_global else "table",
        "on": None if on is None else expression(on, record_scope(stream), "on="),
        "joiner": None if joiner is None else expression(joiner, joiner_scope(stream, table), "the joiner"),
    }


def _table(other: Any, windows: dict[str, Any]) -> Node:
    at = user_position()
    if isinstance(other, Handle) and not other.node.is_table:
        raise NotAvailable("joining a stream with a stream is not available yet; join with a table: to_table()", at=at)
    given = next((name for name, value in windows.items() if value is not None), None)
    if given:
        raise TopologyError(f"{given}= is for joining two streams; a table needs none", at=at)
    if not isinstance(other, Handle):
        raise TopologyError(f"join wants a table or a global table, {other!r} came; use app.table(...)", at=at)
    return other.node
