"""Figures over time in bounded memory: every second of the last minutes, and fewer points of the hours before."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from holdfast.documents import Document

Values = Mapping[str, float]
MOST_NAMES = 400
RATE, PEAK = "rate/", "peak/"


@dataclass
class Point:
    """What was measured in a step: of rates the mean, of peaks the largest, of all others the last value."""

    at: int
    values: dict[str, float]
    count: int = 1

    def add(self, values: Values) -> None:
        """Take in a later measurement of the same step."""
        self.count += 1
        for name, value in values.items():
            before = self.values.get(name)
            if before is None:
                self.values[name] = value
            elif name.startswith(RATE):
                self.values[name] = before + (value - before) / self.count
            else:
                self.values[name] = max(before, value) if name.startswith(PEAK) else value


@dataclass
class Tier:
    """Points that are `step` milliseconds apart, the last `most` of them."""

    step: int
    most: int
    points: deque[Point] = field(default_factory=deque)

    def add(self, at: int, values: Values) -> None:
        """Add a measurement; one that is older than the last step counts for the last step."""
        begin = at - at % self.step
        if self.points and begin <= self.points[-1].at:
            self.points[-1].add(values)
            return
        self.points.append(Point(begin, dict(values)))
        if len(self.points) > self.most:
            self.points.popleft()


class Series:
    """Measurements with names, kept in tiers from fine to coarse.

    >>> series = Series((1000, 2), (10_000, 100))
    >>> for second in range(20):
    ...     series.add(second * 1000, {"rate/read": second, "peak/epoch": second})
    >>> series.columns(18_000)["series"]
    {'peak/epoch': [18, 19], 'rate/read': [18, 19]}
    >>> series.columns(0)
    {'step': 10000, 't': [0, 10000], 'series': {'peak/epoch': [9, 19], 'rate/read': [4.5, 14.5]}}
    """

    def __init__(self, *tiers: tuple[int, int]) -> None:
        self._tiers = [Tier(step, most) for step, most in tiers]

    def add(self, at: int, values: Values) -> None:
        """Add what was measured at a time, in milliseconds; of too many names the first are taken."""
        few = dict(list(values.items())[:MOST_NAMES]) if len(values) > MOST_NAMES else values
        for tier in self._tiers:
            tier.add(at, few)

    def columns(self, since: int, step: int = 0) -> Document:
        """All points since a time, by name, from the finest tier that reaches back to it and has no smaller `step`."""
        tier = self._tier(since, step)
        points = [point for point in tier.points if point.at >= since - since % tier.step]
        names = sorted({name for point in points for name in point.values})
        columns = {name: _column(points, name) for name in names}
        return {"step": tier.step, "t": [point.at for point in points], "series": columns}

    def _tier(self, since: int, step: int) -> Tier:
        coarse = [tier for tier in self._tiers if tier.step >= step] or self._tiers[-1:]
        return next((tier for tier in coarse if _reaches(tier, since)), coarse[-1])


def _reaches(tier: Tier, since: int) -> bool:
    """Whether nothing behind a time has been dropped."""
    return len(tier.points) < tier.most or tier.points[0].at <= since


def _column(points: Sequence[Point], name: str) -> list[float | None]:
    found = (point.values.get(name) for point in points)
    return [None if value is None else round(value, 3) for value in found]
