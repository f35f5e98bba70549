"""A copy of an app's stores in LMDB, written with the offsets it comes from and read at one snapshot."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import asdict, dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import Any

import orjson

from holdfast.errors import HoldfastError
from holdfast.stores.environment import MAP_SIZE, Environment
from holdfast.stores.keys import LIMIT, PREFIX, Bounds, shorten
from holdfast.stores.types import Type

Rows = Iterable[tuple[bytes, bytes]]
Step = Callable[[Any, bytes | None, bytes | None], Rows]
_META = "holdfast"
_CHUNK = 512
_FORMAT = b"1"


@dataclass(frozen=True)
class Progress:
    """How far one store's copy has come, and of which topic."""

    topic: str
    topic_id: str
    key: Type
    value: Type
    offsets: Mapping[int, int] = field(default_factory=dict)
    epoch: int = 0
    at: int = 0  # milliseconds: when it was last known to be complete

    def fits(self, topic: str, topic_id: str, key: Type, value: Type) -> bool:
        """Whether the copy is one of this very topic, with these types."""
        return (self.topic, self.topic_id, self.key, self.value) == (topic, topic_id, key, value)


@dataclass(frozen=True)
class Put:
    """One change of a store: encoded key, and the value's JSON or None to delete."""

    store: str
    key: bytes
    value: bytes | None


class Snapshot:
    """Everything as it was at one moment."""

    def __init__(self, environment: Environment, databases: Mapping[str, Any], txn: Any) -> None:
        self._environment = environment
        self._databases = databases
        self._txn = txn
        self._lock = threading.Lock()  # handlers may hand their context to several threads

    def get(self, store: str, key: bytes) -> bytes | None:
        """The JSON of one value, or None."""
        short = shorten(key)
        with self._lock:
            database = self._database(store)
            stored = None if database is None else self._txn.get(short, db=database)
        return stored if stored is None or len(short) < LIMIT else _unpack(short, stored)[1]

    def scan(self, store: str, bounds: Bounds, *, reverse: bool = False) -> Iterator[tuple[bytes, bytes]]:
        """Encoded keys and JSON values inside the bounds, in order."""
        for key, value in _in_full_order(self._rows(store, bounds, reverse), reverse):
            if bounds.holds(key):
                yield key, value
            elif (bounds.low is not None and key < bounds.low) == reverse:
                return

    def count(self, store: str) -> int:
        """How many keys the store has."""
        with self._lock:
            database = self._database(store)
            return 0 if database is None else int(self._txn.stat(database)["entries"])

    @property
    def epoch(self) -> int:
        """The highest epoch applied."""
        return int(self.meta("epoch") or 0)

    def progress(self, store: str) -> Progress | None:
        """How far the store has come."""
        data = self.meta(f"store:{store}")
        if data is None:
            return None
        fields = orjson.loads(data)
        return Progress(**{**fields, "offsets": {int(p): o for p, o in fields["offsets"].items()}})

    def meta(self, name: str) -> bytes | None:
        """One of the replica's own records."""
        with self._lock:
            database = self._database("", _META)
            found: bytes | None = None if database is None else self._txn.get(name.encode(), db=database)
            return found

    def close(self) -> None:
        """Let the snapshot go."""
        with self._lock:
            if self._txn is not None:
                self._environment.end(self._txn)
                self._txn = None

    def _database(self, store: str, name: str | None = None) -> Any:
        if self._txn is None:
            raise HoldfastError("a store was read after its request had ended; read it inside the handler")
        return self._databases.get(name or f"store:{store}")

    def _rows(self, store: str, bounds: Bounds, reverse: bool) -> Iterator[tuple[bytes, bytes]]:
        step = _step_back if reverse else _step
        seek, last = _seek_high(bounds) if reverse else bounds.low and bounds.low[:PREFIX], None
        while rows := self._chunk(store, step, seek, last):
            yield from rows
            if len(rows) < _CHUNK:
                return
            last = rows[-1][0]

    def _chunk(self, store: str, step: Step, seek: bytes | None, last: bytes | None) -> list[tuple[bytes, bytes]]:
        with self._lock:
            database = self._database(store)
            if database is None:
                return []
            with self._txn.cursor(db=database) as cursor:
                return list(islice(step(cursor, seek, last), _CHUNK))


class Replica:
    """The stores of one app on this machine."""

    def __init__(self, directory: Path, *, map_size: int = MAP_SIZE) -> None:
        self.environment = Environment(directory, map_size)
        self._current: ContextVar[Snapshot | None] = ContextVar("holdfast-snapshot", default=None)
        if self.environment.owned:
            self._prepare()

    def snapshot(self) -> Snapshot:
        """A snapshot of now; close it."""
        databases = self.environment.databases
        return Snapshot(self.environment, databases, self.environment.begin())

    def find(self, stores: Iterable[str]) -> None:
        """Open the stores that another process has made in the meantime."""
        self.environment.database(_META)
        for store in stores:
            self.environment.database(f"store:{store}")

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

    def apply(self, puts: Iterable[Put], progress: Mapping[str, Progress], meta: Mapping[str, bytes]) -> None:
        """Write changes, the progress they belong to and records of our own, all or nothing."""
        changes = list(puts)
        for name in {*(put.store for put in changes), *progress}:
            self.environment.database(f"store:{name}", create=True)
        self.environment.write(lambda txn: self._write(txn, changes, progress, meta))

    def rebuild(self, store: str, progress: Progress) -> None:
        """Empty a store; what follows fills it from the beginning of its topic."""
        database = self.environment.database(f"store:{store}", create=True)
        own = self._own()

        def empty(txn: Any) -> None:
            txn.drop(database, delete=False)
            txn.delete(b"epoch", db=own)
            txn.put(f"store:{store}".encode(), _pack_progress(progress), db=own)

        self.environment.write(empty)

    def remove(self, store: str) -> None:
        """Forget a store that the program no longer has."""
        database = self.environment.database(f"store:{store}", create=True)
        own = self._own()

        def drop(txn: Any) -> None:
            txn.drop(database, delete=False)
            txn.delete(f"store:{store}".encode(), db=own)

        self.environment.write(drop)

    def stores(self) -> list[str]:
        """The stores this replica has something of."""
        own = self.environment.database(_META)
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

    def _own(self) -> Any:
        return self.environment.database(_META, create=True)

    def _prepare(self) -> None:
        self.environment.forget_dead_readers()
        own = self._own()

        def check(txn: Any) -> None:
            if txn.get(b"format", db=own) != _FORMAT:
                txn.drop(own, delete=False)  # no progress: every store is rebuilt
                txn.put(b"format", _FORMAT, db=own)

        self.environment.write(check)

    def _write(self, txn: Any, puts: list[Put], progress: Mapping[str, Progress], meta: Mapping[str, bytes]) -> None:
        own = self._own_handle()
        databases = {name: self.environment.database(f"store:{name}") for name in {put.store for put in puts}}
        for put in puts:
            short = shorten(put.key)
            if put.value is None:
                txn.delete(short, db=databases[put.store])
            else:
                txn.put(short, _pack(short, put.key, put.value), db=databases[put.store])
        for name, made in progress.items():
            txn.put(f"store:{name}".encode(), _pack_progress(made), db=own)
        for name, data in meta.items():
            txn.put(name.encode(), data, db=own)

    def _own_handle(self) -> Any:
        return self.environment.database(_META)


def advanced(progress: Progress, offsets: Mapping[int, int], epoch: int) -> Progress:
    """The progress after more of the topic has been applied."""
    return replace(progress, offsets={**progress.offsets, **offsets}, epoch=max(progress.epoch, epoch))


def _pack_progress(progress: Progress) -> bytes:
    return orjson.dumps(asdict(progress), option=orjson.OPT_NON_STR_KEYS)


def _pack(short: bytes, key: bytes, value: bytes) -> bytes:
    return value if len(short) < LIMIT else len(key).to_bytes(4, "big") + key + value


def _unpack(short: bytes, stored: bytes) -> tuple[bytes, bytes]:
    if len(short) < LIMIT:
        return short, stored
    end = 4 + int.from_bytes(stored[:4], "big")
    return stored[4:end], stored[end:]


def _in_full_order(rows: Iterable[tuple[bytes, bytes]], reverse: bool) -> Iterator[tuple[bytes, bytes]]:
    """LMDB sorts shortened keys by their digest; sort each run of keys with the same beginning by the whole key."""
    run: list[tuple[bytes, bytes]] = []
    for short, stored in rows:
        if run and short[:PREFIX] != run[0][0][:PREFIX]:
            yield from sorted(run, reverse=reverse)
            run = []
        if len(short) <= PREFIX:
            if run:
                yield from sorted(run, reverse=reverse)
                run = []
            yield short, stored
        else:
            run.append(_unpack(short, stored))
    yield from sorted(run, reverse=reverse)


def _seek_high(bounds: Bounds) -> bytes | None:
    if bounds.high is None or len(bounds.high) <= PREFIX:
        return bounds.high
    return bounds.high[:PREFIX] + b"\xff" * (LIMIT - PREFIX)


def _step(cursor: Any, seek: bytes | None, last: bytes | None) -> Rows:
    if last is not None:
        found = cursor.set_key(last) and cursor.next()
    else:
        found = cursor.first() if seek is None else cursor.set_range(seek)
    return cursor.iternext() if found else ()


def _step_back(cursor: Any, seek: bytes | None, last: bytes | None) -> Rows:
    if last is not None:
        found = cursor.set_key(last) and cursor.prev()
    else:
        found = cursor.prev() if seek is not None and cursor.set_range(seek) else cursor.last()
    return cursor.iterprev() if found else ()
