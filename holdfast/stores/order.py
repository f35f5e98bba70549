"""The order of keys that are too long for LMDB: an index next to a store, in which a page begins where the last ended.

LMDB has such a key under its beginning and a digest, which says nothing of the order. Here the rest of the key is cut
into pieces, and every piece is a row under the name of those before it: a tree in the order of the keys.
"""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import blake2b

from holdfast.stores.environment import Cursor, Database, Transaction
from holdfast.stores.keys import PREFIX

PIECE = 400
_NAME = 16
_END, _INNER = 1, 2  # a key ends with this piece; there are keys that go on after it


def database_name(store: str) -> str:
    """The database that holds the order of a store's long keys."""
    return f"order:{store}"


def is_long(key: bytes) -> bool:
    """Whether the index has the key."""
    return len(key) > PREFIX


def add(txn: Transaction, database: Database, key: bytes) -> None:
    """Take a key into the index."""
    for row, flag in _rows(key):
        old = txn.get(row, b"\x00", db=database)[0]
        if old | flag != old:
            txn.put(row, bytes([old | flag]), db=database)


def remove(txn: Transaction, database: Database, key: bytes) -> None:
    """Take a key out of the index, and the pieces that no other key has."""
    for row, flag in reversed(list(_rows(key))):
        if flag == _INNER and _has_rows(txn, database, _name(row[:_NAME], row[_NAME:])):
            return
        left = txn.get(row, b"\x00", db=database)[0] & ~flag
        if left:
            txn.put(row, bytes([left]), db=database)
            return
        txn.delete(row, db=database)


def ascending(cursor: Cursor, prefix: bytes, low: bytes | None) -> Iterator[bytes]:
    """What follows the prefix in its keys, from `low` on, in order."""
    path = [_Place(_name(b"", prefix), low)]
    while path:
        place = path[-1]
        chunk = place.following(cursor)
        if chunk is None:
            path.pop()
            continue
        flags, low = cursor.value()[0], place.bound or b""
        if flags & _END and chunk >= low:
            yield b"".join([*(each.chunk for each in path[:-1]), chunk])
        if flags & _INNER:
            path.append(_Place(_name(place.name, chunk), low[PIECE:] if chunk == low[:PIECE] else b""))


def descending(cursor: Cursor, prefix: bytes, high: bytes | None) -> Iterator[bytes]:
    """What follows the prefix in its keys, below `high`, from the last to the first."""
    path = [_Place(_name(b"", prefix), high)]
    while path:
        place = path[-1]
        if place.ends:  # the keys that go on after it came first
            place.ends = False
            yield b"".join(each.chunk for each in path)
        chunk = place.preceding(cursor)
        if chunk is None:
            path.pop()
            continue
        flags, high = cursor.value()[0], place.bound
        place.ends = bool(flags & _END) and (high is None or chunk < high)
        if flags & _INNER and chunk != high:
            is_edge = high is not None and chunk == high[:PIECE]
            path.append(_Place(_name(place.name, chunk), high[PIECE:] if high is not None and is_edge else None))


class _Place:
    """Where a walk is among the pieces that follow the same beginning."""

    def __init__(self, name: bytes, bound: bytes | None) -> None:
        self.name = name
        self.bound = bound
        self.chunk = b""
        self.ends = False
        self._moved = False

    def following(self, cursor: Cursor) -> bytes | None:
        """The next piece; at first the one where the bound is."""
        seek = self.name + (self.chunk if self._moved else (self.bound or b"")[:PIECE])
        found = cursor.set_range(seek)
        if found and self._moved and cursor.key() == seek:
            found = cursor.next()
        return self._move(cursor, found)

    def preceding(self, cursor: Cursor) -> bytes | None:
        """The piece before; at first the last one that is not above the bound."""
        if self._moved:
            seek = self.name + self.chunk
        elif self.bound is None:
            seek = self.name + b"\xff" * (PIECE + 1)
        else:
            seek = self.name + self.bound[:PIECE] + b"\x00"
        return self._move(cursor, cursor.prev() if cursor.set_range(seek) else cursor.last())

    def _move(self, cursor: Cursor, found: bool) -> bytes | None:
        row = cursor.key() if found else b""
        if not row.startswith(self.name):
            return None
        self.chunk, self._moved = row[_NAME:], True
        return self.chunk


def _rows(key: bytes) -> Iterator[tuple[bytes, int]]:
    """The rows of a key: each piece under the name of those before it, and whether the key ends with it."""
    name = _name(b"", key[:PREFIX])
    for at in range(PREFIX, len(key), PIECE):
        chunk = key[at : at + PIECE]
        yield name + chunk, _END if at + PIECE >= len(key) else _INNER
        name = _name(name, chunk)


def _name(before: bytes, chunk: bytes) -> bytes:
    return blake2b(before + chunk, digest_size=_NAME).digest()


def _has_rows(txn: Transaction, database: Database, name: bytes) -> bool:
    with txn.cursor(db=database) as cursor:
        return bool(cursor.set_range(name)) and cursor.key().startswith(name)
