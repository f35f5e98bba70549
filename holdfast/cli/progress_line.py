"""The line that shows the progress of a running app where no terminal is: rates, smoothed, and lag."""

from __future__ import annotations

import time
from collections.abc import Callable

from holdfast.cli.rates import Rates
from holdfast.runtime.progress import Progress

_IDLE_AFTER = 2.0


class ProgressLine:
    """Watches the offsets of an app; batches come and go, a rate over some seconds can be read.

    >>> line = ProgressLine()
    >>> line.text({"epoch": None, "topics": {}, "batch_ms": 0, "dead_letters": 0, "late": {}}, busy=False)
    'waiting for records'
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._rates = Rates(clock)

    def text(self, progress: Progress, busy: bool) -> str:
        """One line for people: rate and lag per topic, batch time; dead letters and late records if there are some."""
        self._rates.look(progress)
        if progress["epoch"] is None:
            return "working on the first batch" if busy else "waiting for records"
        rejected = [*_dead_letters(progress), *_late(progress)]
        return "  ".join([f"epoch {progress['epoch']}", *self._work(progress, busy), *rejected])

    def _work(self, progress: Progress, busy: bool) -> list[str]:
        rates = self._rates.per_topic()
        topics = progress["topics"]
        active = [
            _topic(name, rates[name], topics[name]["lag"]) for name in topics if rates[name] or topics[name]["lag"]
        ]
        quiet = self._rates.quiet
        if not topics and quiet < _IDLE_AFTER:
            active = [_topic("DataFrames", progress["rate"], 0)]
        if not active and quiet >= _IDLE_AFTER:
            return ["working" if busy else f"idle for {duration_text(quiet)}"]
        return [*active, f"batch {self._rates.batch_ms:,} ms"]


def _topic(name: str, rate: float, lag: float) -> str:
    return f"{name} {rate_text(rate)}" + (f", {lag:,.0f} behind" if lag else "")


def rate_text(rate: float) -> str:
    """A rate for people.

    >>> [rate_text(rate) for rate in (0, 0.05, 2.5, 12345.6)]
    ['0/s', '<0.1/s', '2.5/s', '12,346/s']
    """
    return (f"{rate:,.0f}" if rate >= 10 or not rate else f"{rate:.1f}" if rate >= 0.1 else "<0.1") + "/s"


def _dead_letters(progress: Progress) -> list[str]:
    count = progress["dead_letters"]
    return [f"{count:,} dead letter{'' if count == 1 else 's'}"] if count else []


def _late(progress: Progress) -> list[str]:
    count = sum(progress["late"].values())
    return [f"{count:,} late"] if count else []


def duration_text(seconds: float) -> str:
    """A time for people, with the largest one or two units.

    >>> [duration_text(seconds) for seconds in (7.9, 130, 7380)]
    ['7 s', '2 min', '2 h 3 min']
    """
    whole = int(seconds)
    if whole < 60:
        return f"{whole} s"
    return f"{whole // 60} min" if whole < 3600 else f"{whole // 3600} h {whole % 3600 // 60} min"
