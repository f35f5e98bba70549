"""Stores that were read as columns, kept for the next query as long as they do not change."""

from __future__ import annotations

import threading
from collections import OrderedDict

import pyarrow as pa

from holdfast.stores.catalog import Store
from holdfast.stores.snapshot import Snapshot

Version = tuple[object, ...]


def version_of(store: Store, snapshot: Snapshot) -> Version | None:
    """What a store's content follows from: its topic, and how far that was read."""
    progress = snapshot.progress(store.name)
    if progress is None:
        return None
    return progress.topic, progress.topic_id, progress.types, tuple(sorted(progress.offsets.items()))


class TableCache:
    """The tables of whole stores, up to a number of bytes; those that were not used for longest go first."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._lock = threading.Lock()
        self._tables: OrderedDict[str, tuple[Version, pa.Table]] = OrderedDict()

    def find(self, store: str, version: Version | None) -> pa.Table | None:
        """The table of a store, if the store has not changed since."""
        with self._lock:
            kept = self._tables.get(store)
            if kept is None or kept[0] != version:
                return None
            self._tables.move_to_end(store)
            return kept[1]

    def keep(self, store: str, version: Version | None, table: pa.Table) -> None:
        """Keep a table in place of an older one, if it is not too large."""
        with self._lock:
            self._tables.pop(store, None)
            if version is None or table.nbytes > self._limit:
                return
            self._tables[store] = version, table
            while self.bytes > self._limit:
                self._tables.popitem(last=False)

    @property
    def bytes(self) -> int:
        """How much is kept."""
        return sum(table.nbytes for _, table in self._tables.values())
