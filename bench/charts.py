"""Bar charts and ranges as SVG, in light and dark."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from html import escape

WIDTH, LEFT, RIGHT, BAR, GAP, TOP = 720, 220, 120, 18, 16, 44
_STYLE = (
    "text{font:13px system-ui,sans-serif;fill:#24292f}.t{font-weight:600;font-size:15px}"
    ".g{text-anchor:end;font-weight:600}"
    ".p,.a,.o{fill:#57606a;font-size:12px}.o{paint-order:stroke;stroke:#fff;stroke-width:5px}"
    ".a{text-anchor:middle}.back{fill:#fff;stroke:#d0d7de}.grid{stroke:#d0d7de}"
    ".ours{fill:#3867d6;stroke:#3867d6}.theirs{fill:#a5b1c2;stroke:#a5b1c2}"
    "@media(prefers-color-scheme:dark){text{fill:#e6edf3}.p,.a,.o{fill:#9198a1}.o{stroke:#0d1117}.back{fill:#0d1117;stroke:#3d444d}"
    ".grid{stroke:#3d444d}.ours{fill:#6c93f0;stroke:#6c93f0}.theirs{fill:#656c76;stroke:#656c76}}"
)

Groups = Mapping[str, Mapping[str, float]]


def bars(title: str, groups: Groups, ours: Sequence[str]) -> str:
    """Bars in groups, all from zero on one scale, each with its name and number; ours have a colour."""
    most = max(value for group in groups.values() for value in group.values())
    parts, y = [], TOP
    for name, group in groups.items():
        parts.append(_text(LEFT - 12, y + BAR * len(group) / 2 + 5, name, "g"))
        for peer, value in group.items():
            wide = value / most * (WIDTH - LEFT - RIGHT - 40)
            kind = "ours" if peer in ours else "theirs"
            parts.append(f'<rect x="{LEFT}" y="{y}" width="{wide:.1f}" height="{BAR - 3}" rx="2" class="{kind}"/>')
            parts.append(_text(LEFT + wide + 6, y + 12, f"{value:,.0f}  {peer}", "p"))
            y += BAR
        y += GAP
    return _svg(title, y, parts)


def ranges(title: str, groups: Mapping[str, Mapping[str, tuple[float, float]]], ours: Sequence[str]) -> str:
    """Two points each with a line between them, on a logarithmic scale."""
    most = max(value[1] for group in groups.values() for value in group.values())
    decades = range(math.ceil(math.log10(most)) + 1)
    scale = (WIDTH - LEFT - 2 * RIGHT) / decades[-1]
    parts, y = [], TOP + 14
    for name, group in groups.items():
        parts.append(_text(LEFT - 12, y + BAR * len(group) / 2 + 5, name, "g"))
        for peer, (low, high) in group.items():
            kind = "ours" if peer in ours else "theirs"
            start, stop, at = LEFT + scale * math.log10(low), LEFT + scale * math.log10(high), y + 8
            parts.append(
                f'<line x1="{start:.1f}" y1="{at}" x2="{stop:.1f}" y2="{at}" class="{kind}" stroke-width="3"/>'
            )
            parts += [f'<circle cx="{x:.1f}" cy="{at}" r="5" class="{kind}"/>' for x in (start, stop)]
            parts.append(_text(stop + 10, y + 12, f"{low:,g} / {high:,g}  {peer}", "o"))
            y += BAR
        y += GAP
    grid = [(LEFT + scale * decade, 10**decade) for decade in decades]
    lines = [f'<line x1="{x:.1f}" y1="{TOP + 8}" x2="{x:.1f}" y2="{y - 8}" class="grid"/>' for x, _ in grid]
    return _svg(title, y, [*lines, *(_text(x, TOP + 2, f"{value:,} ms", "a") for x, value in grid), *parts])


def _text(x: float, y: float, text: str, kind: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" class="{kind}">{escape(text)}</text>'


def _svg(title: str, height: float, parts: Sequence[str]) -> str:
    size = f'width="{WIDTH}" height="{height}" viewBox="0 0 {WIDTH} {height}"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img">'
    back = f'<rect x=".5" y=".5" width="{WIDTH - 1}" height="{height - 1}" rx="6" class="back"/>'
    return "\n".join([head, f"<style>{_STYLE}</style>", back, _text(16, 26, title, "t"), *parts, "</svg>", ""])
