"""The window of an aggregate, as the plan carries it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from holdfast.topics.types import T
from holdfast.topics.windowed import windowed_type

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
