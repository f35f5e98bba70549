"""A replica of an app's stores in LMDB, written with the offsets of the changelogs and read at one snapshot."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path

from holdfast.stores import history, order, versions
from holdfast.stores.environment import MAP_SIZE, Database, Environment, Transaction
from holdfast.stores.epoch_position import unpack
from holdfast.stores.history import USUAL, Changed, Retention
from holdfast.stores.keys import shorten
from holdfast.stores.snapshot import HISTORY, META, POSITION, Progress, Snapshot, pack

_FORMAT = b"2"


@dataclass(frozen=True)
class Put:
    """One change of a store: encoded key, and the value's JSON or None to delete.

    Of a versioned store it is the version that begins at `time`; versions are kept for `kept` milliseconds. Several
    epochs may be applied at once, so it names its own.
    """

    store: str
    key: bytes
    value: bytes | None
    time: int = 0
    kept: int | None = None
    epoch: int = 0


class Replica:
    """The stores of one app on this machine."""

    def __init__(self, directory: Path, *, map_size: int = MAP_SIZE, retention: Retention = USUAL) -> None:
        self._retention = retention
        self.environment = Environment(directory, map_size)
        self.on_change: Callable[[], None] | None = None
        self._current: ContextVar[Snapshot | None] = ContextVar("holdfast-snapshot", default=None)
        if self.environment.owned:
            self._prepare()

    def snapshot(self) -> Snapshot:
        """A snapshot of now; close it."""
        while True:
            databases, txn = self.environment.databases, self.environment.begin()
            names = [] if self.environment.owned else self.environment.news(txn)
            if not names:
                return Snapshot(self.environment, databases, txn)
            self.environment.end(txn)
            self.environment.open_all(names)

    def find(self, stores: Iterable[str]) -> None:
        """Open the stores that another process has made in the meantime."""
        self.environment.find_database(META)
        self._history()
        for store in stores:
            self.environment.find_database(f"store:{store}")
            self.environment.find_database(order.database_name(store))
            self.environment.find_database(versions.database_name(store))

    @contextmanager
    def pinned(self) -> Iterator[Snapshot]:
        """One snapshot for everything read inside, by whatever is called from here."""
        snapshot = self.snapshot()
        token = self._current.set(snapshot)
        try:
            yield snapshot
        finally:
            self._current.reset(token)
            snapshot.close()

    @contextmanager
    def reading(self) -> Iterator[Snapshot]:
        """The pinned snapshot, or one of its own."""
        pinned = self._current.get()
        if pinned is not None:
            yield pinned
            return
        snapshot = self.snapshot()
        try:
            yield snapshot
        finally:
            snapshot.close()

    def apply(self, puts: Iterable[Put], progress: Mapping[str, Progress], meta: Mapping[str, bytes | None]) -> None:
        """Write changes, the progress they belong to and records of our own, None to forget one, all or nothing."""
        changes = list(puts)
        self._history(create=True)
        for name in {*(put.store for put in changes), *progress}:
            self.environment.make_database(f"store:{name}")
            self.environment.make_database(order.database_name(name))
        for name in {put.store for put in changes if put.kept is not None}:
            self.environment.make_database(versions.database_name(name))
        self.environment.write(lambda txn: self._write(txn, changes, progress, meta))
        if self.on_change is not None:
            self.on_change()

    def changes_after(self, epoch: int, most: int = 10_000) -> tuple[int | None, list[tuple[int, list[Changed]]]]:
        """The epoch after which all changes are known, None if there is none, and those of the epochs after one."""
        databases = self._history()
        if databases is None:
            return None, []
        with self.environment.read() as txn:
            begin = history.begin(txn, databases[1])
            is_known = begin is not None and epoch >= begin
            return begin, history.after(txn, databases, epoch, most) if is_known else []

    def history_begin(self) -> int | None:
        """The epoch after which all changes are known, None if there is none."""
        databases = self._history()
        if databases is None:
            return None
        with self.environment.read() as txn:
            return history.begin(txn, databases[1])

    def _history(self, *, create: bool = False) -> history.Databases | None:
        find = self.environment.make_database if create else self.environment.find_database
        rows, epochs = find(history.CHANGES), find(history.EPOCHS)
        return None if rows is None or epochs is None else (rows, epochs)

    def rebuild(self, store: str, progress: Progress) -> None:
        """Empty a store; what follows fills it from the beginning of its topic."""
        own, databases, past = self._own(), self._databases(store), self._history()

        def empty(txn: Transaction) -> None:
            for database in databases:
                txn.drop(database, delete=False)
            if past is not None:
                self._forget(txn, past)
            txn.delete(b"epoch", db=own)
            txn.delete(POSITION.encode(), db=own)
            txn.put(f"store:{store}".encode(), progress.packed(), db=own)
            txn.put(f"types:{store}".encode(), progress.types, db=own)

        self.environment.write(empty)

    def remove(self, store: str) -> None:
        """Forget a store that the program no longer has."""
        own, databases = self._own(), self._databases(store)

        def drop(txn: Transaction) -> None:
            for database in databases:
                txn.drop(database, delete=False)
            txn.delete(f"store:{store}".encode(), db=own)
            txn.delete(f"types:{store}".encode(), db=own)

        self.environment.write(drop)

    def stores(self) -> list[str]:
        """The stores this replica has something of."""
        own = self.environment.find_database(META)
        if own is None:
            return []
        with self.environment.read() as txn, txn.cursor(db=own) as cursor:
            return [key[6:].decode() for key in cursor.iternext(values=False) if key.startswith(b"store:")]

    def try_own(self) -> bool:
        """Become the process that writes, if there is none."""
        if self.environment.owned:
            return True
        if not self.environment.try_own():
            return False
        self._prepare()
        return True

    def close(self) -> None:
        """Close the files."""
        self.environment.close()

    def _own(self) -> Database:
        return self.environment.make_database(META)

    def _databases(self, store: str) -> list[Database]:
        """The entries of a store, the order of its long keys, and its versions if it has some."""
        made = (f"store:{store}", order.database_name(store))
        found = [self.environment.make_database(name) for name in made]
        past = self.environment.find_database(versions.database_name(store))
        return found if past is None else [*found, past]

    def _prepare(self) -> None:
        self.environment.forget_dead_readers()
        own = self._own()

        def check(txn: Transaction) -> None:
            if txn.get(b"format", db=own) != _FORMAT:
                txn.drop(own, delete=False)  # no progress: every store is rebuilt
                txn.put(b"format", _FORMAT, db=own)

        self.environment.write(check)

    def _write(
        self, txn: Transaction, puts: list[Put], progress: Mapping[str, Progress], meta: Mapping[str, bytes | None]
    ) -> None:
        own = self._own()
        before, after = txn.get(b"epoch", db=own), meta.get("epoch")
        is_next = _follows(before, after) and _is_of_timeline(txn.get(POSITION.encode(), db=own), meta.get(POSITION))
        changed: list[tuple[int, Changed]] | None = [] if is_next else None
        databases = {name: self.environment.make_database(f"store:{name}") for name in {put.store for put in puts}}
        for put in puts:
            short, value, database = shorten(put.key), self._latest(txn, put), databases[put.store]
            if order.is_long(put.key):
                self._index(txn, put, value is not None, txn.get(short, db=database) is not None)
            if value is None:
                txn.delete(short, db=database)
            else:
                txn.put(short, pack(short, put.key, value), db=database)
            if changed is not None:
                changed.append((put.epoch, Changed(put.store, put.key, value)))
        is_other = before == after and not _is_of_timeline(txn.get(POSITION.encode(), db=own), meta.get(POSITION))
        if puts or before != after or is_other:
            self._note(txn, int(before or -1), int(after or -1), changed)
        for name, made in progress.items():
            txn.put(f"store:{name}".encode(), made.packed(), db=own)
        for name, data in meta.items():
            if data is None:
                txn.delete(name.encode(), db=own)
            else:
                txn.put(name.encode(), data, db=own)

    def _note(self, txn: Transaction, last: int, newest: int, changed: list[tuple[int, Changed]] | None) -> None:
        """Keep the changes of whole epochs for those who watch; what does not follow ends the history."""
        databases = self._history()
        if databases is None:
            return
        now = int(time.time() * 1000)
        if changed is None:
            self._forget(txn, databases)
            if newest >= 0:  # not between two epochs, nor before the app's first
                history.begin_anew(txn, databases, newest, now)
            return
        for epoch, changes in _by_epoch(changed, last, newest):
            history.write(txn, databases, epoch, last, changes, now)
            last = epoch
        history.prune(txn, databases, self._retention, now)

    def _forget(self, txn: Transaction, databases: history.Databases) -> None:
        """End the history; whoever follows it sees that what comes next is another."""
        history.forget(txn, databases)
        txn.put(HISTORY.encode(), os.urandom(8), db=self._own())

    def _index(self, txn: Transaction, put: Put, is_there: bool, was_there: bool) -> None:
        """Keep the order of long keys with the keys."""
        if is_there != was_there:
            database = self.environment.make_database(order.database_name(put.store))
            (order.add if is_there else order.remove)(txn, database, put.key)

    def _latest(self, txn: Transaction, put: Put) -> bytes | None:
        """The value that the key has after a change; of a versioned store that of the latest version."""
        if put.kept is None:
            return put.value
        database = self.environment.make_database(versions.database_name(put.store))
        return versions.put(txn, database, put.key, put.time, put.value, put.kept)


def _follows(before: bytes | None, after: bytes | None) -> bool:
    """Whether whole epochs come behind a whole epoch: the changes of others, as while a copy is built, are not kept."""
    return 0 <= int(before or -1) < int(after or -1)


def _is_of_timeline(before: bytes | None, after: bytes | None) -> bool:
    """Whether an epoch is of the timeline of the one before: an app that begins again counts another."""
    return before is None or after is None or unpack(after).follows(unpack(before))


def _by_epoch(changed: list[tuple[int, Changed]], before: int, last: int) -> list[tuple[int, list[Changed]]]:
    """The changes of each epoch that has some, and of the last one."""
    found: dict[int, list[Changed]] = {last: []}
    for epoch, change in changed:
        found.setdefault(epoch if before < epoch <= last else last, []).append(change)
    return sorted(found.items())
