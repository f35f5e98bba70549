"""A running query: started, watched and stopped."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping

from holdfast.documents import Document
from holdfast.errors import HoldfastError
from holdfast.spark import kernel
from holdfast.spark.java_value import JavaValue
from holdfast.spark.session import runs_here

_POLL = 0.05


class SparkQuery:
    """One app as one Spark query.

    `options` are the kernel's: name, checkpoint, trigger, kafka, source and sink; `frames` are DataFrames by node.
    Whatever is asked of the JVM goes through `kernel.call` as a whole: the JVM may end between two calls.
    """

    def __init__(
        self, session: JavaValue, plan: Document, options: Document, frames: Mapping[str, object] | None = None
    ) -> None:
        jvm = kernel.gateway().jvm
        self._name: str = options["name"]
        self._live = options["trigger"] == "real-time"
        self._local = runs_here(session)
        self._gate = jvm.io.holdfast.kernel.source.AdmissionGate
        self._positions = jvm.io.holdfast.kernel.source.LivePositions
        self._epochs = jvm.io.holdfast.kernel.source.EpochLog
        self._sink = jvm.io.holdfast.kernel.sink.HoldfastSink
        self._state_metrics = jvm.io.holdfast.kernel.stores.StateMetrics
        self._reports = jvm.io.holdfast.kernel.spark.ProgressReports
        kernel.call(lambda: self._gate.open(self._name))
        start = jvm.io.holdfast.kernel.spark.Query.start
        self._query = kernel.call(lambda: start(session, json.dumps(plan), json.dumps(options), dict(frames or {})))
        self._id: str = kernel.call(lambda: str(self._query.id().toString()))

    @property
    def active(self) -> bool:
        """Whether it still runs."""
        return bool(kernel.call(self._query.isActive))

    @property
    def busy(self) -> bool:
        """Whether an epoch is being worked on."""
        return bool(kernel.call(lambda: self._query.status().isDataAvailable()))

    @property
    def waiting(self) -> bool:
        """Whether it has looked for records and found none."""

        def quiet() -> bool:
            status = self._query.status()
            return not status.isTriggerActive() and str(status.message()).startswith("Waiting for")

        return kernel.call(quiet)

    @property
    def repeating(self) -> bool:
        """Whether it has still to begin epochs that ran after its checkpoint was copied."""
        return bool(kernel.call(lambda: self._epochs.isRepeating(self._name)))

    def raise_failure(self) -> None:
        """Raise what ended the query, if anything did."""

        def failure() -> HoldfastError | None:
            found = self._query.exception()
            return kernel.error_of(found.get()) if found.isDefined() else None

        if (ended := kernel.call(failure)) is not None:
            raise ended

    def finish(self, seconds: float = 120, *, drop_counts: bool = True) -> None:
        """Stop reading, let the running epoch end, then stop; `drop_counts` drops the query's counters."""
        kernel.call(lambda: self._gate.close(self._name))
        if self._live:
            self._park(seconds)
        else:
            self._end_epoch(seconds)
        self.abort(drop_counts=drop_counts)

    def _park(self, seconds: float) -> None:
        """Wait until the readers have ended the epoch; those of a cluster cannot be asked to, and it is repeated."""
        deadline = time.monotonic() + seconds if self._local else 0
        while self.active and time.monotonic() < deadline and not kernel.call(lambda: self._gate.isParked(self._name)):
            time.sleep(_POLL)

    def _end_epoch(self, seconds: float) -> None:
        deadline = time.monotonic() + seconds
        # Two quiet looks: between the decision to run a batch and its start the query is quiet, too.
        quiet = 0
        while self.active and quiet < 2 and time.monotonic() < deadline:
            quiet = 0 if kernel.call(lambda: self._query.status().isTriggerActive()) else quiet + 1
            time.sleep(_POLL)

    def abort(self, *, drop_counts: bool = True) -> None:
        """Stop at once; the running epoch is repeated at the next start."""
        try:
            kernel.call(self._query.stop)
        except HoldfastError:
            if self.active:
                raise
        if drop_counts:
            kernel.call(lambda: self._sink.forget(self._id))
            kernel.call(lambda: self._epochs.close(self._name))
        if self._live:
            kernel.call(lambda: self._positions.forget(self._name))

    def progress(self) -> Document | None:
        """Spark's report on the last epoch, or None before the first."""

        def last() -> str | None:
            report = self._query.lastProgress()
            return None if report is None else str(report.json())

        report = kernel.call(last)
        return None if report is None else json.loads(report)

    def live_offsets(self) -> tuple[Document, Document]:
        """How far an epoch that goes on has read, and how far the topics go; on a cluster that is not known."""
        read, ends = self._positions.json, self._positions.endsJson
        return _document(lambda: read(self._name)), _document(lambda: ends(self._name))

    def reports(self, after: int) -> list[Document]:
        """Spark's reports on the epochs that ran after the given one."""
        found: list[Document] = json.loads(kernel.call(lambda: str(self._reports.after(self._query, after))))
        return found

    def measured(self) -> Document:
        """What the sink has counted and measured since the start, and the bytes in the row caches of this process."""
        found = _document(lambda: self._sink.measured(self._id))
        return {**found, "cached": int(kernel.call(self._state_metrics.cachedBytes))}

    def counted(self, kind: str) -> dict[str, int]:
        """How many records of each node were "late" or "skipped", or the "nanoseconds" of Python, since the start."""
        return _numbers(lambda: self._sink.counted(self._id, kind))

    def reasons(self) -> dict[str, int]:
        """Dead letters per reason since the start."""
        return _numbers(lambda: self._sink.reasons(self._id))

    def sent(self) -> dict[str, int]:
        """Records written per topic since the start."""
        return _numbers(lambda: self._sink.counters(self._id))


def _numbers(ask: Callable[[], JavaValue]) -> dict[str, int]:
    """A map of the JVM's, fetched whole: the JVM may end between two looks at it."""

    def fetched() -> dict[str, int]:
        found = ask()
        return {str(name): int(found[name]) for name in found}

    return kernel.call(fetched)


def _document(ask: Callable[[], JavaValue]) -> Document:
    """An object that the JVM writes as JSON."""
    found: Document = json.loads(kernel.call(lambda: str(ask())))
    return found
