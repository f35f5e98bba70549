"""From which stage on tables are needed, so that they live there and need no copies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from holdfast.plan.stages import DERIVED_TABLES, Node, consumers, is_source, is_view, tables_read


def first_needed(nodes: Sequence[Node], places: Mapping[str, int]) -> dict[str, int]:
    """Find the source tables that nothing but joins reads, directly or through other tables, and their first stage.

    `places` are those that nodes have when every table is in the first stage.
    """
    readers = consumers(nodes)
    tables = [node["id"] for node in nodes if is_source(node, "table")]
    return {table: stage for table in tables if (stage := _needed(table, readers, places, 0)) > 0}


def _needed(table: str, readers: Mapping[str, list[Node]], places: Mapping[str, int], unread: int) -> int:
    return min((_needed_by(node, table, readers, places) for node in readers[table]), default=unread)


def _needed_by(node: Node, table: str, readers: Mapping[str, list[Node]], places: Mapping[str, int]) -> int:
    if node["op"] in DERIVED_TABLES:
        return _needed(node["id"], readers, places, 0)
    if not _only_reads(node, table):
        return 0
    own = places[node["id"]]
    return max(own, _needed(node["id"], readers, places, own)) if is_view(node) else own


def _only_reads(node: Node, table: str) -> bool:
    return all(position in tables_read(node) for position, i in enumerate(node["inputs"]) if i == table)
