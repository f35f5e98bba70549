"""How fast an app reads its topics, smoothed over the last seconds: batches come and go, such a rate can be read."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from typing import NamedTuple

from holdfast.runtime.progress import Progress

_WINDOW = 5.0


class _Report(NamedTuple):
    at: float
    offsets: dict[str, int]
    ends: dict[str, int]


class Rates:
    """Watches the offsets of an app.

    >>> rates = Rates()
    >>> rates.look({"epoch": None, "topics": {}, "batch_ms": 0})
    >>> rates.per_topic()
    {}
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._seen: deque[_Report] = deque()
        self._moved = clock()
        self._epoch: int | None = None
        self.batch_ms = 0

    @property
    def quiet(self) -> float:
        """For how many seconds nothing has moved."""
        return self._clock() - self._moved

    def look(self, progress: Progress) -> None:
        """Take a report into account."""
        now, topics = self._clock(), progress["topics"]
        offsets = {name: topic["offset"] for name, topic in topics.items()}
        ends = {name: topic["offset"] + topic["lag"] for name, topic in topics.items()}
        if offsets and not self._seen:
            # The first report is of a batch that began before we looked.
            before = {name: topic["offset"] - topic["records"] for name, topic in topics.items()}
            self._seen.append(_Report(now - max(progress["batch_ms"] / 1000, 1.0), before, ends))
            self._moved = now
        if self._seen and offsets != self._seen[-1].offsets:
            self._moved = now
        if not offsets and progress["epoch"] != self._epoch:
            # Where only DataFrames are read, an epoch is all that can be seen to move.
            self._moved, self._epoch = now, progress["epoch"]
        if offsets:
            self._seen.append(_Report(now, offsets, ends))
        self.batch_ms = progress["batch_ms"] or self.batch_ms
        # Long batches move the offsets seldom.
        horizon = now - max(_WINDOW, 3 * self.batch_ms / 1000)
        while len(self._seen) > 1 and self._seen[1].at <= horizon:
            self._seen.popleft()

    def per_topic(self) -> dict[str, float]:
        """Records read per second."""
        return self._per_second(lambda report: report.offsets)

    def arriving(self) -> dict[str, float]:
        """Records that come to the topics per second."""
        return self._per_second(lambda report: report.ends)

    def _per_second(self, part: Callable[[_Report], dict[str, int]]) -> dict[str, float]:
        if not self._seen:
            return {}
        first, last = self._seen[0], self._seen[-1]
        before, seconds = part(first), max(last.at - first.at, 0.001)
        return {name: (at - before.get(name, at)) / seconds for name, at in part(last).items()}
