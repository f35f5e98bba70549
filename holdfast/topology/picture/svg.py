"""A topology as a self-contained SVG."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from xml.sax.saxutils import quoteattr

from holdfast.topology.graph import Topology
from holdfast.topology.picture.boxes import Arrow, Box, arrows, boxes, place_name
from holdfast.topology.picture.glyphs import LEGEND_ROW, MARKERS, draw_box, height, legend, legend_width, marker, width
from holdfast.topology.picture.layout import Drawing, Edge, arrange
from holdfast.topology.picture.style import STYLE

__all__ = ["Picture", "svg"]

MARGIN, GUTTER, ROW_GAP, PORT = 24.0, 72.0, 48.0, 16.0


def svg(topology: Topology) -> str:
    """Draw a topology, or a plan with its stages, as SVG that fits light and dark pages.

    >>> from holdfast.topology.graph import Topology
    >>> svg(Topology("empty", 1, "fail", ())).startswith("<svg")
    True
    """
    return Picture(topology).text()


class Picture:
    """One drawing: boxes in rows, and where each of them is."""

    def __init__(self, topology: Topology) -> None:
        self.app, self.planned = topology.app, topology.stages is not None
        drawn = boxes(topology)
        self.boxes = {box.id: box for box in drawn}
        self.arrows = arrows(topology)
        self.bands = {box.id: box.place if self.planned else 0 for box in drawn}
        edges: list[Edge] = [(a.origin, a.target) for a in self.arrows]
        self.drawing: Drawing = arrange({box.id: width(box) for box in drawn}, edges, self.bands)
        right = max((x + width(self.boxes[n]) / 2 for n, x in self.drawing.x.items() if n in self.boxes), default=0.0)
        gutter = MARGIN + (GUTTER if self.planned else 0.0)
        self.wide = max(gutter + right + MARGIN, legend_width() + 2 * MARGIN)
        self.left = gutter + (self.wide - gutter - MARGIN - right) / 2
        self.tops, self.bottoms = self._levels()

    def _levels(self) -> tuple[list[float], list[float]]:
        tops, bottoms, y = [], [], MARGIN + 12.0
        for row in self.drawing.rows:
            tops.append(y)
            bottoms.append(y + max(height(self.boxes[n]) for n in row if n in self.boxes))
            y = bottoms[-1] + ROW_GAP
        return tops, bottoms

    def text(self) -> str:
        wide = self.wide
        base = (self.bottoms[-1] if self.bottoms else MARGIN) + 36.0
        tall = base + 2 * LEGEND_ROW + 8.0
        parts = [*self._band_parts(), *self._edge_parts(), *self._box_parts(), *legend(MARGIN, base)]
        head = (
            f'<svg xmlns="http://www.w3.org/2000/svg" class="holdfast-topology" viewBox="0 0 {wide:g} {tall:g}" '
            f'width="{wide:g}" height="{tall:g}" role="img" aria-label={quoteattr("topology of " + self.app)}>'
        )
        return "\n".join([head, f"<style>{STYLE}</style>", MARKERS, *parts, "</svg>"])

    def stages(self) -> Iterator[tuple[int, float, float]]:
        """The stages of a plan, each with the upper and the lower edge of its band."""
        for band in sorted(set(self.bands.values())) if self.planned else []:
            rows = [r for r, row in enumerate(self.drawing.rows) if any(self.bands.get(n) == band for n in row)]
            yield band, self.tops[rows[0]] - 14.0, self.bottoms[rows[-1]] + 14.0

    def _band_parts(self) -> Iterator[str]:
        for band, top, bottom in self.stages():
            size = f'width="{self.wide - MARGIN:g}" height="{bottom - top:g}"'
            yield f'<rect class="band" x="{MARGIN / 2:g}" y="{top:g}" {size} rx="8"/>'
            yield f'<text class="band-name" x="{MARGIN:g}" y="{top + 22:g}">{place_name(band)}</text>'

    def placed(self) -> Iterator[tuple[Box, float, float]]:
        """The boxes, each with its middle from the left and its upper edge."""
        for r, row in enumerate(self.drawing.rows):
            for node in row:
                if node in self.boxes:
                    yield self.boxes[node], self.left + self.drawing.x[node], self.tops[r]

    def _box_parts(self) -> Iterator[str]:
        yield from (draw_box(*each) for each in self.placed())

    def lines(self) -> Iterator[tuple[Arrow, str]]:
        """The edges, each with its path."""
        ports = _Ports(self.arrows, self.drawing, self.boxes)
        row_of = {node: r for r, row in enumerate(self.drawing.rows) for node in row}
        for arrow in self.arrows:
            route = self.drawing.routes[arrow.origin, arrow.target]
            xs = [self.left + self.drawing.x[stop] for stop in route]
            xs[0], xs[-1] = xs[0] + ports.leaving(arrow), xs[-1] + ports.entering(arrow)
            rows = [row_of[stop] for stop in route]
            yield arrow, self._path(arrow, xs, rows)

    def _edge_parts(self) -> Iterator[str]:
        for arrow, path in self.lines():
            yield f'<path class="edge {arrow.kind}" d="{path}" marker-end="url(#{marker(arrow.kind)})"/>'

    def _path(self, arrow: Arrow, xs: list[float], rows: list[int]) -> str:
        start = self.tops[rows[0]] + height(self.boxes[arrow.origin])
        path = [f"M{xs[0]:.1f} {start:.1f}"]
        for x, after, r, s in zip(xs, xs[1:], rows, rows[1:], strict=False):
            y, below = self.bottoms[r], self.tops[s] - (6.0 if s == rows[-1] else 0.0)
            middle = (y + below) / 2
            path.append(f"L{x:.1f} {y:.1f}C{x:.1f} {middle:.1f} {after:.1f} {middle:.1f} {after:.1f} {below:.1f}")
        return "".join(path)


class _Ports:
    """Where edges touch a box: side by side, in the order of where they come from or go to."""

    def __init__(self, arrows: Sequence[Arrow], drawing: Drawing, boxes: Mapping[str, Box]) -> None:
        self._arrows, self._drawing, self._boxes = arrows, drawing, boxes

    def _offset(self, arrow: Arrow, fellows: list[Arrow], stop: int, room: float) -> float:
        routes, x = self._drawing.routes, self._drawing.x
        fellows = sorted(fellows, key=lambda a: x[routes[a.origin, a.target][stop]])
        return (fellows.index(arrow) - (len(fellows) - 1) / 2) * min(PORT, room / len(fellows))

    def leaving(self, arrow: Arrow) -> float:
        """Give the distance from the middle of the box the arrow leaves."""
        fellows = [a for a in self._arrows if a.origin == arrow.origin]
        return self._offset(arrow, fellows, 1, width(self._boxes[arrow.origin]))

    def entering(self, arrow: Arrow) -> float:
        """Give the distance from the middle of the box the arrow enters."""
        fellows = [a for a in self._arrows if a.target == arrow.target]
        return self._offset(arrow, fellows, -2, width(self._boxes[arrow.target]))
