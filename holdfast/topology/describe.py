"""A topology as text, in the manner of Kafka Streams' TopologyDescription."""

from __future__ import annotations

from collections.abc import Sequence

from holdfast.topology.graph import Topology
from holdfast.topology.nodes import Node


def describe(topology: Topology) -> str:
    """Describe a topology, or a plan with its stages, as text.

    >>> from holdfast.topology.graph import Topology
    >>> print(describe(Topology("empty", 4, "fail", ())))
    Topology: empty (4 tasks)
    """
    nodes = [node for node in topology.nodes if node.is_shown]
    lines = [_title(topology)]
    for number, group in enumerate(sub_topologies(nodes)):
        lines += ["", f"  Sub-topology: {number}"]
        for node in group:
            lines += ["    " + line for line in _node(node, nodes)]
    return "\n".join(lines)


def sub_topologies(nodes: Sequence[Node]) -> list[list[Node]]:
    """Group nodes that are connected, in order of their first node."""
    group: dict[str, int] = {}
    for number, node in enumerate(nodes):
        touched = {group[each.id] for each in node.inputs}
        group[node.id] = home = min(touched, default=number)
        group = {id: home if g in touched else g for id, g in group.items()}
    homes = sorted(set(group.values()))
    return [[node for node in nodes if group[node.id] == home] for home in homes]


def _title(topology: Topology) -> str:
    stages = "" if topology.stages is None else f", {topology.stages} stages"
    return f"Topology: {topology.app} ({topology.tasks} tasks{stages})".replace(" 1 stages", " 1 stage")


def _node(node: Node, nodes: Sequence[Node]) -> list[str]:
    readers = [other.id for other in nodes if any(each.id == node.id for each in other.inputs)]
    lines = [" ".join(filter(None, [f"{_role(node)}: {node.id}", *_notes(node)]))]
    if readers or not node.writes:
        lines.append(f"  --> {', '.join(readers) or 'none'}")
    if node.inputs:
        lines.append(f"  <-- {', '.join(each.id for each in node.inputs)}")
    return lines


def _role(node: Node) -> str:
    if node.reads:
        return "Source"
    return "Sink" if node.writes else "Processor"


def _notes(node: Node) -> list[str]:
    store = [f"store: {node.store_label}"] if node.store_label else []
    notes = [*filter(None, [node.story()]), *store, *_place(node)]
    return [f"({'; '.join(notes)})" if notes else "", f"at {node.at}" if node.at else ""]


def _place(node: Node) -> list[str]:
    if node.place is None:
        return []
    places = node.places or [node.place]
    if [*places] == [-1]:
        return ["ingest"]
    return [("stages " if len(places) > 1 else "stage ") + ", ".join(map(str, places))]
