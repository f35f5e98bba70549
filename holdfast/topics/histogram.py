"""A histogram with fixed bounds: what Prometheus wants to hear of times."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from typing import Any

SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0)


class Histogram:
    """Counts values by upper bounds; one more bucket has the rest.

    >>> taken = Histogram((1.0, 5.0))
    >>> taken.add(0.5), taken.add(7.0)
    (None, None)
    >>> taken.document()
    {'bounds': [1.0, 5.0], 'counts': [1, 0, 1], 'sum': 7.5}
    """

    def __init__(self, bounds: Sequence[float] = SECONDS) -> None:
        self._bounds = list(bounds)
        self._counts = [0] * (len(self._bounds) + 1)
        self._sum = 0.0

    def add(self, value: float) -> None:
        """Count a value."""
        self._counts[bisect_left(self._bounds, value)] += 1
        self._sum += value

    def document(self) -> Mapping[str, Any]:
        """Bounds, the number of values in each bucket, and their sum."""
        return {"bounds": list(self._bounds), "counts": list(self._counts), "sum": self._sum}
