"""The handle of a running app."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Sequence
from datetime import timedelta

from holdfast.errors import AlreadyRuns, HoldfastError, JavaError, OutputFenced
from holdfast.runtime.checkpoint import Offsets, first_offsets
from holdfast.runtime.lease import Instance, Lease
from holdfast.runtime.lock import Lock
from holdfast.runtime.meter import Meter
from holdfast.runtime.progress import Progress, summary
from holdfast.runtime.query import Query, wait_for_end
from holdfast.runtime.telemetry import Telemetry
from holdfast.spark.idle_archive import IdleTraining
from holdfast.units.duration import milliseconds


class Running:
    """A running app, from `app.start()`: wait for it, watch it, stop it.

    >>> running = app.start()   # doctest: +SKIP
    >>> running.progress()["epoch"]   # doctest: +SKIP
    12
    >>> running.stop()   # doctest: +SKIP
    """

    def __init__(
        self, app: str, query: Query, held: Lock, created: Sequence[str] = (), lease: Lease | None = None,
        changes: Sequence[str] = (), telemetry: Telemetry | None = None,
    ) -> None:  # fmt: skip
        self._app = app
        self.created = tuple(created)
        """The topics that were missing and have been made."""
        self.changes = tuple(changes)
        """How the program differs from the one that the state is of, where the state has to do with it."""
        self._query = query
        self._home = held.directory
        self._lock = held
        self._lock.in_use = self._in_use
        self._lease = lease
        self._telemetry = telemetry
        if lease is not None:
            lease.in_use = self._in_use
        self.url: str | None = None
        """Where its stores are served, with `app.start(serve=True)`."""
        self.on_end: list[Callable[[], None]] = []
        """What is called, once, when the app has ended: it stops the server in this process."""
        self._let_go_before = False
        self._began: Offsets = {}
        self._stopping = threading.Lock()
        self._archive = IdleTraining(self._working).start()

    @property
    def active(self) -> bool:
        """Whether the app still runs.

        >>> running.active   # doctest: +SKIP
        True
        """
        return self._query.active

    def wait(self, timeout: str | timedelta | None = None) -> bool:
        """Wait for the end; false if the time passed first. A failure of the app is raised here.

        >>> running.wait("1 minute")   # doctest: +SKIP
        False
        """
        seconds = None if timeout is None else milliseconds(timeout, "wait(timeout=)") / 1000
        try:
            ended = wait_for_end(self._query, seconds)
        except OutputFenced as fenced:
            other = self._lease and self._lease.other()
            self._let_go("failed", str(fenced))
            raise (_taken_over(self._app, other) if other else fenced) from None
        except HoldfastError as failure:
            self._let_go("failed", str(failure))
            raise
        if ended:
            self._let_go()
        return ended

    def stop(self) -> None:
        """Finish the epoch, then stop.

        >>> running.stop()   # doctest: +SKIP
        """
        # Without its JVM the app has stopped already; `wait` raises that.
        with self._stopping, contextlib.suppress(JavaError):
            if self._query.active:
                self._query.finish()
        self._let_go()

    def abort(self) -> None:
        """Stop at once; the epoch in hand is repeated at the next start.

        >>> running.abort()   # doctest: +SKIP
        """
        # What the query has in the JVM has the app's name, and may be that of a later start by now.
        if not self._let_go_before:
            self._query.abort()
        self._let_go()

    def _in_use(self) -> bool:
        with contextlib.suppress(JavaError):
            return not self._let_go_before and self._query.active
        return False

    def _working(self) -> bool:
        with contextlib.suppress(JavaError):
            return self._query.busy
        return True

    def _let_go(self, status: str = "stopped", problem: str | None = None) -> None:
        """Let another process run the app."""
        self._archive.stop()
        self._let_go_before = True
        if self._telemetry is not None:
            self._telemetry.stop(status, problem)
        while self.on_end:
            self.on_end.pop()()
        if self._lease is not None:
            self._lease.release()
        self._lock.release()

    @property
    def busy(self) -> bool:
        """Whether an epoch is being worked on.

        >>> running.busy   # doctest: +SKIP
        False
        """
        return self._query.busy

    def meter(self, stalled_after: str | timedelta = "5 minutes") -> Meter:
        """Begin to measure what `/metrics` shows, in a thread, until `stop()` of what this gives.

        An epoch that is not over after `stalled_after` counts as standing still.

        >>> meter = running.meter()   # doctest: +SKIP
        >>> meter.document()["epoch"]   # doctest: +SKIP
        12
        """
        seconds = milliseconds(stalled_after, "meter(stalled_after=)") / 1000
        return Meter(self._app, self._query, self._home / "checkpoint", seconds).start()

    def progress(self) -> Progress:
        """What the last epoch did, and what was counted since the start.

        Number, duration, rate and lag per topic, records written, dead letters and their reasons, how many records of
        each node came too late or were skipped, how many of each topic of the app's own it did not write, and the
        seconds that Python functions took.

        >>> running.progress()["dead_letters"]   # doctest: +SKIP
        0
        """
        self._began = self._began or first_offsets(self._home / "checkpoint")
        found = summary(self._app, self._query.progress(), self._query.sent(), self._began)
        counted = self._query.counted
        return {
            **found,
            "dead_letter_reasons": self._query.reasons(),
            "late": counted("late"),
            "skipped": counted("skipped"),
            "foreign": counted("foreign"),
            "python_seconds": {part: spent / 1e9 for part, spent in counted("nanoseconds").items()},
        }


def _taken_over(app: str, other: Instance) -> AlreadyRuns:
    return AlreadyRuns(f"another instance of app {app!r} has taken over its output: it runs {other}. This one ends")
