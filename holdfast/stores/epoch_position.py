"""Where an app was at the end of an epoch: which timeline it counts in, and how far it had read its topics."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache

import orjson

from holdfast.documents import Document
from holdfast.stores.changelog import Partition

_DIGITS = 12
_MOST_TIMELINES = 16


@dataclass(frozen=True)
class EpochPosition:
    """The end of an epoch.

    A timeline is what epochs are counted in: an app that begins again from nothing begins another one, from 0 on. An
    app of an older version does not say which it is.
    """

    epoch: int
    timeline: str | None = None
    read: Mapping[Partition, int] = field(default_factory=dict)

    @classmethod
    def of(cls, document: Document) -> EpochPosition:
        """What the record of an epoch says."""
        query, read = document.get("query"), document.get("read", {})
        offsets = {Partition(topic, int(n)): int(end) for topic, ends in read.items() for n, end in ends.items()}
        return cls(int(document["epoch"]), timeline_of(query) if query else None, offsets)

    def packed(self) -> bytes:
        """As a replica has it."""
        read: dict[str, dict[str, int]] = {}
        for partition, end in self.read.items():
            read.setdefault(partition.topic, {})[str(partition.number)] = end
        return orjson.dumps({"epoch": self.epoch, "query": self.timeline, "read": read})

    def follows(self, before: EpochPosition | None) -> bool:
        """Whether an epoch may be of the same timeline as one before it."""
        return before is None or before.timeline in (None, self.timeline)


def shown_epoch(position: EpochPosition | None) -> int | None:
    """The epoch that readers see; None between two, and before the first."""
    return None if position is None or position.epoch < 0 else position.epoch


@lru_cache(maxsize=8)
def unpack(packed: bytes) -> EpochPosition:
    """A position of a replica."""
    return EpochPosition.of(orjson.loads(packed))


def timeline_of(query: str) -> str:
    """The timeline of a query, which goes with its checkpoint.

    >>> timeline_of("9d3c2a8e-51b7-4f0e-8c55-0d3a2f6b7c11")
    '9d3c2a8e51b7'
    """
    return query.replace("-", "")[:_DIGITS]


def with_timeline(known: bytes | None, timeline: str | None) -> bytes | None:
    """The timelines that were seen, the newest last."""
    if timeline is None:
        return known
    seen = [each for each in timelines(known) if each != timeline]
    return orjson.dumps([*seen, timeline][-_MOST_TIMELINES:])


def timelines(known: bytes | None) -> list[str]:
    """The timelines of a replica's record."""
    found: list[str] = orjson.loads(known) if known else []
    return found
