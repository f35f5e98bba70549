"""What has been read of the changelogs and waits until its epoch is whole, so that readers see one cut through all."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from holdfast.stores.changelog import Partition
from holdfast.stores.replica import Put
from holdfast.stores.status import Ends

MOST = 500_000
MOST_BYTES = 128 << 20
_TARGETS = 100


@dataclass(frozen=True)
class Target:
    """An epoch that the app has published: whole when every changelog has been read up to the offset it names."""

    epoch: int
    offsets: Mapping[Partition, int]
    learned: float = field(default_factory=time.monotonic)

    def covers(self, partition: Partition, offset: int) -> bool:
        """Whether a record belongs to this epoch or an earlier one; in a partition that is not named all do."""
        return offset < self.offsets.get(partition, offset + 1)


class Waiting(NamedTuple):
    """A change that has been read and not applied."""

    partition: Partition
    offset: int
    put: Put | None
    epoch: int


@dataclass
class Taken:
    """What may be applied: changes, and how far that brings each partition."""

    puts: list[Put] = field(default_factory=list)
    moved: dict[Partition, int] = field(default_factory=dict)
    epochs: dict[str, int] = field(default_factory=dict)


class Cuts:
    """Changes in the order they came, and the epochs they belong to."""

    def __init__(self) -> None:
        self._targets: list[Target] = []
        self._waiting: list[Waiting] = []
        self._read: dict[Partition, int] = {}
        # How far partitions were applied without an epoch to end at.
        self._beyond: dict[Partition, int] = {}
        self._busy: set[Partition] = set()
        self._bytes = 0

    @property
    def newest(self) -> Target | None:
        """The last epoch that the app has published."""
        return self._targets[-1] if self._targets else None

    def short_of_newest(self, ends: Mapping[Partition, int]) -> list[Partition]:
        """The partitions that do not reach as far as the last epoch says."""
        offsets = self.newest.offsets if self.newest else {}
        return [p for p, end in ends.items() if offsets.get(p, 0) > end]

    @property
    def too_many(self) -> bool:
        """Whether more waits than should be kept in memory."""
        return len(self._waiting) > MOST or self._bytes > MOST_BYTES

    def publish(self, target: Target) -> None:
        """The app has published an epoch."""
        self._targets = [*self._targets[-_TARGETS:], target]

    def add(self, change: Waiting) -> None:
        """A change has been read."""
        self._waiting.append(change)
        self._busy.add(change.partition)
        self._read[change.partition] = change.offset + 1
        self._bytes += _size(change)

    def reach(self, partition: Partition, end: int) -> None:
        """A partition has been read to its end."""
        self._read[partition] = max(end, self._read.get(partition, 0))

    def forget(self, topic: str) -> None:
        """A topic is read again from its beginning."""
        self._keep([each for each in self._waiting if each.partition.topic != topic])
        self._read = {p: at for p, at in self._read.items() if p.topic != topic}
        self._beyond = {p: at for p, at in self._beyond.items() if p.topic != topic}

    def _keep(self, waiting: list[Waiting]) -> None:
        self._waiting, self._busy = waiting, {each.partition for each in waiting}
        self._bytes = sum(map(_size, waiting))

    def whole(self, followed: Iterable[str], applied: Mapping[Partition, int], ends: Ends) -> Target | None:
        """The latest epoch of which everything has been read, and forget those before it."""
        topics = set(followed)
        for i in range(len(self._targets) - 1, -1, -1):
            target = self._targets[i]
            wanted = {p: end for p, end in target.offsets.items() if p.topic in topics}
            if all(self._is_at(p, _there(p, end, target, ends), applied) for p, end in wanted.items()):
                self._targets = self._targets[i:]  # it stays: a copy that is built anew wants it again
                return target
        return None

    def _is_at(self, partition: Partition, end: int, applied: Mapping[Partition, int]) -> bool:
        read = max(self._read.get(partition, 0), applied.get(partition, 0))
        return self._beyond.get(partition, 0) <= end <= read

    def quiet(self) -> Taken:
        """How far the partitions are of which nothing waits."""
        return Taken(moved={p: at for p, at in self._read.items() if p not in self._busy})

    def take(self, target: Target | None) -> Taken:
        """Give what belongs to an epoch and those before it, or everything."""
        taken, left = Taken(), list[Waiting]()
        for each in self._waiting:
            if target is not None and not target.covers(each.partition, each.offset):
                left.append(each)
                continue
            if each.put is not None:
                taken.puts.append(each.put)
            if target is None:
                self._beyond[each.partition] = each.offset + 1
            topic = each.partition.topic
            taken.epochs[topic] = max(taken.epochs.get(topic, 0), each.epoch)
        first: dict[Partition, int] = {}
        for each in left:
            first.setdefault(each.partition, each.offset)
        taken.moved = {p: first.get(p, at) for p, at in self._read.items()}
        self._keep(left)
        return taken


def _there(partition: Partition, end: int, target: Target, ends: Ends) -> int:
    """The offset to reach; of a topic that was made anew there may be less than the epoch says."""
    if ends.at <= target.learned:
        return end
    return min(end, ends.written.get(partition, end))


def _size(change: Waiting) -> int:
    return 0 if change.put is None else len(change.put.key) + len(change.put.value or b"")
