"""What two records of an app's telemetry differ by: rates, shares of time, quantiles."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import accumulate

from holdfast.documents import Document

Numbers = Mapping[str, float]


@dataclass(frozen=True)
class Difference:
    """Two records of one run and the seconds between them."""

    before: Document
    after: Document

    @property
    def seconds(self) -> float:
        """How long it was from one to the other."""
        return max(float(self.after["at"] - self.before["at"]) / 1000, 0.001)

    def rates(self, field: str) -> dict[str, float]:
        """By how much each counter grew in a second."""
        before, after = numbers(self.before, field), numbers(self.after, field)
        return {name: max(0.0, count - before.get(name, 0)) / self.seconds for name, count in after.items()}

    def quantiles(self, field: str, *wanted: float) -> list[float] | None:
        """Quantiles of what was added to all histograms of a field; None if nothing was."""
        counts: list[float] = []
        bounds: list[float] = []
        for name, histogram in (self.after.get(field) or {}).items():
            before = (self.before.get(field) or {}).get(name, {}).get("counts") or [0] * len(histogram["counts"])
            more = [max(0, a - b) for a, b in zip(histogram["counts"], before, strict=False)]
            bounds = histogram["bounds"]
            counts = [a + b for a, b in zip(counts or [0] * len(more), more, strict=False)]
        return [quantile(bounds, counts, each) for each in wanted] if sum(counts) else None


def numbers(record: Document, field: str) -> Numbers:
    """The numbers of a field by name; nothing if it is of another form."""
    found = record.get(field)
    return {k: v for k, v in found.items() if isinstance(v, int | float)} if isinstance(found, dict) else {}


def quantile(bounds: list[float], counts: list[float], wanted: float) -> float:
    """About where a share of the values lies: linear within a bucket; the last bound for what is beyond it.

    >>> quantile([1.0, 2.0], [10, 10, 0], 0.75)
    1.5
    """
    target = wanted * sum(counts)
    for index, (below, count) in enumerate(zip(accumulate(counts), counts, strict=True)):
        if below >= target and count:
            if index >= len(bounds):
                return bounds[-1]
            low = bounds[index - 1] if index else 0.0
            return low + (bounds[index] - low) * (target - (below - count)) / count
    return float(bounds[-1]) if bounds else 0.0
