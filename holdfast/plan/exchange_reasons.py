"""The exchanges of a plan, each with its reason."""

from __future__ import annotations

from dataclasses import dataclass

from holdfast.plan.stages import INGEST, place_of, stages_of
from holdfast.topology.graph import Topology
from holdfast.topology.nodes import Node
from holdfast.topology.traits import Runs


@dataclass(frozen=True)
class Exchange:
    """An edge between two places."""

    origin: Node
    target: Node
    stage: int
    reason: str


def exchanges(plan: Topology) -> list[Exchange]:
    """List the edges of a plan that cross into another stage, tables' topics included."""
    travelled = [
        Exchange(origin, node, place_of(node), _reason(origin, node))
        for node in plan.nodes
        for origin in dict.fromkeys(node.inputs)
        if _travels(origin, node)
    ]
    return [*_from_topics(plan), *travelled]


def _travels(origin: Node, node: Node) -> bool:
    if node.is_copy and origin.reads == "global":
        return True
    return place_of(origin) < place_of(node) and not is_global_join_side(node, origin)


def is_global_join_side(node: Node, origin: Node) -> bool:
    """Tell whether the edge is the global side of a join, which never travels: its table is in every stage."""
    return node.global_side is not None and origin.reads == "global"


def _from_topics(plan: Topology) -> list[Exchange]:
    tables = [(n, place_of(n), "state lives with its key") for n in plan.nodes if n.reads == "table"]
    copied = "a global table is copied to every task"
    globals = [(n, stage, copied) for n in plan.nodes if n.reads == "global" for stage in stages_of(n)]
    return [Exchange(node, node, stage, reason) for node, stage, reason in [*tables, *globals]]


def _reason(origin: Node, node: Node) -> str:
    if node.is_copy and origin.reads == "global":
        return "a join with a table needs each change once, in the task of its key"
    if node.is_copy:
        return f"a join in stage {node.place} reads {origin.id}, which lives in stage {origin.place}"
    if node.runs is Runs.IN_NEXT_STAGE:
        return f"asked for by {node.id}{node.at_note}"
    changed = _rekeyed(origin)
    if changed:
        return f"key changes at {changed.id}{changed.at_note}"
    if origin.place == INGEST:
        return "state lives with its key"
    if node.runs is Runs.AT_TABLE and node.tables_read:
        return f"{node.inputs[1].id} lives in stage {node.place}"
    return f"{node.id} runs where its last input is, stage {node.place}"


def _rekeyed(node: Node) -> Node | None:
    """Find the last node before the exchange that changed the key in the place of `node`."""
    if node.rekeys:
        return node
    before = [each for each in node.inputs if each.place == node.place]
    if node.needs_stage:
        before = before[:1] if node.global_side is not None else []
    return next((found for each in before if (found := _rekeyed(each))), None)
