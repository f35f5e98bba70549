"""Topics that an app is far behind: how much of the way it has gone, and how long the rest will take."""

from __future__ import annotations

from dataclasses import dataclass

from holdfast.cli.rates import Rates
from holdfast.runtime.progress import Progress

_BEGIN_SECONDS = 3.0
_BEGIN_RECORDS = 1000
_END_SECONDS = 1.0


@dataclass(frozen=True)
class TopicRow:
    """A topic as the live display shows it; `share` and `seconds` are only there while the app catches up."""

    name: str
    rate: float
    lag: int
    share: float | None = None
    seconds: float | None = None


class CatchingUp:
    """Remembers where it began to be behind, topic by topic."""

    def __init__(self, rates: Rates) -> None:
        self._rates = rates
        self._began: dict[str, int] = {}

    def rows(self, progress: Progress) -> list[TopicRow]:
        """The topics in the order of the program."""
        read, arriving = self._rates.per_topic(), self._rates.arriving()
        return [
            self._row(
                name, read.get(name, 0.0), arriving.get(name, 0.0), topic["offset"] - topic["records"], topic["lag"]
            )
            for name, topic in progress["topics"].items()
        ]

    def _row(self, name: str, rate: float, arriving: float, start: int, lag: int) -> TopicRow:
        if name not in self._began and lag > max(_BEGIN_RECORDS, rate * _BEGIN_SECONDS):
            self._began[name] = start
        elif lag <= rate * _END_SECONDS:
            self._began.pop(name, None)
        if name not in self._began:
            return TopicRow(name, rate, lag)
        gone = max(0, start - self._began[name])
        gains = rate - arriving
        return TopicRow(name, rate, lag, gone / max(1, gone + lag), lag / gains if gains > 0 else None)
