"""A copy that another process writes, and does not write any more though there is more to read."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping

from holdfast.stores.catalog import Catalog
from holdfast.stores.changelog import Partition
from holdfast.stores.snapshot import Snapshot
from holdfast.stores.status import Ends

LIMIT = 120.0  # a large epoch is read and written in one piece


class Frozen:
    """For how long a copy has been behind the last epoch without a change, while the broker answered."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._looked: float | None = None
        self._seen: Mapping[Partition, int] = {}
        self._seconds = 0.0

    @property
    def problem(self) -> str | None:
        """What to say of it, if it has been for too long."""
        if self._seconds <= LIMIT:
            return None
        return f"the process that writes it has written nothing for {self._seconds:.0f} s, and there is more to read"

    def begin(self) -> None:
        """The broker answers again; how long it did not does not count."""
        self._looked = None

    def reset(self) -> None:
        """The copy is written here."""
        self._looked, self._seconds = None, 0.0

    def look(self, catalog: Catalog, snapshot: Snapshot, ends: Ends) -> None:
        """See whether it has changed, or needs not."""
        now, before = self._clock(), self._looked
        self._looked = now
        wanted = _wanted(catalog, ends)
        there = {p: _position(snapshot, catalog, p) for p in wanted}
        if there != self._seen or all(there[p] >= end for p, end in wanted.items()):
            self._seen, self._seconds = there, 0.0
        elif before is not None:
            self._seconds += now - before


def _wanted(catalog: Catalog, ends: Ends) -> dict[Partition, int]:
    """How far the last epoch reaches; of a topic that is gone or was made anew there may be less."""
    return {p: min(end, ends.last.get(p, 0)) for p, end in (catalog.epoch_offsets or {}).items()}


def _position(snapshot: Snapshot, catalog: Catalog, partition: Partition) -> int:
    store = next((each.name for each in catalog.stores.values() if each.changelog == partition.topic), None)
    progress = None if store is None else snapshot.progress(store)
    return 0 if progress is None else progress.offsets.get(partition.number, 0)
