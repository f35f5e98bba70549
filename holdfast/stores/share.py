"""Which partitions of the changelogs a replica follows: all of them, or those of one share."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Share:
    """One of several shares of the partitions: every partition is in one of them.

    >>> [number for number in range(6) if Share(1, 3).has(number)]
    [1, 4]
    """

    number: int
    of: int

    def has(self, partition: int) -> bool:
        """Whether a partition belongs to it."""
        return partition % self.of == self.number

    @property
    def is_everything(self) -> bool:
        """Whether there is nothing but this share."""
        return self.of == 1 and self.number == 0


EVERYTHING = Share(0, 1)
NOTHING = Share(-1, 1)
