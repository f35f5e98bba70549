"""The boxes and arrows of a topology's picture."""

from __future__ import annotations

from dataclasses import dataclass

from holdfast.topology.graph import Topology
from holdfast.topology.nodes import Node

LONGEST = 36
LOOKUP, EXCHANGE, FLOW = "lookup", "exchange", "flow"


@dataclass(frozen=True)
class Box:
    """What is drawn for a node, or for a topic that is read."""

    id: str
    kind: str
    title: str
    more: str
    tip: str
    place: int
    store: str | None = None


@dataclass(frozen=True)
class Arrow:
    """An edge: records that flow, records that travel to another stage, or a table that is looked up."""

    origin: str
    target: str
    kind: str


def boxes(topology: Topology) -> list[Box]:
    """Give the topics that are read, then the nodes."""
    read = [Box(f"topic {t}", "topic", short(t), "topic", f"topic {t}", -1) for t in topology.topics]
    return [*read, *map(_box, _shown(topology))]


def _shown(topology: Topology) -> list[Node]:
    return [node for node in topology.nodes if node.is_shown]


def _box(node: Node) -> Box:
    tip = "\n".join(filter(None, [node.id, node.label(), node.at]))
    store = short(node.store_label) if node.store_label else None
    return Box(node.id, node.form, short(node.heading), node.caption(short), tip, node.place or 0, store)


def short(text: str) -> str:
    """Cut what would make a box too wide."""
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"


def arrows(topology: Topology) -> list[Arrow]:
    """Give the edges between boxes."""
    nodes = _shown(topology)
    read = [
        Arrow(f"topic {topic}", node.id, FLOW if node.place in (None, -1) else EXCHANGE)
        for node in nodes
        for topic in node.topics_read
    ]
    return read + [_between(origin, node) for node in nodes for origin in dict.fromkeys(node.inputs)]


def _between(origin: Node, target: Node) -> Arrow:
    if target.is_copy and origin.reads == "global":
        # A copy by key comes from the topic, wherever the global table is kept.
        return Arrow(f"topic {origin.topics_read[0]}", target.id, EXCHANGE)
    return Arrow(origin.id, target.id, _arrow(origin, target))


def _arrow(origin: Node, target: Node) -> str:
    if target.looks_up(origin):
        return LOOKUP
    return EXCHANGE if (origin.place or 0) < (target.place or 0) else FLOW


def place_name(place: int) -> str:
    """Name a place as a user reads it."""
    return "ingest" if place < 0 else f"stage {place}"
