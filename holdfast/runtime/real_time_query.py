"""An app in real-time mode: it catches up in ordinary batches, then switches to the real-time trigger."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable

from holdfast.documents import Document
from holdfast.errors import HoldfastError
from holdfast.runtime.progress import summary
from holdfast.runtime.query import EpochQuery

_LOOK = 0.1
_QUICK_MS = 2_000
_QUIET_LOOKS = 10
_MOST_FAILURES = 3

log = logging.getLogger("holdfast.runtime")
Begin = Callable[[bool], EpochQuery]


class RealTimeQuery:
    """The query of an app in real-time mode: one of two, and the second from the moment on that it has caught up.

    `begin(False)` starts an ordinary query, `begin(True)` one in real-time mode, on the same checkpoint. Spark repeats
    no task of an epoch that goes on: if `room` is given, a failure in real time, such as an executor that is lost, ends
    only the epoch, which is repeated by an ordinary query, until there is `room` for real time again. A thread watches
    for both changes.
    """

    def __init__(self, app: str, begin: Begin, *, behind: bool, room: Callable[[], bool] | None = None) -> None:
        self._app = app
        self._begin = begin
        self._room = room
        self._failures = 0
        self._now = begin(not behind)
        self.real_time = not behind
        self._looked: tuple[float, Document] = (time.monotonic(), {})
        self._failure: HoldfastError | None = None
        self._stop = threading.Event()
        self._watch = threading.Thread(target=self._run, name="holdfast-real-time", daemon=True)
        if behind or room is not None:
            self._watch.start()

    def _run(self) -> None:
        """Change from one query to the other, in a thread of its own: nobody has to ask for it to happen."""
        try:
            while self._caught_up() and self._fell_back():
                pass
        except HoldfastError as failure:
            self._failure = failure

    def _caught_up(self) -> bool:
        """Wait until nothing waits any more, and change over; false if it ended before."""
        seen, quiet = -1, 0
        while not self.real_time:
            if self._stop.wait(_LOOK) or not self._now.active:
                return False
            reports = self._now.reports(seen)
            seen = max([seen, *(report["batchId"] for report in reports)])
            quiet = quiet + 1 if self._now.waiting and not reports else 0
            level = quiet >= _QUIET_LOOKS or any(_is_level(self._app, report) for report in reports)
            # Between two triggers it is quiet, too; and real time would write again what is to be repeated.
            if level and not self._now.repeating and (self._room is None or self._room()):
                self._change()
        return True

    def _change(self) -> None:
        """Change over after a whole epoch: real-time mode throws away what was begun and not ended."""
        if self._stop.is_set():
            return
        log.info("%s has caught up and goes on in real time", self._app)
        self._now.finish(drop_counts=False)
        self._now.raise_failure()
        self._now = self._begin(True)
        self.real_time = True

    def _fell_back(self) -> bool:
        """Wait until real time fails, and go on in ordinary epochs; false if it is not to, or ended otherwise."""
        if self._room is None:
            return False
        while not self._stop.wait(_LOOK):
            if not self._now.active:
                return self._repeated()
        return False

    def _repeated(self) -> bool:
        """Whether an ordinary query repeats the epoch that failed in real time."""
        self._failures = 1 if self._now.reports(-1) else self._failures + 1
        try:
            self._now.raise_failure()
            return False
        except HoldfastError as failure:
            if self._failures > _MOST_FAILURES:
                return False
            log.warning("%s repeats an epoch that failed in real time: %s", self._app, failure)
        self._now.abort(drop_counts=False)
        self._now = self._begin(False)
        self.real_time = False
        return True

    @property
    def active(self) -> bool:
        """Whether it still runs: while it is watched, one query may end and another begin."""
        watched = self._watch.is_alive()
        return self._failure is None and (watched or self._now.active)

    @property
    def busy(self) -> bool:
        """Whether an epoch is being worked on that has an end in sight."""
        return not self.real_time and self._now.busy

    def raise_failure(self) -> None:
        """Raise what ended the query, if anything did."""
        if self._failure is not None:
            raise self._failure
        self._now.raise_failure()

    def finish(self, seconds: float = 120, *, drop_counts: bool = True) -> None:
        """Take nothing new, let the epoch in hand end, then stop."""
        self._end_watch()
        self._now.finish(seconds, drop_counts=drop_counts)

    def abort(self, *, drop_counts: bool = True) -> None:
        """Stop at once; the epoch in hand is repeated at the next start."""
        self._end_watch()
        self._now.abort(drop_counts=drop_counts)

    def _end_watch(self) -> None:
        """From here on there is one query; a change that has begun goes on to its end."""
        self._stop.set()
        if self._watch.ident is not None:
            self._watch.join()

    def progress(self) -> Document | None:
        """Spark's report on the last epoch, or None before the first; in real time, what was done since then."""
        report = self._now.progress()
        if not self.real_time:
            return report
        read, ends = self._now.live_offsets()
        if not read:
            return report
        now, (then, before) = time.monotonic(), self._looked
        self._looked = (now, read)
        return {
            "batchId": report["batchId"] if report else 0,
            "batchDuration": int(1000 * (now - then)),
            "durationMs": {"addBatch": 0} if report else {},
            "sources": [{"startOffset": before or read, "endOffset": read, "latestOffset": ends, "numInputRows": 0}],
        }

    def reports(self, after: int) -> list[Document]:
        """Spark's reports on the epochs that ran after the given one."""
        return self._now.reports(after)

    def measured(self) -> Document:
        """What the sink has counted and measured since the start."""
        return self._now.measured()

    def counted(self, kind: str) -> dict[str, int]:
        """How many records of each node were "late" or "skipped", or the "nanoseconds" of Python, since the start."""
        return self._now.counted(kind)

    def reasons(self) -> dict[str, int]:
        """Dead letters per reason since the start."""
        return self._now.reasons()

    def sent(self) -> dict[str, int]:
        """Records written per topic since the start."""
        return self._now.sent()


def _is_level(app: str, report: Document) -> bool:
    """Whether an epoch took all that was there when it began, and was quick about it."""
    topics = summary(app, report, {}, {})["topics"]
    return not any(seen["lag"] for seen in topics.values()) and report["batchDuration"] < _QUICK_MS
