"""Pictures for the docs, drawn from what programs really do: which record is in which window, which records meet."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from html import escape

import holdfast as hf
from holdfast import functions as F
from holdfast.testing import Driver

SCALE, LEFT, ROW, TOP = 28, 150, 26, 56
INK, SOFT = "#4b6584", "#a5b1c2"
COLOURS = ("#3867d6", "#20bf6b", "#eb3b5a", "#fa8231", "#8854d0")


@dataclass(frozen=True)
class Span:
    """A bar of a picture: what it is called, from where to where in seconds, and what it holds."""

    title: str
    start: float
    end: float
    holds: str
    closed: bool = False


def windows(window: hf.Window, times: dict[str, float], closed: bool = False) -> list[Span]:
    """Run one key's records through a window and give the windows with the names of their records."""
    app = hf.App("picture", tasks=1)
    stream = app.stream("records", "name STRING NOT NULL", key=str)
    stream.group_by_key().windowed_by(window).agg(names=F.collect_list("name"), store="windows")
    with Driver(app) as driver:
        for name, second in times.items():
            driver.pipe("records", {"name": name}, key="k", timestamp=int(second * 1000))
        found = list(driver.store("windows").all())
    spans = [(key.start.timestamp(), key.end.timestamp(), value["names"]) for key, value in found]
    return [
        Span(f"{start:g} to {end:g}", start, end, " ".join(names), closed)
        for start, end, names in sorted(spans, key=lambda span: (span[0], span[1]))
    ]


def joined(how: str, left: dict[str, float], right: dict[str, float]) -> list[Span]:
    """Join two streams of one key within two seconds and give the pairs."""
    app = hf.App("picture", tasks=1)
    one = app.stream("left", "name STRING NOT NULL", key=str)
    other = app.stream("right", "name STRING NOT NULL", key=str)
    pair = lambda a, b: {"left": a.name, "right": b.name}  # noqa: E731
    getattr(one, how)(other, pair, within="2 seconds").to("pairs")
    times = {**left, **right}
    with Driver(app) as driver:
        for name, second in sorted(times.items(), key=lambda each: each[1]):
            driver.pipe("left" if name in left else "right", {"name": name}, key="k", timestamp=int(second * 1000))
        driver.pipe("left", {"name": "end"}, key="k", timestamp=99_000)
        pairs = [(record.value["left"], record.value["right"]) for record in driver.read("pairs")]
    return [_pair(times, a, b) for a, b in pairs]


def _pair(times: dict[str, float], left: str | None, right: str | None) -> Span:
    seconds = [times[name] for name in (left, right) if name is not None]
    return Span(f"{left or 'null'} with {right or 'null'}", min(seconds), max(seconds), "", closed=True)


def picture(title: str, lines: list[dict[str, float]], spans: list[Span]) -> str:
    """Draw records on a line of time, and below them the spans."""
    last = max([span.end for span in spans] + [second for line in lines for second in line.values()])
    first = min([0.0] + [span.start for span in spans])
    width = LEFT + (last - first + 1) * SCALE + 90
    base = TOP + ROW * (len(lines) - 1)
    height = base + 24 + ROW * len(spans) + 16

    def x(second: float) -> float:
        return LEFT + (second - first) * SCALE

    parts = [f'<text x="8" y="18" class="t">{escape(title)}</text>']
    parts += [_tick(x(second), second, base, height) for second in range(int(first), int(last) + 1)]
    for n, line in enumerate(lines):
        y = TOP + ROW * n
        parts.append(f'<line x1="{x(first):g}" y1="{y}" x2="{x(last) + 20:g}" y2="{y}" class="axis"/>')
        parts += [
            f'<circle cx="{x(second):g}" cy="{y}" r="9" fill="{COLOURS[n]}"/>'
            f'<text x="{x(second):g}" y="{y + 4}" class="r">{escape(name)}</text>'
            for name, second in line.items()
        ]
    parts += [_bar(span, n, x, base + 24 + ROW * n) for n, span in enumerate(spans)]
    return _svg(width, height, parts)


def _tick(at: float, second: float, base: int, height: int) -> str:
    return (
        f'<line x1="{at:g}" y1="{base + 6}" x2="{at:g}" y2="{height - 8}" class="grid"/>'
        f'<text x="{at:g}" y="34" class="s">{second:g}</text>'
    )


def _bar(span: Span, n: int, x: Callable[[float], float], y: float) -> str:
    colour = COLOURS[n % len(COLOURS)]
    wide = max(x(span.end) - x(span.start), 4)
    end = "" if span.closed else ' stroke-dasharray="4 2"'
    return (
        f'<text x="{LEFT - 12}" y="{y + 15}" class="w">{escape(span.title)}</text>'
        f'<rect x="{x(span.start):g}" y="{y + 2}" width="{wide:g}" height="{ROW - 8}" rx="4" fill="{colour}" '
        f'fill-opacity="0.18" stroke="{colour}"{end}/>'
        f'<text x="{x(span.end) + 6:g}" y="{y + 15}" class="h">{escape(span.holds)}</text>'
    )


def _svg(width: float, height: float, parts: list[str]) -> str:
    style = (
        f"text{{font:13px sans-serif;fill:{INK}}}.t{{font-weight:bold}}"
        f".r{{fill:white;text-anchor:middle;font-size:11px}}.s{{text-anchor:middle;font-size:10px;fill:{SOFT}}}.w{{text-anchor:end}}.h{{font-weight:bold}}"
        f".axis{{stroke:{INK}}}.grid{{stroke:{SOFT};stroke-opacity:.35}}"
    )
    size = f'width="{width:g}" height="{height:g}" viewBox="0 0 {width:g} {height:g}"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {size}>'
    return "\n".join([head, f"<style>{style}</style>", *parts, "</svg>", ""])


RECORDS = {"a": 1.0, "b": 2.0, "c": 6.0, "d": 9.0, "e": 14.0}
LEFTS, RIGHTS = {"a": 1.0, "b": 5.0, "c": 10.0}, {"x": 2.0, "y": 4.0, "z": 14.0}


def all_pictures() -> dict[str, str]:
    """Every picture by the name of its file."""
    return {
        "tumbling.svg": picture(
            'hf.tumbling("5 seconds")', [RECORDS], windows(hf.tumbling("5 seconds", grace="1 minute"), RECORDS)
        ),
        "hopping.svg": picture(
            'hf.hopping("6 seconds", advance="3 seconds")',
            [RECORDS],
            windows(hf.hopping("6 seconds", advance="3 seconds", grace="1 minute"), RECORDS),
        ),
        "sliding.svg": picture(
            'hf.sliding("4 seconds")',
            [RECORDS],
            windows(hf.sliding("4 seconds", grace="1 minute"), RECORDS, closed=True),
        ),
        "session.svg": picture(
            'hf.session("4 seconds")',
            [RECORDS],
            windows(hf.session("4 seconds", grace="1 minute"), RECORDS, closed=True),
        ),
        "join.svg": picture('left.join(right, within="2 seconds")', [LEFTS, RIGHTS], joined("join", LEFTS, RIGHTS)),
        "left-join.svg": picture(
            'left.left_join(right, within="2 seconds")', [LEFTS, RIGHTS], joined("left_join", LEFTS, RIGHTS)
        ),
        "outer-join.svg": picture(
            'left.outer_join(right, within="2 seconds")', [LEFTS, RIGHTS], joined("outer_join", LEFTS, RIGHTS)
        ),
    }
