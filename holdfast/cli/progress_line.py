"""The line that shows the progress of a running app: rates, smoothed over the last seconds, and lag."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable

from holdfast.runtime.progress import Progress

_WINDOW = 5.0
_IDLE_AFTER = 2.0


class ProgressLine:
    """Watches the offsets of an app; batches come and go, a rate over some seconds can be read.

    >>> line = ProgressLine()
    >>> line.text({"epoch": None, "topics": {}, "batch_ms": 0, "dead_letters": 0, "late": {}}, busy=False)
    'waiting for records'
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._seen: deque[tuple[float, dict[str, int]]] = deque()
        self._moved = clock()
        self._batch_ms = 0
        self._epoch: int | None = None

    def text(self, progress: Progress, busy: bool) -> str:
        """One line for people: rate and lag per topic, batch time; dead letters and late records if there are some."""
        self._look(progress)
        if progress["epoch"] is None:
            return "working on the first batch" if busy else "waiting for records"
        rejected = [*_dead_letters(progress), *_late(progress)]
        return "  ".join([f"epoch {progress['epoch']}", *self._work(progress, busy), *rejected])

    def _look(self, progress: Progress) -> None:
        now, topics = self._clock(), progress["topics"]
        offsets = {name: topic["offset"] for name, topic in topics.items()}
        if offsets and not self._seen:
            # The first report is of a batch that began before we looked.
            before = {name: topic["offset"] - topic["records"] for name, topic in topics.items()}
            self._seen.append((now - max(progress["batch_ms"] / 1000, 1.0), before))
            self._moved = now
        if self._seen and offsets != self._seen[-1][1]:
            self._moved = now
        if not offsets and progress["epoch"] != self._epoch:
            # Where only DataFrames are read, an epoch is all that can be seen to move.
            self._moved, self._epoch = now, progress["epoch"]
        if offsets:
            self._seen.append((now, offsets))
        self._batch_ms = progress["batch_ms"] or self._batch_ms
        # Long batches move the offsets seldom.
        horizon = now - max(_WINDOW, 3 * self._batch_ms / 1000)
        while len(self._seen) > 1 and self._seen[1][0] <= horizon:
            self._seen.popleft()

    def _work(self, progress: Progress, busy: bool) -> list[str]:
        rates = self._rates()
        topics = progress["topics"]
        active = [
            _topic(name, rates[name], topics[name]["lag"]) for name in topics if rates[name] or topics[name]["lag"]
        ]
        quiet = self._clock() - self._moved
        if not topics and quiet < _IDLE_AFTER:
            active = [_topic("DataFrames", progress["rate"], 0)]
        if not active and quiet >= _IDLE_AFTER:
            return ["working" if busy else f"idle for {_duration(quiet)}"]
        return [*active, f"batch {self._batch_ms:,} ms"]

    def _rates(self) -> dict[str, float]:
        if not self._seen:
            return {}
        (since, before), (now, offsets) = self._seen[0], self._seen[-1]
        return {name: (at - before.get(name, at)) / max(now - since, 0.001) for name, at in offsets.items()}


def _topic(name: str, rate: float, lag: float) -> str:
    shown = f"{rate:,.0f}" if rate >= 10 or not rate else f"{rate:.1f}" if rate >= 0.1 else "<0.1"
    return f"{name} {shown}/s" + (f", {lag:,.0f} behind" if lag else "")


def _dead_letters(progress: Progress) -> list[str]:
    count = progress["dead_letters"]
    return [f"{count:,} dead letter{'' if count == 1 else 's'}"] if count else []


def _late(progress: Progress) -> list[str]:
    count = sum(progress["late"].values())
    return [f"{count:,} late"] if count else []


def _duration(seconds: float) -> str:
    whole = int(seconds)
    if whole < 60:
        return f"{whole} s"
    return f"{whole // 60} min" if whole < 3600 else f"{whole // 3600} h {whole % 3600 // 60} min"
