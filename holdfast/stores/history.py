"""The changes of the latest epochs, for those who watch a store: written with the epoch, kept for a while.

A row per change under its epoch and a number; a row per epoch says when it came and how much it takes.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from holdfast.stores.environment import Database, Transaction

Databases = tuple[Database, Database]
CHANGES, EPOCHS = "history", "epochs"
_ROW = struct.Struct(">QI")
_EPOCH = struct.Struct(">Q")
_SUMMARY = struct.Struct(">QQQ")
_LENGTHS = struct.Struct(">HI")
_ALL = b"\x00"  # before every epoch: how many bytes all of them take
_DELETED, _THERE = b"\x00", b"\x01"


@dataclass(frozen=True)
class Retention:
    """For how long changes are kept, and how many bytes of them at most."""

    milliseconds: int = 3_600_000
    bytes: int = 256 << 20


USUAL = Retention()


class Changed(NamedTuple):
    """A key that an epoch has changed: its bytes, and the JSON of its value or None if it was deleted."""

    store: str
    key: bytes
    value: bytes | None


def begin_anew(txn: Transaction, databases: Databases, epoch: int, now: int) -> None:
    """Begin a history behind an epoch, where there is none."""
    txn.put(_EPOCH.pack(epoch), _SUMMARY.pack(epoch, now, 0), db=databases[1])


def write(txn: Transaction, databases: Databases, epoch: int, since: int, changes: Iterable[Changed], now: int) -> None:
    """Write what an epoch has changed since the one before it."""
    rows, epochs = databases
    size = 0
    for number, change in enumerate(changes):
        row = _packed(change)
        size += len(row)
        txn.put(_ROW.pack(epoch, number), row, db=rows, append=True)
    txn.put(_EPOCH.pack(epoch), _SUMMARY.pack(since, now, size), db=epochs)
    _resize(txn, epochs, size)


def forget(txn: Transaction, databases: Databases) -> None:
    """Drop the history: what comes next does not follow from it."""
    for database in databases:
        txn.drop(database, delete=False)


def prune(txn: Transaction, databases: Databases, retention: Retention, now: int) -> None:
    """Drop the epochs that are older than wanted or too much; the latest one stays."""
    rows, epochs = databases
    while txn.stat(epochs)["entries"] > 2:  # an epoch and the size of all
        epoch, _, at, size = next(_epochs(txn, epochs))
        if _size(txn, epochs) <= retention.bytes and now - at <= retention.milliseconds:
            return
        with txn.cursor(db=rows) as cursor:
            there = cursor.set_range(_ROW.pack(epoch, 0))
            while there and _ROW.unpack(cursor.key())[0] == epoch:
                there = cursor.delete()
        txn.delete(_EPOCH.pack(epoch), db=epochs)
        _resize(txn, epochs, -size)


def _size(txn: Transaction, epochs: Database) -> int:
    return int.from_bytes(txn.get(_ALL, b"", db=epochs), "big")


def _resize(txn: Transaction, epochs: Database, by: int) -> None:
    txn.put(_ALL, (_size(txn, epochs) + by).to_bytes(8, "big"), db=epochs)


def begin(txn: Transaction, epochs: Database) -> int | None:
    """The earliest epoch after which everything is known; None if nothing is."""
    first = next(_epochs(txn, epochs), None)
    return None if first is None else first[1]


def after(txn: Transaction, databases: Databases, epoch: int, most: int) -> list[tuple[int, list[Changed]]]:
    """The epochs after one and their changes, in order, whole epochs until there are `most` changes."""
    rows, epochs = databases
    found: list[tuple[int, list[Changed]]] = []
    count = 0
    for number, _, _, _ in _epochs(txn, epochs, epoch + 1):
        changes = list(_changes(txn, rows, number))
        found.append((number, changes))
        count += len(changes)
        if count >= most:
            break
    return found


def _changes(txn: Transaction, rows: Database, epoch: int) -> Iterator[Changed]:
    with txn.cursor(db=rows) as cursor:
        if cursor.set_range(_ROW.pack(epoch, 0)):
            for key, row in cursor.iternext():
                if _ROW.unpack(key)[0] != epoch:
                    return
                yield _unpacked(row)


def _epochs(txn: Transaction, epochs: Database, first: int = 0) -> Iterator[tuple[int, int, int, int]]:
    with txn.cursor(db=epochs) as cursor:
        if cursor.set_range(_EPOCH.pack(first)):
            for key, row in cursor.iternext():
                yield (_EPOCH.unpack(key)[0], *_SUMMARY.unpack(row))


def _packed(change: Changed) -> bytes:
    store = change.store.encode()
    value = _DELETED if change.value is None else _THERE + change.value
    return _LENGTHS.pack(len(store), len(change.key)) + store + change.key + value


def _unpacked(row: bytes) -> Changed:
    name, key = _LENGTHS.unpack_from(row)
    at = _LENGTHS.size + name
    value = row[at + key :]
    return Changed(row[_LENGTHS.size : at].decode(), row[at : at + key], value[1:] if value[:1] == _THERE else None)
