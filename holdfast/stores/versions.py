"""The versions of a versioned store's keys, besides the latest ones: fixed-width rows by key and time."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from typing import NamedTuple, TypeVar

from holdfast.errors import HoldfastError
from holdfast.stores.environment import Database, Transaction

V = TypeVar("V")

_TIME = 8
_LAST = (1 << 63) - 1
_DELETED = b"\x00"
_THERE = b"\x01"
_LATER = b"\xff" * (_TIME + 1)  # behind every time


class NoVersions(HoldfastError):
    """The store keeps the latest values only."""

    hint = 'a table keeps versions with store=hf.Materialized(name, versioned="1 hour")'

    def __init__(self, name: str) -> None:
        super().__init__(f"store {name!r} keeps no versions of its values; {self.hint}")


class Version(NamedTuple):
    """A value and when it held: from `since` until `until`, if another version followed; None is a delete."""

    since: int
    until: int | None
    value: bytes | None


def database_name(store: str) -> str:
    """The database that holds the versions of a store."""
    return f"versions:{store}"


def put(txn: Transaction, database: Database, key: bytes, time: int, value: bytes | None, kept: int) -> bytes | None:
    """Write a version, forget those that were over for longer than `kept`; give the latest value."""
    prefix = _prefix(key)
    txn.put(prefix + _place(time), _DELETED if value is None else _THERE + value, db=database)
    newest, latest = _last(txn, database, prefix)
    for place in _over(txn, database, key, newest - kept):
        txn.delete(prefix + _place(place), db=database)
    return latest


def _last(txn: Transaction, database: Database, prefix: bytes) -> tuple[int, bytes | None]:
    """The version that began last; there must be one."""
    with txn.cursor(db=database) as cursor:
        found = cursor.prev() if cursor.set_range(prefix + _LATER) else cursor.last()
        assert found
        return _version(*cursor.item())


def _over(txn: Transaction, database: Database, key: bytes, horizon: int) -> list[int]:
    """When those versions began that were followed by others before the horizon."""
    over: list[int] = []
    last: int | None = None
    for since, _ in rows(txn, database, key):
        if since > horizon:
            return over
        if last is not None:
            over.append(last)
        last = since
    return over


def rows(txn: Transaction, database: Database, key: bytes, since: int = 0) -> Iterator[tuple[int, bytes | None]]:
    """When each version of a key began, from a time on, and its value, in order."""
    prefix = _prefix(key)
    with txn.cursor(db=database) as cursor:
        if not cursor.set_range(prefix + _place(since)):
            return
        for place, stored in cursor.iternext():
            if not place.startswith(prefix):
                return
            yield _version(place, stored)


def beginning(txn: Transaction, database: Database, key: bytes, time: int) -> int:
    """When the version began that held at a time; if there was none, the time itself."""
    prefix = _prefix(key)
    with txn.cursor(db=database) as cursor:
        later = prefix + _place(time) + _LATER
        found = cursor.prev() if cursor.set_range(later) else cursor.last()
        return _version(*cursor.item())[0] if found and cursor.key().startswith(prefix) else time


def between(found: Iterable[tuple[int, bytes | None]], start: int | None, end: int | None) -> Iterator[Version]:
    """The versions that held at some time from start to end, both included."""
    for each in _with_ends(found):
        if end is not None and each.since > end:
            return
        if start is None or each.until is None or each.until > start:
            yield each


def _with_ends(found: Iterable[tuple[int, bytes | None]]) -> Iterator[Version]:
    last: tuple[int, bytes | None] | None = None
    for each in found:
        if last is not None:
            yield Version(last[0], each[0], last[1])
        last = each
    if last is not None:
        yield Version(last[0], None, last[1])


def at(found: Iterable[tuple[int, V]], time: int) -> V | None:
    """The value that held at a time, None if there was none."""
    held: V | None = None
    for since, value in found:
        if since > time:
            break
        held = value
    return held


def _version(place: bytes, stored: bytes) -> tuple[int, bytes | None]:
    return int.from_bytes(place[-_TIME:], "big"), stored[1:] if stored[:1] == _THERE else None


def _prefix(key: bytes) -> bytes:
    return hashlib.blake2b(key, digest_size=16).digest()


def _place(time: int) -> bytes:
    return min(max(time, 0), _LAST).to_bytes(_TIME, "big")
