"""A join by a foreign key as the nodes that run it, each where its key is."""

from __future__ import annotations

from collections.abc import Sequence

from holdfast.plan.stages import Node, by_id


def with_foreign_keys_split(nodes: Sequence[Node]) -> list[Node]:
    """Make three nodes of each join by a foreign key.

    The first sends the entries of the left table to what they refer to, the second keeps them there and meets the
    right table, the third keeps the result under the key of the left table.
    """
    known = by_id(nodes)
    return [part for node in nodes for part in (_parts(_with_emission(node, known)) if _is_whole(node) else [node])]


def _is_whole(node: Node) -> bool:
    return bool(node["op"] == "fk_join" and len(node["inputs"]) == 2)


def _with_emission(node: Node, known: dict[str, Node]) -> Node:
    """A join whose store has no name tells every update if one of its tables does, as one without a store would."""
    if node["store"]["name"] or not any(_tells_every(known[i], known) for i in node["inputs"]):
        return node
    return {**node, "store": {**node["store"], "emit": "every"}}


def _tells_every(table: Node, known: dict[str, Node]) -> bool:
    unnamed_join = _is_whole(table) and not table["store"]["name"]
    if table.get("store") and not unnamed_join:
        return bool(table["store"]["emit"] == "every")
    return any(_tells_every(known[i], known) for i in table["inputs"])


def _parts(node: Node) -> list[Node]:
    left, right = node["inputs"]
    subscribe, lookup = f"{node['id']}.subscribe", f"{node['id']}.lookup"
    shared = {"at": node.get("at"), "how": node["how"]}
    state = f"{node['store']['state']}~subscriptions"
    options = {name: each for name, each in node["store"].items() if name not in ("ttl", "versioned")}
    kept = {**options, "name": None, "state": state, "emit": "latest", "changelog": None}
    meets = {"with": node["with"], "joiner": node["joiner"], "store": kept}
    return [
        {"id": subscribe, "op": "fk_subscribe", "inputs": [left], **shared, "on": node["on"]},
        {"id": lookup, "op": "fk_lookup", "inputs": [subscribe, right], **shared, **meets},
        {"id": node["id"], "op": "fk_join", "inputs": [lookup], "at": node.get("at"), "store": node["store"]},
    ]
