"""The first stage in which each table is needed: a table that is placed there needs no copy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from holdfast.plan.stages import consumers
from holdfast.topology.nodes import Node
from holdfast.topology.traits import Runs


def first_needed(nodes: Sequence[Node], places: Mapping[str, int]) -> dict[str, int]:
    """Find the source tables that nothing but joins reads, directly or through other tables, and their first stage.

    `places` are those that nodes have when every table is in the first stage.
    """
    readers = consumers(nodes)
    tables = [node for node in nodes if node.reads == "table"]
    return {table.id: stage for table in tables if (stage := _needed(table, readers, places, 0)) > 0}


def _needed(table: Node, readers: Mapping[str, list[Node]], places: Mapping[str, int], unread: int) -> int:
    return min((_needed_by(node, table, readers, places) for node in readers[table.id]), default=unread)


def _needed_by(node: Node, table: Node, readers: Mapping[str, list[Node]], places: Mapping[str, int]) -> int:
    if node.runs is Runs.WITH_INPUT:
        return _needed(node, readers, places, 0)
    if not _only_reads(node, table):
        return 0
    own = places[node.id]
    return max(own, _needed(node, readers, places, own)) if node.is_view else own


def _only_reads(node: Node, table: Node) -> bool:
    return all(position in node.tables_read for position, each in enumerate(node.inputs) if each is table)
