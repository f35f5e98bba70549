"""A topology as a Mermaid flowchart."""

from __future__ import annotations

from holdfast.topology.graph import Topology
from holdfast.topology.picture.boxes import EXCHANGE, FLOW, LOOKUP, Box, arrows, boxes, place_name

SHAPES = {"topic": ("([", "])"), "stream": ("[", "]"), "table": ("[[", "]]"), "global": ("{{", "}}")}
LINKS = {FLOW: "-->", LOOKUP: "-.->", EXCHANGE: "==>"}


def mermaid(topology: Topology) -> str:
    """Draw a topology, or a plan with its stages, as a Mermaid flowchart."""
    drawn = boxes(topology)
    ids = {box.id: f"n{i}" for i, box in enumerate(drawn)}
    lines = ["flowchart TD"]
    for place in sorted({box.place for box in drawn}) if topology.stages is not None else [None]:
        inside = [line for box in drawn if place in (None, box.place) for line in _mermaid_box(box, ids)]
        name = "" if place is None else place_name(place)
        lines += [f'  subgraph "{name}"', *("  " + h for h in inside), "  end"] if name else inside
    lines += [f"  {ids[a.origin]} {LINKS[a.kind]} {ids[a.target]}" for a in arrows(topology)]
    return "\n".join(lines)


def _mermaid_box(box: Box, ids: dict[str, str]) -> list[str]:
    start, end = SHAPES[box.kind]
    more = f"<br/>{_mermaid_text(box.more)}" if box.more else ""
    line = f'  {ids[box.id]}{start}"{_mermaid_text(box.title)}{more}"{end}'
    if not box.store:
        return [line]
    store = f"{ids[box.id]}s"
    return [line, f'  {store}[("{_mermaid_text(box.store)}")]', f"  {ids[box.id]} --- {store}"]


def _mermaid_text(text: str) -> str:
    for char, code in (("#", "#35;"), ("&", "#amp;"), ('"', "#quot;"), ("<", "#lt;"), (">", "#gt;"), ("`", "#96;")):
        text = text.replace(char, code)
    return text
