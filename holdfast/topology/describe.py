"""A topology as text, in the manner of Kafka Streams' TopologyDescription."""

from __future__ import annotations

from collections.abc import Sequence

from holdfast.topology.reading import (
    Node,
    Topology,
    detail,
    kind,
    role,
    shown,
    store_name,
    sub_topologies,
    topic_name,
)


def describe(topology: Topology) -> str:
    """Describe a topology, or a plan with its stages, as text.

    >>> print(describe({"app": "empty", "tasks": 4, "nodes": []}))
    Topology: empty (4 tasks)
    """
    nodes = shown(topology["nodes"])
    lines = [_title(topology)]
    for number, group in enumerate(sub_topologies(nodes)):
        lines += ["", f"  Sub-topology: {number}"]
        for node in group:
            lines += ["    " + line for line in _node(node, nodes)]
    return "\n".join(lines)


def _title(topology: Topology) -> str:
    stages = f", {topology['stages']} stages" if "stages" in topology else ""
    return f"Topology: {topology['app']} ({topology['tasks']} tasks{stages})".replace(" 1 stages", " 1 stage")


def _node(node: Node, nodes: Sequence[Node]) -> list[str]:
    readers = [other["id"] for other in nodes if node["id"] in other["inputs"]]
    lines = [" ".join(filter(None, [f"{role(node)}: {node['id']}", *_notes(node)]))]
    if readers or node["op"] != "to":
        lines.append(f"  --> {', '.join(readers) or 'none'}")
    if node["inputs"]:
        lines.append(f"  <-- {', '.join(node['inputs'])}")
    return lines


def _notes(node: Node) -> list[str]:
    notes = [*_what(node), *_store(node), *_place(node)]
    return [f"({'; '.join(notes)})" if notes else "", f"at {node['at']}" if node.get("at") else ""]


def _what(node: Node) -> list[str]:
    if node["op"] == "source":
        return [f"{kind(node)}; topics: {', '.join(node['topics'])}"]
    if node["op"] == "to":
        return [f"topic: {topic_name(node)}"]
    return [detail(node)] if detail(node) else []


def _store(node: Node) -> list[str]:
    name = store_name(node)
    return [f"store: {name}"] if name else []


def _place(node: Node) -> list[str]:
    if "place" not in node:
        return []
    places = node.get("places") or [node["place"]]
    if places == [-1]:
        return ["ingest"]
    return [("stages " if len(places) > 1 else "stage ") + ", ".join(map(str, places))]
