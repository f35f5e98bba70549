"""How far a replica is: lag, readiness and the reasons against it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from holdfast.stores.catalog import Catalog
from holdfast.stores.changelog import Partition
from holdfast.stores.restore_meter import Restoring
from holdfast.stores.snapshot import Progress, Snapshot


@dataclass(frozen=True)
class ChangelogEnds:
    """The ends of the changelogs: as first seen, which a replica must reach to be ready, and as last seen.

    `written` is the end of what is written, which may not be committed yet: a partition learns a moment later than the
    app that a transaction was.
    """

    first: Mapping[Partition, int] = field(default_factory=dict)
    last: Mapping[Partition, int] = field(default_factory=dict)
    absent: frozenset[str] = frozenset()
    at: float = 0.0
    written: Mapping[Partition, int] = field(default_factory=dict)

    def seen(
        self, ends: Mapping[Partition, int], absent: frozenset[str], at: float, written: Mapping[Partition, int]
    ) -> ChangelogEnds:
        """The ends after another look, which began at the given time."""
        return ChangelogEnds({**ends, **self.first}, dict(ends), absent, at, dict(written))

    def forgetting(self, topic: str) -> ChangelogEnds:
        """Without a topic that is read from its beginning again: its end counts from now on."""
        first, last, written = (_without(ends, topic) for ends in (self.first, self.last, self.written))
        return ChangelogEnds(first, last, self.absent, self.at, written)


@dataclass(frozen=True)
class Status:
    """What a server can say of its replica."""

    ready: bool
    reasons: tuple[str, ...]
    role: str
    lag: Mapping[str, int | None]
    epoch: int | None
    running_epoch: int
    problem: str | None = None
    skipped: int = 0
    skipped_by_topic: Mapping[str, int] = field(default_factory=dict)
    restoring: Restoring | None = None


def lag(topic: str, progress: Progress | None, ends: ChangelogEnds) -> int | None:
    """Records still to be read of a store's changelog; None while that is unknown."""
    last = {p: end for p, end in ends.last.items() if p.topic == topic}
    if not last:
        return None
    return sum(max(0, end - _position(progress, p)) for p, end in last.items())


def reasons(catalog: Catalog, snapshot: Snapshot, ends: ChangelogEnds, caught_up: bool) -> tuple[str, ...]:
    """Why the replica is not ready; nothing means it is."""
    if catalog.topology is None:
        return (f"no program has published {catalog.topic} yet; start it with `holdfast run`",)
    found = [] if caught_up else [f"{catalog.topic} is still being read"]
    for store in catalog.stores.values():
        if why := _missing(store.changelog, snapshot.progress(store.name), ends, catalog.epoch_offsets):
            found.append(f"store {store.name}: {why}")
    return tuple(found)


def _missing(
    topic: str, progress: Progress | None, ends: ChangelogEnds, published: Mapping[Partition, int] | None
) -> str | None:
    if topic in ends.absent:
        return f"changelog {topic} does not exist"
    # What belongs to an epoch that the app has not ended yet is not to be seen.
    limits = {} if published is None else published
    unnamed = 0 if published is None else None
    wanted = {p: _least(end, limits.get(p, unnamed)) for p, end in ends.first.items() if p.topic == topic}
    if progress is None or not wanted:
        return f"changelog {topic} is not yet read"
    missing = sum(max(0, end - _position(progress, p)) for p, end in wanted.items())
    return f"{missing} records of changelog {topic} to go" if missing else None


def _least(end: int, limit: int | None) -> int:
    return end if limit is None else min(end, limit)


def _position(progress: Progress | None, partition: Partition) -> int:
    return 0 if progress is None else progress.offsets.get(partition.number, 0)


def _without(ends: Mapping[Partition, int], topic: str) -> dict[Partition, int]:
    return {p: end for p, end in ends.items() if p.topic != topic}
