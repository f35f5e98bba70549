"""The boxes and arrows of a topology's picture."""

from __future__ import annotations

from dataclasses import dataclass

from holdfast.topology.reading import Node, Topology, detail, kind, shown, store_name, topic_name

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
    nodes = shown(topology["nodes"])
    topics = dict.fromkeys(topic for node in nodes if node["op"] == "source" for topic in node["topics"])
    read = [Box(f"topic {t}", "topic", short(t), "topic", f"topic {t}", -1) for t in topics]
    return [*read, *map(_box, nodes)]


def _box(node: Node) -> Box:
    title = topic_name(node) if node["op"] == "to" else node["id"]
    tip = "\n".join(filter(None, [node["id"], detail(node), node.get("at")]))
    store = store_name(node)
    return Box(
        node["id"], kind(node), short(title), _more(node), tip, node.get("place", 0), short(store) if store else None
    )


def _more(node: Node) -> str:
    if node["op"] == "to":
        return "topic"
    if node["op"] == "source":
        return {"stream": "stream", "table": "table", "global": "global table"}[kind(node)]
    if node["op"] == "table_copy":
        return f"copy of {short(node['inputs'][0])}"
    return short(detail(node))


def short(text: str) -> str:
    """Cut what would make a box too wide."""
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"


def arrows(topology: Topology) -> list[Arrow]:
    """Give the edges between boxes."""
    nodes = {node["id"]: node for node in shown(topology["nodes"])}
    read = [
        Arrow(f"topic {topic}", node["id"], EXCHANGE if node.get("place", -1) >= 0 else FLOW)
        for node in nodes.values()
        if node["op"] == "source"
        for topic in node["topics"]
    ]
    return read + [_between(nodes[i], n) for n in nodes.values() for i in dict.fromkeys(n["inputs"])]


def _between(origin: Node, target: Node) -> Arrow:
    if target["op"] == "table_copy" and kind(origin) == "global":
        # A copy by key comes from the topic, wherever the global table is kept.
        return Arrow(f"topic {origin['topics'][0]}", target["id"], EXCHANGE)
    return Arrow(origin["id"], target["id"], _arrow(origin, target))


def _arrow(origin: Node, target: Node) -> str:
    if target["op"] == "join" and origin["id"] == target["inputs"][1]:
        return LOOKUP
    return EXCHANGE if origin.get("place", 0) < target.get("place", 0) else FLOW


def place_name(place: int) -> str:
    """Name a place as a user reads it."""
    return "ingest" if place < 0 else f"stage {place}"
