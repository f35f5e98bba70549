"""Changes of the changelogs, buffered until their epoch is whole, so that readers see one snapshot of all stores."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from holdfast.stores.changelog import Partition
from holdfast.stores.epoch_position import EpochPosition
from holdfast.stores.replica import Put
from holdfast.stores.share import EVERYTHING, Share
from holdfast.stores.status import ChangelogEnds

MOST = 500_000
MOST_BYTES = 128 << 20
_MOST_PUBLISHED = 100


@dataclass(frozen=True)
class PublishedEpoch:
    """An epoch that the app has published: whole when every changelog has been read up to the offset it names."""

    epoch: int
    offsets: Mapping[Partition, int]
    position: EpochPosition | None = None
    learned: float = field(default_factory=time.monotonic)

    def covers(self, partition: Partition, offset: int) -> bool:
        """Whether a record belongs to this epoch or an earlier one; in a partition that is not named all do."""
        return offset < self.offsets.get(partition, offset + 1)


class BufferedChange(NamedTuple):
    """A change that has been read and not applied."""

    partition: Partition
    offset: int
    put: Put | None
    epoch: int


@dataclass
class ChangeBatch:
    """Changes to be applied together, and how far they bring each partition."""

    puts: list[Put] = field(default_factory=list)
    moved: dict[Partition, int] = field(default_factory=dict)
    epochs: dict[str, int] = field(default_factory=dict)


class EpochBuffer:
    """Changes in the order in which they came, and the epochs that the app has published."""

    def __init__(self, share: Share = EVERYTHING) -> None:
        self._share = share
        self._published: list[PublishedEpoch] = []
        self._changes: list[BufferedChange] = []
        self._read: dict[Partition, int] = {}
        # How far partitions were applied without an epoch to end at.
        self._beyond: dict[Partition, int] = {}
        self._busy: set[Partition] = set()
        self._bytes = 0

    @property
    def newest(self) -> PublishedEpoch | None:
        """The last epoch that the app has published."""
        return self._published[-1] if self._published else None

    def short_of_newest(self, ends: Mapping[Partition, int]) -> list[Partition]:
        """The partitions that do not reach as far as the last epoch says."""
        offsets = self.newest.offsets if self.newest else {}
        return [p for p, end in ends.items() if offsets.get(p, 0) > end]

    @property
    def too_many(self) -> bool:
        """Whether more is buffered than memory should hold."""
        return len(self._changes) > MOST or self._bytes > MOST_BYTES

    def publish(self, epoch: PublishedEpoch) -> None:
        """The app has published an epoch."""
        self._published = [*self._published[-_MOST_PUBLISHED:], epoch]

    def add(self, change: BufferedChange) -> None:
        """A change has been read."""
        self._changes.append(change)
        self._busy.add(change.partition)
        self._read[change.partition] = change.offset + 1
        self._bytes += _size(change)

    def reach(self, partition: Partition, end: int) -> None:
        """A partition has been read to its end."""
        self._read[partition] = max(end, self._read.get(partition, 0))

    def position(self, partition: Partition) -> int:
        """How far a partition has been read, whether that is applied or not."""
        return self._read.get(partition, 0)

    def forget(self, topic: str) -> None:
        """A topic is read again from its beginning."""
        self._keep([each for each in self._changes if each.partition.topic != topic])
        self._read = {p: at for p, at in self._read.items() if p.topic != topic}
        self._beyond = {p: at for p, at in self._beyond.items() if p.topic != topic}

    def _keep(self, changes: list[BufferedChange]) -> None:
        self._changes, self._busy = changes, {each.partition for each in changes}
        self._bytes = sum(map(_size, changes))

    def whole(
        self,
        followed: Iterable[str],
        applied: Mapping[Partition, int],
        ends: ChangelogEnds,
        after: PublishedEpoch | None = None,
    ) -> PublishedEpoch | None:
        """The latest epoch of which everything has been read, or the first one after another; forget those before."""
        topics, found = set(followed), range(len(self._published) - 1, -1, -1)
        if after is not None:
            known = next((i for i, each in enumerate(self._published) if each is after), None)
            found = range(0) if known is None else range(known + 1, len(self._published))
        for i in found:
            epoch = self._published[i]
            offsets = {p: end for p, end in epoch.offsets.items() if p.topic in topics and self._share.has(p.number)}
            if all(self._is_at(p, _reachable(p, end, epoch, ends), applied) for p, end in offsets.items()):
                self._published = self._published[i:]  # it stays: a store that is rebuilt needs it again
                return epoch
        return None

    def _is_at(self, partition: Partition, end: int, applied: Mapping[Partition, int]) -> bool:
        read = max(self._read.get(partition, 0), applied.get(partition, 0))
        return self._beyond.get(partition, 0) <= end <= read

    def quiet(self) -> ChangeBatch:
        """How far the partitions are of which nothing is buffered."""
        return ChangeBatch(moved={p: at for p, at in self._read.items() if p not in self._busy})

    def take(self, epoch: PublishedEpoch | None) -> ChangeBatch:
        """The changes of an epoch and those before it, or all of them; they are buffered no longer."""
        batch, left = ChangeBatch(), list[BufferedChange]()
        for each in self._changes:
            if epoch is not None and not epoch.covers(each.partition, each.offset):
                left.append(each)
                continue
            if each.put is not None:
                batch.puts.append(each.put)
            if epoch is None:
                self._beyond[each.partition] = each.offset + 1
            topic = each.partition.topic
            batch.epochs[topic] = max(batch.epochs.get(topic, 0), each.epoch)
        first: dict[Partition, int] = {}
        for each in left:
            first.setdefault(each.partition, each.offset)
        batch.moved = {p: first.get(p, at) for p, at in self._read.items()}
        self._keep(left)
        return batch


def _reachable(partition: Partition, end: int, epoch: PublishedEpoch, ends: ChangelogEnds) -> int:
    """The offset to reach; a topic that was made anew may have fewer records than the epoch says."""
    if ends.at <= epoch.learned:
        return end
    return min(end, ends.written.get(partition, end))


def _size(change: BufferedChange) -> int:
    return 0 if change.put is None else len(change.put.key) + len(change.put.value or b"")
