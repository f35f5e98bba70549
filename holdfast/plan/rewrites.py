"""Rewrites of a placed topology, each a pure function named for its result."""

from __future__ import annotations

from collections.abc import Sequence

from holdfast.plan.rewiring import rewired
from holdfast.plan.stages import place_of, stages_with_state
from holdfast.topology.nodes import Node
from holdfast.topology.table_copy import copy_of


def with_global_places(nodes: Sequence[Node]) -> list[Node]:
    """Give each global table the stages that read it; a named one without readers is in stage 0."""
    used: dict[str, set[int]] = {node.id: set() for node in nodes if node.reads == "global"}
    for node in nodes:
        if node.global_side is not None:
            used[node.inputs[node.global_side].id].add(place_of(node))
    return rewired(nodes, lambda node: _global_places(node, used[node.id]) if node.id in used else node)


def _global_places(node: Node, used: set[int]) -> Node:
    places = sorted(used) or ([0] if node.store and node.store.name else [])
    return node.replaced(place=places[0] if places else -1, places=tuple(places))


def with_table_copies(nodes: Sequence[Node]) -> list[Node]:
    """Put a copy of each table into every later stage where a join reads it, one for all joins of a stage.

    Of a global table that a table is joined with there is a copy by key: each change of it changes the join once.
    """
    out: dict[str, Node] = {}
    for node in nodes:
        inputs = [out.get(each.id, each) for each in node.inputs]
        for position in node.tables_read:
            table = inputs[position]
            if place_of(table) < place_of(node) or table.reads == "global":
                inputs[position] = _copied(out, table, place_of(node))
        out[node.id] = node.replaced(inputs=tuple(inputs))
    return _without_abandoned_views(list(out.values()), nodes)


def _copied(out: dict[str, Node], table: Node, stage: int) -> Node:
    """Copy the stored table under `table`, then repeat the views above it, unless that was done before."""
    id = f"{table.id}@{stage}"
    if id not in out:
        tables = [_copied(out, each, stage) for each in table.inputs] if table.is_view else []
        repeated = table.replaced(id=id, place=stage, inputs=tuple(tables)) if table.is_view else copy_of(table, stage)
        out[id] = repeated
    return out[id]


def _without_abandoned_views(nodes: list[Node], before: Sequence[Node]) -> list[Node]:
    """Drop the views whose every reader now reads a copy; they would only repeat the copy's work."""
    abandoned = _read(before) - _read(nodes)
    left = [node for node in nodes if not (node.is_view and node.id in abandoned)]
    return left if len(left) == len(nodes) else _without_abandoned_views(left, before)


def _read(nodes: Sequence[Node]) -> set[str]:
    return {each.id for node in nodes for each in node.inputs}


def without_empty_stages(nodes: Sequence[Node]) -> tuple[list[Node], int]:
    """Drop the stages that hold no state; what ran there runs where its input is."""
    held = stages_with_state(nodes)
    return rewired(nodes, lambda node: _renumbered(node, held)), len(held)


def _renumbered(node: Node, held: list[int]) -> Node:
    def number(place: int) -> int:
        return sum(stage <= place for stage in held) - 1

    places = None if node.places is None else tuple(number(place) for place in node.places)
    return node.replaced(place=number(place_of(node)), places=places)
