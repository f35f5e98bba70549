"""Whether the process that writes a replica still does, as its readers see it."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping

from holdfast.stores.catalog import Catalog
from holdfast.stores.changelog import Partition
from holdfast.stores.snapshot import Snapshot
from holdfast.stores.status import ChangelogEnds

LIMIT = 120.0  # a large epoch is read and written in one piece


class WriterWatch:
    """For how long a replica has been behind the last epoch and has not changed, while the broker answered."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._looked: float | None = None
        self._seen: Mapping[Partition, int] = {}
        self._seconds = 0.0

    @property
    def problem(self) -> str | None:
        """What to say if that is too long."""
        if self._seconds <= LIMIT:
            return None
        return f"the process that writes it has written nothing for {self._seconds:.0f} s, and there is more to read"

    def begin(self) -> None:
        """The broker answers again: the time in which it did not is not counted."""
        self._looked = None

    def reset(self) -> None:
        """This process is the writer."""
        self._looked, self._seconds = None, 0.0

    def look(self, catalog: Catalog, snapshot: Snapshot, ends: ChangelogEnds) -> None:
        """Check whether the replica has changed, or has all that there is."""
        now, before = self._clock(), self._looked
        self._looked = now
        epoch_ends = _epoch_ends(catalog, ends)
        positions = {p: _position(snapshot, catalog, p) for p in epoch_ends}
        if positions != self._seen or all(positions[p] >= end for p, end in epoch_ends.items()):
            self._seen, self._seconds = positions, 0.0
        elif before is not None:
            self._seconds += now - before


def _epoch_ends(catalog: Catalog, ends: ChangelogEnds) -> dict[Partition, int]:
    """How far the last epoch reaches; of a topic that is gone or was made anew there may be less."""
    return {p: min(end, ends.last.get(p, 0)) for p, end in (catalog.epoch_offsets or {}).items()}


def _position(snapshot: Snapshot, catalog: Catalog, partition: Partition) -> int:
    store = next((each.name for each in catalog.stores.values() if each.changelog == partition.topic), None)
    progress = None if store is None else snapshot.progress(store)
    return 0 if progress is None else progress.offsets.get(partition.number, 0)
