"""Reading the replica: everything as it was at one moment."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import TypeVar

import orjson

from holdfast.errors import HoldfastError
from holdfast.stores import order, versions
from holdfast.stores.environment import Cursor, Database, Environment, Transaction
from holdfast.stores.epoch_position import EpochPosition, timelines
from holdfast.stores.epoch_position import unpack as unpack_position
from holdfast.stores.key_codec import after_prefix
from holdfast.stores.keys import LIMIT, PREFIX, Bounds, shorten
from holdfast.types import DataType, from_json

META = "holdfast"
POSITION = "position"  # of the epoch that is shown
TIMELINES = "timelines"  # that were seen, the newest last
HISTORY = "history"  # our own record of which history there is: another after each that was forgotten
Row = TypeVar("Row", bound=tuple[object, bytes | None])
Rows = Iterable[tuple[bytes, bytes]]
Step = Callable[[Cursor, bytes | None, bytes | None], Rows]
_CHUNK = 512
_BLOCK = 4096
_CHUNK_BYTES = 1 << 20


@dataclass(frozen=True)
class Progress:
    """How far a store has been read, and from which topic."""

    topic: str
    topic_id: str
    key: DataType
    value: DataType
    offsets: Mapping[int, int] = field(default_factory=dict)
    epoch: int = 0
    at: int = 0  # milliseconds: when it was last known to be complete

    def fits(self, topic: str, topic_id: str, key: DataType, value: DataType) -> bool:
        """Whether the store was read from this very topic, with these types."""
        return (self.topic, self.topic_id, self.key, self.value) == (topic, topic_id, key, value)

    def advanced(self, offsets: Mapping[int, int], epoch: int) -> Progress:
        """The progress after more of the topic has been applied."""
        return replace(self, offsets={**self.offsets, **offsets}, epoch=max(self.epoch, epoch))

    def not_after(self, newest: int) -> Progress:
        """The progress at an epoch; a later one was of an app that has begun again since."""
        return self if self.epoch <= max(newest, 0) else replace(self, epoch=max(newest, 0))

    @property
    def types(self) -> bytes:
        """The types of its keys and values, to be compared with those of the program."""
        return pack_types(self.key, self.value)

    def packed(self) -> bytes:
        """As it is written."""
        types = {"key": self.key.to_json(), "value": self.value.to_json()}
        rest = {"offsets": self.offsets, "epoch": self.epoch, "at": self.at}
        head = {"topic": self.topic, "topic_id": self.topic_id}
        return orjson.dumps({**head, **types, **rest}, option=orjson.OPT_NON_STR_KEYS)


class Snapshot:
    """Everything as it was at one moment."""

    def __init__(self, environment: Environment, databases: Mapping[str, Database], txn: Transaction) -> None:
        self._environment = environment
        self._databases = databases
        self._txn: Transaction | None = txn
        self._lock = threading.Lock()  # handlers may hand their context to several threads

    def get(self, store: str, key: bytes) -> bytes | None:
        """The JSON of one value, or None."""
        short = shorten(key)
        with self._lock:
            txn, database = self._open(store)
            stored = None if database is None else txn.get(short, db=database)
        return stored if stored is None or len(short) < LIMIT else unpack(short, stored)[1]

    # The same, without asking another server; None if that is not enough to know.
    get_here = get

    def get_many(self, store: str, keys: Iterable[bytes], room: int, missing: bytes = b"null") -> list[bytes]:
        """The JSON of the values of keys in their order, until they are more bytes than there is room."""
        found: list[bytes] = []
        with self._lock:
            txn, database = self._open(store)
            for key in keys:
                if database is None:
                    value = missing
                elif len(key) < LIMIT:
                    value = txn.get(key, missing, db=database)
                else:
                    short = shorten(key)
                    stored = txn.get(short, db=database)
                    value = missing if stored is None else unpack(short, stored)[1]
                found.append(value)
                room -= len(value)
                if room < 0:
                    break
        return found

    def scan(self, store: str, bounds: Bounds, *, reverse: bool = False) -> Iterator[tuple[bytes, bytes]]:
        """Encoded keys and JSON values inside the bounds, in order."""
        for key, value in self._rows(store, bounds, reverse):
            if bounds.holds(key):
                yield key, value
            elif (bounds.low is not None and key < bounds.low) == reverse:
                return

    def blocks(self, store: str, bounds: Bounds) -> Iterator[Sequence[tuple[bytes, bytes]]]:
        """What `scan` gives, many entries at a time; a store without long keys is read as LMDB has it."""
        if bounds != Bounds() or self._has_long_keys(store):
            rows = self.scan(store, bounds)
            while block := list(_bounded(islice(rows, _BLOCK))):
                yield block
            return
        last, most = None, _CHUNK
        while block := self._block(store, last, most):
            yield block
            last = block[-1][0]
            size = sum(len(value) for _, value in block) // len(block) + 1
            most = max(1, min(_BLOCK, _CHUNK_BYTES // size))

    def versions(self, store: str, key: bytes, time: int | None = None) -> Iterator[tuple[int, bytes | None]]:
        """When each version of a key began, and its JSON, in order, from the one on that held at a time.

        There are none if the store keeps no versions.
        """
        since = 0 if time is None else self._beginning(store, key, time)
        while found := self._version_chunk(store, key, since):
            yield from found
            since = found[-1][0] + 1

    def count(self, store: str) -> int:
        """How many keys the store has."""
        with self._lock:
            txn, database = self._open(store)
            return 0 if database is None else txn.stat(database)["entries"]

    def rows_here(self, store: str) -> int:
        """How many keys of the store are on this server."""
        return self.count(store)

    def size(self, store: str) -> int:
        """How much of the file the store takes, the order of long keys and versions included."""
        with self._lock:
            names = (None, order.database_name(store), versions.database_name(store))
            found = [self._open(store, name) for name in names]
            stats = [txn.stat(database) for txn, database in found if database is not None]
        return sum(s["psize"] * (s["branch_pages"] + s["leaf_pages"] + s["overflow_pages"]) for s in stats)

    @property
    def epoch(self) -> int | None:
        """The epoch up to which everything is here and nothing beyond it; None before the first one and between two."""
        found = int(self.meta("epoch") or -1)
        return None if found < 0 else found

    @property
    def position(self) -> EpochPosition | None:
        """The epoch that is shown, and how far it had read; None between two epochs."""
        packed = self.meta(POSITION)
        if packed is not None:
            return unpack_position(packed)
        known = self.meta("epoch")  # of a replica from before positions were kept
        return None if known is None else EpochPosition(int(known))

    @property
    def past_timelines(self) -> list[str]:
        """The timelines that the app has left behind: it has begun again from nothing since."""
        position = self.position
        if position is None:
            return []
        return [each for each in timelines(self.meta(TIMELINES)) if each != position.timeline]

    @property
    def is_consistent(self) -> bool:
        """Whether all stores are as the app had them at the end of one epoch, or before its first."""
        return self.meta("epoch") is not None

    def progress(self, store: str) -> Progress | None:
        """How far the store has come."""
        data = self.meta(f"store:{store}")
        if data is None:
            return None
        fields = orjson.loads(data)
        types = {part: from_json(fields[part]) for part in ("key", "value")}
        return Progress(**{**fields, **types, "offsets": {int(p): o for p, o in fields["offsets"].items()}})

    def meta(self, name: str) -> bytes | None:
        """One of the replica's own records."""
        with self._lock:
            txn, database = self._open("", META)
            return None if database is None else txn.get(name.encode(), db=database)

    def close(self) -> None:
        """Let the snapshot go."""
        with self._lock:
            if self._txn is not None:
                self._environment.end(self._txn)
                self._txn = None

    def _open(self, store: str, name: str | None = None) -> tuple[Transaction, Database | None]:
        if self._txn is None:
            raise HoldfastError("a store was read after its request had ended; read it inside the handler")
        return self._txn, self._databases.get(name or f"store:{store}")

    def _has_long_keys(self, store: str) -> bool:
        with self._lock:
            txn, index = self._open(store, order.database_name(store))
            return index is not None and bool(txn.stat(index)["entries"])

    def _block(self, store: str, last: bytes | None, most: int) -> list[tuple[bytes, bytes]]:
        with self._lock:
            txn, database = self._open(store)
            if database is None:
                return []
            with txn.cursor(db=database) as cursor:
                return list(islice(_step(cursor, None, last), most))

    def _rows(self, store: str, bounds: Bounds, reverse: bool) -> Iterator[tuple[bytes, bytes]]:
        """Whole keys and values in order, from the first bound on; LMDB has the order of all but the long keys."""
        step = _step_back if reverse else _step
        seek, last = _seek_high(bounds) if reverse else bounds.low and bounds.low[:PREFIX], None
        while rows := self._chunk(store, step, seek, last):
            for key, value in rows:
                last = key
                if order.is_long(key):
                    prefix = key[:PREFIX]
                    yield from self._long_rows(store, prefix, bounds, reverse)
                    seek, last = prefix + b"\x00" if reverse else after_prefix(prefix), None
                    break
                yield key, value
            if last is None and seek is None:
                return

    def _long_rows(self, store: str, prefix: bytes, bounds: Bounds, reverse: bool) -> Iterator[tuple[bytes, bytes]]:
        """The keys with a beginning that is as long as LMDB's keys may be, and their values."""
        edge = bounds.high if reverse else bounds.low
        rest = edge[PREFIX:] if edge is not None and edge.startswith(prefix) else None
        while rows := self._long_chunk(store, prefix, rest, reverse):
            yield from rows
            rest = rows[-1][0][PREFIX:] if reverse else rows[-1][0][PREFIX:] + b"\x00"

    def _long_chunk(self, store: str, prefix: bytes, rest: bytes | None, reverse: bool) -> list[tuple[bytes, bytes]]:
        with self._lock:
            (txn, database), (_, index) = self._open(store), self._open(store, order.database_name(store))
            with txn.cursor(db=index) as cursor:
                walk = (
                    order.descending(cursor, prefix, rest) if reverse else order.ascending(cursor, prefix, rest or b"")
                )
                return list(_bounded(_entry(txn, database, prefix + each) for each in islice(walk, _CHUNK)))

    def _beginning(self, store: str, key: bytes, time: int) -> int:
        with self._lock:
            txn, database = self._open(store, versions.database_name(store))
            return time if database is None else versions.beginning(txn, database, key, time)

    def _version_chunk(self, store: str, key: bytes, since: int) -> list[tuple[int, bytes | None]]:
        with self._lock:
            txn, database = self._open(store, versions.database_name(store))
            if database is None:
                return []
            return list(_bounded(islice(versions.rows(txn, database, key, since), _CHUNK)))

    def _chunk(self, store: str, step: Step, seek: bytes | None, last: bytes | None) -> list[tuple[bytes, bytes]]:
        with self._lock:
            txn, database = self._open(store)
            if database is None:
                return []
            with txn.cursor(db=database) as cursor:
                return list(_bounded(islice(step(cursor, seek, last), _CHUNK)))


def pack_types(key: DataType, value: DataType) -> bytes:
    """Two types as bytes."""
    return orjson.dumps([key.to_json(), value.to_json()])


def pack(short: bytes, key: bytes, value: bytes) -> bytes:
    """What is stored under a key: the value, with the whole key before it where that was shortened."""
    return value if len(short) < LIMIT else len(key).to_bytes(4, "big") + key + value


def unpack(short: bytes, stored: bytes) -> tuple[bytes, bytes]:
    """The whole key and the value of what is stored under a key that may be shortened."""
    if len(short) < LIMIT:
        return short, stored
    end = 4 + int.from_bytes(stored[:4], "big")
    return stored[4:end], stored[end:]


def _entry(txn: Transaction, database: Database | None, key: bytes) -> tuple[bytes, bytes]:
    short = shorten(key)
    stored = txn.get(short, db=database)
    assert stored is not None  # the order of long keys is written with the store
    return unpack(short, stored)


def _bounded(rows: Iterable[Row]) -> Iterator[Row]:
    """Rows until they are many bytes, at least one: each is a copy of what the file has."""
    size = 0
    for row in rows:
        yield row
        size += len(row[1] or b"")
        if size > _CHUNK_BYTES:
            return


def _seek_high(bounds: Bounds) -> bytes | None:
    if bounds.high is None or len(bounds.high) <= PREFIX:
        return bounds.high
    return bounds.high[:PREFIX] + b"\xff" * (LIMIT - PREFIX)


def _step(cursor: Cursor, seek: bytes | None, last: bytes | None) -> Rows:
    if last is not None:
        found = cursor.set_key(last) and cursor.next()
    else:
        found = cursor.first() if seek is None else cursor.set_range(seek)
    return cursor.iternext() if found else ()


def _step_back(cursor: Cursor, seek: bytes | None, last: bytes | None) -> Rows:
    if last is not None:
        found = cursor.set_key(last) and cursor.prev()
    else:
        found = cursor.prev() if seek is not None and cursor.set_range(seek) else cursor.last()
    return cursor.iterprev() if found else ()
