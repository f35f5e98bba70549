"""A topology's picture as plain values, for a page that draws it and keeps it up to date."""

from __future__ import annotations

from collections.abc import Collection

from holdfast.documents import Document
from holdfast.topology.graph import Topology
from holdfast.topology.picture.boxes import Box, place_name
from holdfast.topology.picture.glyphs import height, width
from holdfast.topology.picture.svg import Picture

_BELOW = 26.0


def shapes(topology: Topology, python: Collection[str] = ()) -> Document:
    """Boxes, edges and stages with their places; `python` are the nodes that call Python functions."""
    picture = Picture(topology)
    nodes = {node.id: node for node in topology.nodes}
    boxes = []
    for box, x, y in picture.placed():
        node = nodes.get(box.id)
        more = {"at": node.at or None, "inputs": [each.id for each in node.inputs]} if node else {"at": None}
        boxes.append({**_box(box, x, y), **more, "python": box.id in python})
    return {
        "width": picture.wide,
        "height": (picture.bottoms[-1] if picture.bottoms else 0.0) + _BELOW,
        "boxes": boxes,
        "edges": [{"from": a.origin, "to": a.target, "kind": a.kind, "path": path} for a, path in picture.lines()],
        "stages": [{"name": place_name(stage), "top": top, "bottom": low} for stage, top, low in picture.stages()],
    }


def _box(box: Box, x: float, y: float) -> Document:
    fields: Document = {"id": box.id, "kind": box.kind, "title": box.title, "more": box.more, "tip": box.tip}
    store = {"store": box.store, "stage": box.place}
    return {**fields, **store, "x": round(x, 1), "y": round(y, 1), "width": width(box), "height": height(box)}
