"""A layered drawing of a graph: rows from top to bottom, few crossings, edges that pass between boxes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

Edge = tuple[str, str]
GAP_X = 28.0
SWEEPS = 12
SMOOTHING = 80
STRAIGHT = 8.0
WIDTH_COST = 1.0


@dataclass(frozen=True)
class Drawing:
    """Rows of boxes and bends in order, the centre of each, and the stations of each edge."""

    rows: tuple[tuple[str, ...], ...]
    x: Mapping[str, float]
    routes: Mapping[Edge, tuple[str, ...]]


def arrange(widths: Mapping[str, float], edges: Sequence[Edge], bands: Mapping[str, int]) -> Drawing:
    """Draw nodes (given in topological order, with widths) so that all of a band are above those of the next."""
    row = _rows(list(widths), edges, bands)
    routes = {edge: _route(edge, row) for edge in edges}
    sizes = dict(widths) | {stop: 0.0 for route in routes.values() for stop in route[1:-1]}
    grid = _fill(row, routes)
    links = [pair for route in routes.values() for pair in pairwise(route)]
    grid = _order(grid, links)
    return Drawing(tuple(map(tuple, grid)), _centres(grid, links, sizes), routes)


def _rows(nodes: list[str], edges: Sequence[Edge], bands: Mapping[str, int]) -> dict[str, int]:
    depth: dict[str, int] = {}
    for node in nodes:
        above = [depth[a] + 1 for a, b in edges if b == node and bands[a] == bands[node]]
        depth[node] = max(above, default=0)
    _pull_down(nodes, edges, bands, depth)
    start, offset = {}, 0
    for band in sorted(set(bands.values())):
        start[band] = offset
        offset += max(depth[n] for n in nodes if bands[n] == band) + 1
    return {node: start[bands[node]] + depth[node] for node in nodes}


def _pull_down(nodes: list[str], edges: Sequence[Edge], bands: Mapping[str, int], depth: dict[str, int]) -> None:
    """Move what starts a path down to its first reader."""
    for node in reversed(nodes):
        below = [depth[b] - 1 for a, b in edges if a == node and bands[b] == bands[node]]
        starts = not any(b == node and bands[a] == bands[node] and depth[a] >= depth[node] - 1 for a, b in edges)
        if below and starts:
            depth[node] = max(depth[node], min(below))


def _route(edge: Edge, row: Mapping[str, int]) -> tuple[str, ...]:
    origin, target = edge
    bends = [f"{origin}\n{target}\n{r}" for r in range(row[origin] + 1, row[target])]
    return (origin, *bends, target)


def _fill(row: Mapping[str, int], routes: Mapping[Edge, tuple[str, ...]]) -> list[list[str]]:
    grid: list[list[str]] = [[] for _ in range(max(row.values(), default=-1) + 1)]
    for node, r in row.items():
        grid[r].append(node)
    for route in routes.values():
        for r, bend in enumerate(route[1:-1], row[route[0]] + 1):
            grid[r].append(bend)
    return grid


def _order(grid: list[list[str]], links: list[Edge]) -> list[list[str]]:
    """Sort rows by the middle of their neighbours, up and down, and keep the order with the fewest crossings."""
    best, fewest = grid, _crossings(grid, links)
    for sweep in range(SWEEPS):
        grid = _sweep(grid, links, down=sweep % 2 == 0)
        crossings = _crossings(grid, links)
        if crossings < fewest:
            best, fewest = grid, crossings
    return best


def _neighbours(links: list[Edge], down: bool) -> dict[str, list[str]]:
    near: dict[str, list[str]] = {}
    for a, b in links:
        near.setdefault(b if down else a, []).append(a if down else b)
    return near


def _sweep(grid: list[list[str]], links: list[Edge], down: bool) -> list[list[str]]:
    near = _neighbours(links, down)
    out = [list(row) for row in grid]
    for r in range(1, len(out)) if down else range(len(out) - 2, -1, -1):
        fixed = {node: float(i) for i, node in enumerate(out[r - 1 if down else r + 1])}
        out[r] = sorted(out[r], key=_middle(out[r], near, fixed))
    return out


def _middle(row: list[str], near: dict[str, list[str]], fixed: dict[str, float]) -> Callable[[str], float]:
    own = {node: float(i) for i, node in enumerate(row)}

    def middle(node: str) -> float:
        places = [fixed[n] for n in near.get(node, []) if n in fixed]
        return sum(places) / len(places) if places else own[node]

    return middle


def _crossings(grid: list[list[str]], links: list[Edge]) -> int:
    at = {node: i for row in grid for i, node in enumerate(row)}
    row_of = {node: r for r, row in enumerate(grid) for node in row}
    count = 0
    for i, (a, b) in enumerate(links):
        for c, d in links[i + 1 :]:
            count += row_of[a] == row_of[c] and (at[a] - at[c]) * (at[b] - at[d]) < 0
    return count


def _centres(grid: list[list[str]], links: list[Edge], sizes: Mapping[str, float]) -> dict[str, float]:
    """Bring neighbours below each other, sweep by sweep, and keep the straightest and narrowest drawing."""
    x: dict[str, float] = {}
    for row in grid:
        x.update(zip(row, _spread([0.0] * len(row), row, sizes), strict=True))
    above, below = _neighbours(links, True), _neighbours(links, False)
    drawings = []
    for sweep in range(SMOOTHING):
        near = ((above,), (below,), (above, below), (above, below))[sweep % 4]
        for row in grid if sweep % 2 == 0 else reversed(grid):
            wanted = [_wanted(node, near, x, sizes) for node in row]
            x.update(zip(row, _spread(wanted, row, sizes), strict=True))
        drawings.append(_from_the_left(x, sizes))
    return min(drawings, key=lambda drawn: _crossing_cost(drawn, links, sizes))


def _from_the_left(x: dict[str, float], sizes: Mapping[str, float]) -> dict[str, float]:
    left = min((x[n] - sizes[n] / 2 for n in x), default=0.0)
    return {node: at - left for node, at in x.items()}


def _crossing_cost(x: dict[str, float], links: list[Edge], sizes: Mapping[str, float]) -> float:
    sideways = sum(abs(x[a] - x[b]) for a, b in links)
    return sideways + WIDTH_COST * max((x[n] + sizes[n] / 2 for n in x), default=0.0)


def _wanted(
    node: str, near: tuple[dict[str, list[str]], ...], x: dict[str, float], sizes: Mapping[str, float]
) -> float:
    """Find the middle of the neighbours; bends pull harder, so that long edges become straight."""
    places = [(x[n], STRAIGHT if not (sizes[n] or sizes[node]) else 1.0) for side in near for n in side.get(node, [])]
    return sum(at * pull for at, pull in places) / sum(pull for _, pull in places) if places else x[node]


def _spread(wanted: list[float], row: Sequence[str], sizes: Mapping[str, float]) -> list[float]:
    """Come as near to the wanted centres as the widths allow, in the given order (least squares)."""
    offsets, offset = [], 0.0
    for i, node in enumerate(row):
        offset += (sizes[row[i - 1]] + sizes[node]) / 2 + GAP_X if i else 0.0
        offsets.append(offset)
    blocks: list[tuple[float, float, int]] = []
    for want, off, node in zip(wanted, offsets, row, strict=True):
        weight = 1.0 if sizes[node] else 3.0
        blocks.append(((want - off) * weight, weight, 1))
        while len(blocks) > 1 and blocks[-2][0] / blocks[-2][1] >= blocks[-1][0] / blocks[-1][1]:
            (s, w, n), (t, v, m) = blocks.pop(), blocks.pop()
            blocks.append((s + t, w + v, n + m))
    means = [total / weight for total, weight, n in blocks for _ in range(n)]
    return [mean + off for mean, off in zip(means, offsets, strict=True)]
