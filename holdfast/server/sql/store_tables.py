"""Stores of one snapshot as Arrow tables."""

from __future__ import annotations

import time
from collections.abc import Iterable

import pyarrow as pa

from holdfast.server.responses import Refusal
from holdfast.server.sql.arrow_columns import Entries, TableDecoder
from holdfast.server.sql.deadline import Deadline
from holdfast.server.sql.key_reads import KeyRead
from holdfast.server.sql.table_cache import TableCache, version_of
from holdfast.stores.catalog import Store
from holdfast.stores.snapshot import Snapshot

_ROWS = 32_768
_BYTES = 8 << 20


class StoreReader:
    """Reads what one query wants of stores, and no more than a query may read."""

    def __init__(self, snapshot: Snapshot, cache: TableCache, deadline: Deadline, limit: int) -> None:
        self._snapshot = snapshot
        self._cache = cache
        self._deadline = deadline
        self._limit = self._left = limit

    def read(self, store: Store, wanted: KeyRead) -> pa.Table:
        """A store's table, or the part of it that is wanted."""
        version = version_of(store, self._snapshot)
        if (kept := self._cache.find(store.name, version)) is not None:
            return kept
        if wanted.points is not None:
            return self._table(store, [self._points(store, wanted.points)])
        table = self._table(store, self._snapshot.blocks(store.name, wanted.bounds))
        if wanted.is_everything:
            self._cache.keep(store.name, version, table)
        return table

    def _points(self, store: Store, keys: Iterable[bytes]) -> Entries:
        found = ((key, self._snapshot.get(store.name, key)) for key in keys)
        return [(key, value) for key, value in found if value is not None]

    def _table(self, store: Store, blocks: Iterable[Entries]) -> pa.Table:
        """Blocks of entries as a table; between two blocks others have a turn."""
        decoder = TableDecoder(store)
        batches: list[pa.RecordBatch] = []
        entries: list[tuple[bytes, bytes]] = []
        size = 0

        def decode() -> None:
            if entries:
                batches.append(decoder.batch(entries))
                self._count(batches[-1].nbytes)
                entries.clear()

        for block in blocks:
            self._deadline.check()
            time.sleep(0)
            entries.extend(block)
            size += sum(len(value) for _, value in block)
            if len(entries) >= _ROWS or size >= _BYTES:
                decode()
                size = 0
        decode()
        return pa.Table.from_batches(batches, decoder.schema)

    def _count(self, size: int) -> None:
        self._left -= size
        if self._left < 0:
            hint = "ask for a range of keys, such as WHERE key BETWEEN … AND …, or for fewer stores"
            raise Refusal(413, "too_large", f"a query may read {self._limit >> 20:,} MB of stores", hint)


def empty_table(store: Store) -> pa.Table:
    """The table of a store without its rows."""
    return TableDecoder(store).schema.empty_table()
