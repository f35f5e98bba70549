"""What somebody has seen and written, as text: a read with it is no older than the one and shows the other."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from holdfast.stores.changelog import Partition
from holdfast.stores.epoch_position import EpochPosition

HEADER = "Holdfast-Session"
_MOST_WRITES = 1000
_TOKEN = re.compile(
    r"(?:(?P<timeline>[0-9a-f]{1,32})\.(?P<epoch>[0-9]{1,18}))?"
    r"(?P<writes>(?:~[A-Za-z0-9._-]{1,249}:[0-9]{1,9}:[0-9]{1,18})*)"
)


@dataclass(frozen=True)
class SessionToken:
    """The epoch that was seen last, of which timeline, and the last record that was written to each partition.

    >>> SessionToken.read("9d3c2a8e51b7.118~clicks:0:41").epoch
    118
    """

    timeline: str | None = None
    epoch: int = -1
    writes: Mapping[Partition, int] = field(default_factory=dict)

    @classmethod
    def read(cls, text: str) -> SessionToken:
        """A token from its text; ValueError if it is none."""
        found = _TOKEN.fullmatch(text)
        if found is None:
            raise ValueError(f"{text[:80]!r} is no session token")
        writes = [each.split(":") for each in found["writes"].split("~")[1:]]
        if len(writes) > _MOST_WRITES:
            raise ValueError(f"a session token names at most {_MOST_WRITES} partitions")
        token = cls(found["timeline"], int(found["epoch"] or -1))
        return token.with_writes((Partition(topic, int(number)), int(at)) for topic, number, at in writes)

    def with_writes(self, writes: Iterable[tuple[Partition, int]]) -> SessionToken:
        """The same and records that were written: partitions and offsets."""
        known = dict(self.writes)
        for partition, offset in writes:
            known[partition] = max(offset, known.get(partition, -1))
        return replace(self, writes=known)

    def without_writes(self, shown: Mapping[Partition, int]) -> SessionToken:
        """The same without records whose effect has been read."""
        left = {p: at for p, at in self.writes.items() if at > shown.get(p, -1)}
        return replace(self, writes=left)

    def later(self, other: SessionToken) -> SessionToken:
        """What both have seen and written; of two timelines that of the other."""
        if other.timeline is None or (self.timeline == other.timeline and self.epoch > other.epoch):
            other = replace(other, timeline=self.timeline, epoch=self.epoch)
        return other.with_writes(self.writes.items())

    def is_shown_by(self, position: EpochPosition) -> bool:
        """Whether an epoch of a timeline that is ours has everything of it."""
        if self.timeline is not None and (position.timeline != self.timeline or position.epoch < self.epoch):
            return False
        return all(position.read.get(partition, 0) > offset for partition, offset in self.writes.items())

    def __bool__(self) -> bool:
        return self.timeline is not None or bool(self.writes)

    def __str__(self) -> str:
        seen = "" if self.timeline is None else f"{self.timeline}.{self.epoch}"
        return seen + "".join(f"~{p.topic}:{p.number}:{at}" for p, at in sorted(self.writes.items()))


def token_of(position: EpochPosition | None) -> str | None:
    """The token of who has read at a position."""
    if position is None or position.timeline is None or position.epoch < 0:
        return None
    return f"{position.timeline}.{position.epoch}"
