"""The shapes of a topology's picture, each as a piece of SVG."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from xml.sax.saxutils import escape

from holdfast.topology.picture.boxes import EXCHANGE, FLOW, LOOKUP, Box

CHAR, CORNER, LEGEND_ROW, HEAD, MORE, STORE = 7.4, 5.0, 24.0, 30.0, 16.0, 30.0
LEGEND = (("topic", "topic"), ("stream", "stream"), ("table", "table"), ("global", "global table"), ("store", "store"))
STROKES = ((FLOW, "records"), (LOOKUP, "looked up by a join"), (EXCHANGE, "exchange to another stage"))

MARKERS = "<defs>{}</defs>".format(
    "".join(
        f'<marker id="{id}" viewBox="0 0 8 8" refX="2" refY="4" markerUnits="userSpaceOnUse" markerWidth="9" '
        f'markerHeight="9" orient="auto"><path class="{style}" d="M0 0L8 4L0 8z"/></marker>'
        for id, style in (("hf-arrow", "arrow"), ("hf-arrow-exchange", "arrow-exchange"))
    )
)


def marker(kind: str) -> str:
    """Name the arrow head of a kind of edge."""
    return "hf-arrow-exchange" if kind == EXCHANGE else "hf-arrow"


def width(box: Box) -> float:
    """Leave room for the longest line of a box."""
    return max(room(box.title), room(box.more), room(box.store or "") + 16.0)


def height(box: Box) -> float:
    """Leave room for the lines of a box and its store."""
    return HEAD + (MORE if box.more else 0.0) + (STORE if box.store else 0.0)


def room(line: str) -> float:
    """Estimate the width of a line of text, on the safe side."""
    return len(line) * CHAR + 26.0


def draw_box(box: Box, x: float, y: float) -> str:
    """Draw a box around its centre `x`, from `y` down."""
    wide, tall = width(box), height(box)
    radius = tall / 2 if box.kind == "topic" else CORNER
    size = f'width="{wide:g}" height="{tall:g}" rx="{radius:g}"'
    parts = [f'<g><title>{escape(box.tip)}</title><rect class="{box.kind}" x="{x - wide / 2:.1f}" y="{y:.1f}" {size}/>']
    if box.kind in ("table", "global"):
        parts.append(_table_mark(box.kind, x - wide / 2, y, tall))
    parts.append(f'<text class="title" x="{x:.1f}" y="{y + 20:.1f}">{escape(box.title)}</text>')
    if box.more:
        parts.append(f'<text class="more" x="{x:.1f}" y="{y + 36:.1f}">{escape(box.more)}</text>')
    if box.store:
        parts.append(draw_store(box.store, x, y + tall - STORE + 1.0))
    return "".join([*parts, "</g>"])


def _table_mark(kind: str, left: float, y: float, tall: float) -> str:
    """Draw the double edge by which tables are told from streams without colour."""
    return f'<path class="{kind}" d="M{left + 6:.1f} {y:.1f}V{y + tall:.1f}"/>'


def draw_store(name: str, x: float, y: float) -> str:
    """Draw a cylinder with the name of a store."""
    half, tall, curve = room(name) / 2 - 4.0, 16.0, 3.5
    left, right, top = x - half, x + half, y + curve
    arc = f"{half:.1f} {curve:g} 0 0"
    body = f"M{left:.1f} {top:.1f}A{arc} 1 {right:.1f} {top:.1f}v{tall:g}A{arc} 1 {left:.1f} {top + tall:.1f}z"
    lid = f"M{left:.1f} {top:.1f}A{arc} 0 {right:.1f} {top:.1f}"
    text = f'<text class="more" x="{x:.1f}" y="{y + 18.5:.1f}">{escape(name)}</text>'
    return f'<path class="store" d="{body}"/><path class="store lid" d="{lid}"/>{text}'


def legend(x: float, y: float) -> Iterator[str]:
    """Draw what the shapes and lines mean."""
    yield '<g class="legend">'
    yield from _legend_row(LEGEND, x, y)
    yield from _legend_row(STROKES, x, y + LEGEND_ROW)
    yield "</g>"


def _legend_row(entries: Sequence[tuple[str, str]], x: float, y: float) -> Iterator[str]:
    for kind, name in entries:
        yield _legend_shape(kind, x, y) if (kind, name) in LEGEND else _legend_line(kind, x, y)
        yield f'<text x="{x + 28:g}" y="{y + 12:g}">{name}</text>'
        x += legend_room(name)


def _legend_line(kind: str, x: float, y: float) -> str:
    return f'<path class="edge {kind}" d="M{x:g} {y + 8:g}h16" marker-end="url(#{marker(kind)})"/>'


def _legend_shape(kind: str, x: float, y: float) -> str:
    if kind == "store":
        curve = "9 2.5 0 0"
        body = f"M{x:g} {y + 3:g}A{curve} 1 {x + 20:g} {y + 3:g}v10A{curve} 1 {x:g} {y + 13:g}z"
        return f'<path class="store" d="{body}M{x:g} {y + 3:g}A{curve} 0 {x + 20:g} {y + 3:g}"/>'
    mark = _table_mark(kind, x - 2, y, 16.0) if kind in ("table", "global") else ""
    return f'<rect class="{kind}" x="{x:g}" y="{y:g}" width="20" height="16" rx="{8 if kind == "topic" else 3}"/>{mark}'


def legend_room(name: str) -> float:
    """Give the width of one entry of the legend."""
    return 28.0 + len(name) * 6.2 + 12.0


def legend_width() -> float:
    """Give the width of the whole legend."""
    return max(sum(legend_room(name) for _, name in row) for row in (LEGEND, STROKES))
