"""How far a replica is in reading what was there when it started, and how long the rest will take."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass

_SAMPLES = 15


@dataclass(frozen=True)
class Restoring:
    """Records that have been read, how many there were, and how many are read in a second."""

    records: int
    of: int
    rate: float

    @property
    def seconds(self) -> float | None:
        """How long the rest will take at this rate; None while that is not known."""
        return (self.of - self.records) / self.rate if self.rate > 0 else None

    def __str__(self) -> str:
        said = f"{self.records:,} of {self.of:,} records have been read ({self.records * 100 // max(1, self.of)} %)"
        if self.seconds is None:
            return said
        return f"{said}, {self.rate:,.0f} in a second; the rest takes about {self.seconds:,.0f} s"


def together(parts: Iterable[Restoring | None]) -> Restoring | None:
    """Several replicas that are restored at the same time, as one."""
    found = [each for each in parts if each is not None]
    if not found:
        return None
    return Restoring(sum(p.records for p in found), sum(p.of for p in found), sum(p.rate for p in found))


class RestoreMeter:
    """Looks now and then how far it is."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._samples: deque[tuple[float, int]] = deque(maxlen=_SAMPLES)
        self._of = 0

    def look(self, records: int, of: int) -> None:
        """So many of so many records have been read."""
        if self._samples and records < self._samples[-1][1]:
            self._samples.clear()  # it was begun again
        self._of = of
        self._samples.append((self._clock(), records))

    @property
    def now(self) -> Restoring | None:
        """How far it is; None when all is read."""
        samples = list(self._samples)
        if not samples or samples[-1][1] >= self._of:
            return None
        (began, first), (ended, last) = samples[0], samples[-1]
        return Restoring(last, self._of, (last - first) / (ended - began) if ended > began else 0.0)
