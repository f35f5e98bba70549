"""The style sheet of a topology's picture: one set of middle tones for light and dark pages."""

from __future__ import annotations

_RULES = """
{ color: #1f2328; color-scheme: light dark; font: 12px system-ui, "DejaVu Sans", sans-serif }
text { fill: currentColor; text-anchor: middle }
.title { font-weight: 600 }
.more { fill-opacity: .8; font-size: 11px }
.legend text { fill-opacity: .8; font-size: 11px; text-anchor: start }
.band { fill: currentColor; fill-opacity: .05 }
.band-name { text-anchor: start; font-weight: 600; fill-opacity: .7 }
.edge { fill: none; stroke: currentColor; stroke-opacity: .6; stroke-width: 1.3 }
.lookup { stroke-dasharray: 5 3 }
.exchange { stroke: #d9730d; stroke-opacity: 1; stroke-width: 2 }
.arrow { fill: currentColor; fill-opacity: .75 }
.arrow-exchange { fill: #d9730d }
.stream { fill: #3b82f6; fill-opacity: .14; stroke: #3b82f6; stroke-width: 1.3 }
.table { fill: #16a34a; fill-opacity: .16; stroke: #16a34a; stroke-width: 1.3 }
.global { fill: #a855f7; fill-opacity: .16; stroke: #a855f7; stroke-width: 1.5; stroke-dasharray: 6 3 }
.topic { fill: #64748b; fill-opacity: .18; stroke: #64748b; stroke-width: 1.3 }
.store { fill: #ca8a04; fill-opacity: .2; stroke: #ca8a04; stroke-width: 1.2 }
.lid { fill: none }
"""

STYLE = "\n".join(f".holdfast-topology {rule}" for rule in _RULES.strip().splitlines())
STYLE += "\n@media (prefers-color-scheme: dark) { .holdfast-topology { color: #e6edf3 } }"
