"""Processors that share a store as one node, which runs them record by record."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from holdfast.plan.stages import Node, by_id
from holdfast.topology.processor_nodes import joined


def with_processors_joined(nodes: Sequence[Node]) -> list[Node]:
    """Make one node of the processors that share a store; their stores follow it.

    Each node gets its `turn`: as in Kafka Streams, consumers of a record have it in the order of the program.

    >>> with_processors_joined([{"id": "a", "op": "source", "inputs": []}])
    [{'id': 'a', 'op': 'source', 'inputs': []}]
    """
    if not any(node["op"] == "process" for node in nodes):
        return list(nodes)
    nodes = [{**node, "turn": turn} for turn, node in enumerate(nodes)]
    processors = [node for node in nodes if node["op"] == "process"]
    groups = joined(processors, lambda node: [store["id"] for store in node["stores"]])
    known = by_id(nodes)
    homes = {member["id"]: group[0]["id"] for group in groups for member in group}
    stores = {store["id"]: homes[node["id"]] for node in processors for store in node["stores"]}
    merged = {group[0]["id"]: _merged(group, known) for group in groups}
    return _in_order([each for node in nodes if (each := _placed(node, merged, homes, stores)) is not None])


def _placed(node: Node, merged: Mapping[str, Node], homes: Mapping[str, str], stores: Mapping[str, str]) -> Node | None:
    """The node as it is in the plan; None for a processor that runs in another's node."""
    if node["op"] == "process":
        return merged.get(node["id"])
    if node["op"] == "store":
        return {**node, "inputs": [stores[node["id"]]]}
    if node["op"] in ("child", "rekeyed_child"):
        return {**node, "inputs": [homes[node["inputs"][0]]]}
    return node


def _merged(group: Sequence[Node], known: Mapping[str, Node]) -> Node:
    ids = {member["id"] for member in group}
    outside = [member for member in group if not _follows(member, ids, known)]
    return {
        **group[0],
        "inputs": [member["inputs"][0] for member in outside],
        "turns": [member["turn"] for member in outside],
        "name": ", ".join(member["name"] for member in group),
        "members": [member["id"] for member in group],
        "stores": list({store["id"]: store for member in group for store in member["stores"]}.values()),
        "ways": [way for member in group for way in member["ways"]],
    }


def _follows(member: Node, ids: set[str], known: Mapping[str, Node]) -> bool:
    before = known[member["inputs"][0]]
    return bool(before["op"] == "child" and before["inputs"][0] in ids)


def _in_order(nodes: Sequence[Node]) -> list[Node]:
    """The nodes in an order in which each comes after its inputs, as near to the given one as may be."""
    out: list[Node] = []
    there: set[str] = set()
    waiting = list(nodes)
    while waiting:
        ready = next(node for node in waiting if all(i in there for i in node["inputs"]))
        out.append(ready)
        there.add(ready["id"])
        waiting.remove(ready)
    return out
