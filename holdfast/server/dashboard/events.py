"""What happened to an app lately: starts, ends, failures, restores, dead letters, late records, slow epochs."""

from __future__ import annotations

import statistics
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass

from holdfast.documents import Document
from holdfast.server.dashboard.differences import numbers

ERROR, WARNING, INFO = "error", "warning", "info"
_MOST = 200
_TOGETHER = 60_000
_SLOW_MS = 5_000
_SLOWER = 5
_ENOUGH = 10


@dataclass
class Event:
    """Something that happened, from its first to its last time; `count` adds up what came together."""

    at: int
    level: str
    kind: str
    text: str
    until: int
    count: int = 1
    more: str | None = None

    def to_json(self) -> Document:
        """The event as JSON."""
        return dict(vars(self))


class Events:
    """The last events; trouble of a kind that comes within a minute is one."""

    def __init__(self) -> None:
        self._events: deque[Event] = deque(maxlen=_MOST)
        self._epochs: deque[float] = deque(maxlen=50)

    def __iter__(self) -> Iterator[Event]:
        return iter(tuple(self._events))

    def add(self, at: int, level: str, kind: str, text: str, count: int = 1, more: str | None = None) -> None:
        """Note something; what is no trouble stands for itself."""
        for event in reversed(self._events):
            if level != INFO and (event.kind, event.text) == (kind, text) and at - event.until < _TOGETHER:
                event.until, event.count, event.more = max(at, event.until), event.count + count, more or event.more
                return
        self._events.append(Event(at, level, kind, text, at, count, more))

    def compare(self, before: Document | None, after: Document) -> None:
        """Note what a record of the app's telemetry shows, beside the one before."""
        at = after["at"]
        if before is None or before["run"] != after["run"]:
            self._epochs.clear()
            mode = after.get("mode", "")
            self.add(int(after.get("began") or at), INFO, "started", f"the app started ({mode})")
            before = {}
        self._ends(at, before, after)
        self._stalls(at, before, after)
        self._counts(at, before, after)
        self._slow_epochs(after)

    def _ends(self, at: int, before: Document, after: Document) -> None:
        if after.get("status") == before.get("status"):
            return
        if after.get("status") == "failed":
            self.add(at, ERROR, "failed", "the app failed", more=str(after.get("problem") or ""))
        elif after.get("status") == "stopped":
            self.add(at, INFO, "stopped", "the app was stopped")

    def _stalls(self, at: int, before: Document, after: Document) -> None:
        problem = after.get("problem")
        if problem and after.get("status") == "running":
            self.add(at, ERROR, "stalled", "the app makes no progress", more=str(problem))

    def _counts(self, at: int, before: Document, after: Document) -> None:
        for reason, count in _more(before, after, "dead").items():
            self.add(at, ERROR, "dead-letters", reason, count)
        for node, count in _more(before, after, "late").items():
            self.add(at, WARNING, "late", f"late records at {node}", count)
        for topic, count in _more(before, after, "foreign").items():
            self.add(at, WARNING, "foreign", f"records in {topic} that the app did not write", count)

    def _slow_epochs(self, after: Document) -> None:
        for epoch in after.get("last") or ():
            millis = epoch["ms"]
            usual = statistics.median(self._epochs) if len(self._epochs) >= _ENOUGH else millis
            if millis > _SLOW_MS and millis > usual * _SLOWER:
                text = f"an epoch took much longer than usual ({usual / 1000:.1f} s)"
                self.add(after["at"], WARNING, "slow", text, more=f"epoch {epoch['epoch']}: {millis / 1000:.1f} s")
            self._epochs.append(millis)


def _more(before: Document, after: Document, field: str) -> dict[str, int]:
    old, new = numbers(before, field), numbers(after, field)
    grown = {name: int(count - old.get(name, 0)) for name, count in new.items()}
    return {name: count for name, count in grown.items() if count > 0}
