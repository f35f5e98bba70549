"""What a running app measures: Spark's reports added up over all epochs, with what the kernel counts."""

from __future__ import annotations

import logging
import threading
import time
from collections import Counter, deque
from collections.abc import Iterator, Mapping
from pathlib import Path

from prometheus_client import Histogram

from holdfast.documents import Document
from holdfast.errors import HoldfastError
from holdfast.runtime.checkpoint import Offsets, first_offsets
from holdfast.runtime.progress import TopicProgress, summary
from holdfast.runtime.query import Query
from holdfast.topics.histograms import SECONDS, plain
from holdfast.topics.own_topics import dead_letter_topic

_EVERY = 1.0
_REASONS = 50
_RECENT = 50

log = logging.getLogger("holdfast.runtime")


class Totals:
    """Totals over all epochs: Spark has its last reports only."""

    def __init__(self, app: str) -> None:
        self._app = app
        self.epoch = -1
        self.epochs = 0
        self.records: Counter[str] = Counter()
        self.phases: Counter[str] = Counter()
        self.seconds = Histogram("holdfast_epoch_seconds", "how long an epoch takes", buckets=SECONDS, registry=None)
        self.topics: Mapping[str, TopicProgress] = {}
        self.state: Mapping[str, Mapping[str, int]] = {}
        self.recent: deque[Document] = deque(maxlen=_RECENT)

    def add(self, report: Document, began: Offsets) -> None:
        """Take one epoch's report into account; each comes once."""
        found = summary(self._app, report, {}, began)
        self.epoch = max(self.epoch, report["batchId"])
        self.epochs += 1
        self.topics = found["topics"]
        for topic, seen in self.topics.items():
            self.records[topic] += seen["records"]
        for phase, millis in report["durationMs"].items():
            self.phases[phase] += millis
        self.seconds.observe(report["durationMs"].get("triggerExecution", report["batchDuration"]) / 1000)
        self.state = dict(_stages(report.get("stateOperators", []), self.state))
        self.recent.append(_epoch(report, found["records"]))


class Meter:
    """Looks at a running app once a second, in a thread of its own.

    It also notices that nothing moves: an epoch takes longer than `stalled_after` seconds, or the JVM does not answer.
    """

    def __init__(self, app: str, query: Query, checkpoint: Path, stalled_after: float) -> None:
        self._app = app
        self._query = query
        self._checkpoint = checkpoint
        self._stalled_after = stalled_after
        self._totals = Totals(app)
        self._began: Offsets = {}
        self._kernel: Document = {}
        self._epoch: int | None = None
        self._active = True
        self._moved = time.monotonic()
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="holdfast-meter", daemon=True)

    def start(self) -> Meter:
        """Begin to look."""
        self._thread.start()
        return self

    def stop(self) -> None:
        """Look no more."""
        self._stop.set()
        self._thread.join()

    @property
    def epoch(self) -> int:
        """The last epoch that was seen to end, -1 before the first."""
        return self._totals.epoch

    def epochs_after(self, epoch: int) -> list[Document]:
        """The last epochs behind one, each with its begin, its time, its records and its phases."""
        return [each for each in self._totals.recent if each["epoch"] > epoch]

    def problem(self) -> str | None:
        """Why the app does not move, or None."""
        if not self._active:
            return "the app has ended"
        still = time.monotonic() - self._moved
        return f"the app has made no progress for {still:.0f} s" if still > self._stalled_after else None

    def document(self) -> Document:
        """Everything that is measured, as plain values."""
        totals, kernel = self._totals, self._kernel
        counters = kernel.get("counters", {})
        return {
            "up": self.problem() is None,
            "epoch": totals.epoch,
            "epochs": totals.epochs,
            "still": time.monotonic() - self._moved,
            "records": dict(totals.records),
            "rate": {topic: seen["rate"] for topic, seen in totals.topics.items()},
            "lag": {topic: seen["lag"] for topic, seen in totals.topics.items()},
            "seconds": plain(totals.seconds),
            "phases": {phase: millis / 1000 for phase, millis in totals.phases.items()},
            "state": totals.state,
            "cached": kernel.get("cached", 0),
            "written": kernel.get("written", {}),
            "dead": _most(kernel.get("reasons", {})),
            "dead_total": kernel.get("written", {}).get(dead_letter_topic(self._app), 0),
            "late": counters.get("late", {}),
            "skipped": counters.get("skipped", {}),
            "foreign": counters.get("foreign", {}),
            "time": {stage: millis / 1000 for stage, millis in counters.get("time", {}).items()},
            "python": {part: count / 1e9 for part, count in counters.get("nanoseconds", {}).items()},
            "latency": kernel.get("latency", {}),
            "taken": counters.get("taken", {}),
            "by_input": counters.get("by_input", {}),
            "busy": {node: count / 1e9 for node, count in counters.get("busy", {}).items()},
            "source_time": {node: millis / 1000 for node, millis in counters.get("source_time", {}).items()},
        }

    def _run(self) -> None:
        while not self._stop.is_set():
            try:
                self.look()
            except HoldfastError as problem:
                # Whoever waits for the app learns of its end.
                log.debug("cannot look at the app: %s", problem)
            self._stop.wait(_EVERY)

    def look(self) -> None:
        """Ask the JVM once."""
        self._active = self._query.active
        self._began = self._began or first_offsets(self._checkpoint)
        for report in self._query.reports(self._totals.epoch):
            self._totals.add(report, self._began)
        self._kernel = self._query.measured()
        if self._active and (not self._query.busy or self._totals.epoch != self._epoch):
            self._moved = time.monotonic()
        self._epoch = self._totals.epoch


def _epoch(report: Document, records: int) -> Document:
    """One epoch, short: times in milliseconds."""
    phases = report["durationMs"]
    millis = phases.get("triggerExecution", report["batchDuration"])
    parts = {phase: spent for phase, spent in phases.items() if phase != "triggerExecution"}
    head = {"epoch": report["batchId"], "at": report.get("timestamp"), "ms": millis, "records": records}
    return {**head, "phases": parts}


def _most(reasons: Mapping[str, int]) -> Mapping[str, int]:
    """The most frequent ones; the rest is one: every label is a series that somebody must keep."""
    ordered = sorted(reasons.items(), key=lambda each: -each[1])
    rest = sum(count for _, count in ordered[_REASONS:])
    return {**dict(ordered[:_REASONS]), **({"other": rest} if rest else {})}


def _stages(
    operators: list[Document], before: Mapping[str, Mapping[str, int]]
) -> Iterator[tuple[str, Mapping[str, int]]]:
    """Spark reports the last stage first, and of an epoch that wrote no file of state no size of the files."""
    for stage, operator in enumerate(reversed(operators)):
        custom = operator.get("customMetrics", {})
        memory, disk = int(operator.get("memoryUsedBytes", 0)), int(custom.get("rocksdbSstFileSize", 0))
        yield str(stage), {"memory": memory, "disk": disk or before.get(str(stage), {}).get("disk", 0)}
