"""The edges on which records travel to another stage, and why they do."""

from __future__ import annotations

from dataclasses import dataclass

from holdfast.plan.stages import INGEST, REKEYING, Node, Topology, by_id, is_global_join, is_source, is_table_join


@dataclass(frozen=True)
class Exchange:
    """An edge between two places."""

    origin: Node
    target: Node
    stage: int
    reason: str


def exchanges(plan: Topology) -> list[Exchange]:
    """List the edges of a plan that cross into another stage, tables' topics included."""
    known = by_id(plan["nodes"])
    travelled = [
        Exchange(known[i], node, node["place"], _reason(known, known[i], node))
        for node in plan["nodes"]
        for i in dict.fromkeys(node["inputs"])
        if _travels(known[i], node)
    ]
    return [*_from_topics(plan), *travelled]


def _travels(origin: Node, node: Node) -> bool:
    if node["op"] == "table_copy" and is_source(origin, "global"):
        return True
    return bool(origin["place"] < node["place"]) and not is_global_join_side(node, origin)


def is_global_join_side(node: Node, origin: Node) -> bool:
    """Tell whether the edge is the global side of a join, which never travels: its table is in every stage."""
    return is_global_join(node) and is_source(origin, "global")


def _from_topics(plan: Topology) -> list[Exchange]:
    tables = [(n, n["place"], "state lives with its key") for n in plan["nodes"] if is_source(n, "table")]
    copied = "a global table is copied to every task"
    globals = [(n, stage, copied) for n in plan["nodes"] if is_source(n, "global") for stage in n["places"]]
    return [Exchange(node, node, stage, reason) for node, stage, reason in [*tables, *globals]]


def _reason(known: dict[str, Node], origin: Node, node: Node) -> str:
    if node["op"] == "table_copy" and is_source(origin, "global"):
        return "a join with a table needs each change once, in the task of its key"
    if node["op"] == "table_copy":
        return f"a join in stage {node['place']} reads {origin['id']}, which lives in stage {origin['place']}"
    if node["op"] == "repartition":
        return f"asked for by {named(node)}"
    changed = _rekeyed(known, origin)
    if changed:
        return f"key changes at {named(changed)}"
    if origin["place"] == INGEST:
        return "state lives with its key"
    if is_table_join(node):
        return f"{node['inputs'][1]} lives in stage {node['place']}"
    return f"{node['id']} runs where its last input is, stage {node['place']}"


def _rekeyed(known: dict[str, Node], node: Node) -> Node | None:
    """Find the last node before the exchange that changed the key in the place of `node`."""
    if node["op"] in REKEYING:
        return node
    before = [known[i] for i in node["inputs"] if known[i]["place"] == node["place"]]
    if node["op"] == "join" or node.get("store"):
        before = before[:1] if is_global_join(node) else []
    return next((found for i in before if (found := _rekeyed(known, i))), None)


def named(node: Node) -> str:
    """Name a node and, in parentheses, the line that made it."""
    return f"{node['id']} ({node['at']})" if node.get("at") else str(node["id"])
