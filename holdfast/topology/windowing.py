"""The window of an aggregate."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from holdfast.documents import Document, Json
from holdfast.topics.windowed import windowed_type
from holdfast.types import DataType
from holdfast.units.duration import in_words

if TYPE_CHECKING:
    from holdfast.topology.nodes import Node

W = Document
"""A window: {"kind": "tumbling", "size": 60000, ...}, durations in milliseconds."""

WITHOUT_WINDOW_KEYS = frozenset(["trailing", "last", "every"])
"""Kinds of windows that have one result per key at a time."""
RECORD_KINDS = frozenset(["trailing", "last"])
"""Kinds of windows that keep the records in them."""
CLOCK_KINDS = frozenset(["tumbling", "hopping", "sliding", "calendar"])
CLOCK_PARTS = ("size", "difference", "unit", "timezone")
"""What decides which windows a clock makes."""


@dataclass(frozen=True)
class Windowing:
    """A window, the topic for its late records, and whose time closes it."""

    window: W
    late: str | None = None
    time: str = "records"

    def key_type(self, key: DataType) -> DataType:
        """The type of the results' keys."""
        return key if self.window["kind"] in WITHOUT_WINDOW_KEYS else windowed_type(key)

    @property
    def closes(self) -> bool:
        """Whether time closes it."""
        return self.window["kind"] not in WITHOUT_WINDOW_KEYS

    @property
    def is_final(self) -> bool:
        """Whether its result is emitted when it closes, and only then."""
        return bool(self.window.get("emit") == "final")

    @property
    def holds_records(self) -> bool:
        """Whether it stores its records."""
        return self.window["kind"] in RECORD_KINDS

    def layout(self) -> str:
        """What windows of time are, and whether it is noted when they close; those of records may change in length."""
        parts = [part for part in CLOCK_PARTS if self.window["kind"] in CLOCK_KINDS and part in self.window]
        shape = [f"{part} {self.window[part]}" for part in parts]
        return " ".join([self.window["kind"], *shape, *(["final"] if self.is_final else [])])

    @classmethod
    def read(cls, document: Document) -> Windowing | None:
        """The window of a node's document, if it has one."""
        if not document.get("window"):
            return None
        return cls(document["window"], document.get("late"), document.get("time", "records"))

    def to_json(self) -> dict[str, Json]:
        """The fields of the node that has this window."""
        return {"window": self.window, "late": self.late, "time": self.time}


def window_grace(node: Node) -> int | None:
    """How long after its end a window of this table may still change, in milliseconds; None if there are no windows."""
    windowing: Windowing | None = getattr(node, "windowing", None)
    if windowing is not None:
        grace = None if windowing.window["kind"] in WITHOUT_WINDOW_KEYS else windowing.window.get("grace")
        return None if grace is None else int(grace) + int(windowing.window.get("gap", 0))
    found = [grace for grace in map(window_grace, node.inputs) if grace is not None]
    return max(found, default=None)


def window_words(window: W) -> str:
    """The window in words, for descriptions.

    >>> window_words({"kind": "hopping", "size": 60000, "advance": 1000, "grace": 5000, "emit": "final"})
    'hopping windows of 1 minute every 1 second, grace 5 seconds, emitted when closed'
    """
    grace = f", grace {in_words(window['grace'])}" if window.get("grace") else ""
    emitted = {"every": ", every update emitted", "final": ", emitted when closed"}.get(window.get("emit", ""), "")
    return f"{_WORDS[window['kind']](window)}{grace}{emitted}"


_WORDS: dict[str, Callable[[W], str]] = {
    "tumbling": lambda w: f"tumbling windows of {in_words(w['size'])}",
    "hopping": lambda w: f"hopping windows of {in_words(w['size'])} every {in_words(w['advance'])}",
    "sliding": lambda w: f"sliding windows of {in_words(w['difference'])}",
    "calendar": lambda w: f"calendar windows of {w['unit']}s in {w['timezone']}",
    "session": lambda w: f"sessions with a gap of {in_words(w['gap'])}",
    "trailing": lambda w: f"the {in_words(w['size'])} before each record",
    "last": lambda w: f"the last {w['n']} records",
    "every": lambda w: f"every {w['n']} records",
}
