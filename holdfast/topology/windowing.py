"""The window of an aggregate, as the plan carries it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from holdfast.topics.duration import in_words
from holdfast.topics.types import T
from holdfast.topics.windowed import windowed_type

if TYPE_CHECKING:
    from holdfast.topology.nodes import Node

W = dict[str, Any]
"""A window: {"kind": "tumbling", "size": 60000, ...}, durations in milliseconds."""

PLAIN_KEYS = frozenset(["trailing", "last", "every"])
"""Kinds of windows that have one result per key at a time."""


@dataclass(frozen=True)
class Windowing:
    """A window, the topic for records that come too late for it, and whose time closes it."""

    window: W
    late: str | None = None
    time: str = "records"

    def key_type(self, key: T) -> T:
        """The type of the results' keys."""
        return key if self.window["kind"] in PLAIN_KEYS else windowed_type(key)

    def to_json(self) -> dict[str, Any]:
        """The fields of the node that has this window."""
        return {"window": self.window, "late": self.late, "time": self.time}


def window_grace(node: Node) -> int | None:
    """How long after its end a window of this table may still change, in milliseconds; None if there are no windows."""
    windowing: Windowing | None = getattr(node, "windowing", None)
    if windowing is not None:
        grace = windowing.window.get("grace")
        return None if grace is None else int(grace) + int(windowing.window.get("gap", 0))
    found = [grace for grace in map(window_grace, node.inputs) if grace is not None]
    return max(found, default=None)


def window_words(window: W) -> str:
    """The window in words, for descriptions.

    >>> window_words({"kind": "hopping", "size": 60000, "advance": 1000, "grace": 5000, "emit": "final"})
    'hopping windows of 1 minute every 1 second, grace 5 seconds, told when closed'
    """
    step = f" every {in_words(window['advance'])}" if window["kind"] == "hopping" else ""
    grace = f", grace {in_words(window['grace'])}" if window.get("grace") else ""
    told = {"every": ", every update told", "final": ", told when closed"}.get(window.get("emit", ""), "")
    return f"{window['kind']} windows of {_length(window)}{step}{grace}{told}"


def _length(window: W) -> str:
    if "unit" in window:
        return f"{window['unit']}s in {window['timezone']}"
    if "n" in window:
        return f"{window['n']} records"
    return in_words(next(window[name] for name in ("size", "difference", "gap") if name in window))
