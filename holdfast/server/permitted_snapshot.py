"""A snapshot for the holder of a token: every read of it is checked where it happens."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from holdfast.server.rights import Rights
from holdfast.stores.catalog import Catalog
from holdfast.stores.keys import Bounds
from holdfast.stores.snapshot import Snapshot


class PermittedSnapshot(Snapshot):
    """Reads another snapshot, as far as rights go; what is not named here cannot be read at all."""

    def __init__(self, snapshot: Snapshot, catalog: Catalog, rights: Rights) -> None:
        self._snapshot = snapshot
        self._catalog = catalog
        self._rights = rights

    def get(self, store: str, key: bytes) -> bytes | None:
        """The JSON of one value, or None."""
        self._rights.require_key(self._catalog.store(store), key)
        return self._snapshot.get(store, key)

    def get_here(self, store: str, key: bytes) -> bytes | None:
        """The same, without asking another server."""
        self._rights.require_key(self._catalog.store(store), key)
        return self._snapshot.get_here(store, key)

    def get_many(self, store: str, keys: Iterable[bytes], room: int, missing: bytes = b"null") -> list[bytes]:
        """The JSON of the values of keys; one that may not be read refuses all of them."""
        asked, of = list(keys), self._catalog.store(store)
        for key in asked:
            self._rights.require_key(of, key)
        return self._snapshot.get_many(store, asked, room, missing)

    def scan(self, store: str, bounds: Bounds, *, reverse: bool = False) -> Iterator[tuple[bytes, bytes]]:
        """Encoded keys and JSON values inside the bounds, in order."""
        self._rights.require_bounds(self._catalog.store(store), bounds)
        return self._snapshot.scan(store, bounds, reverse=reverse)

    def blocks(self, store: str, bounds: Bounds) -> Iterator[Sequence[tuple[bytes, bytes]]]:
        """What `scan` gives, many entries at a time."""
        self._rights.require_bounds(self._catalog.store(store), bounds)
        return self._snapshot.blocks(store, bounds)

    def versions(self, store: str, key: bytes, time: int | None = None) -> Iterator[tuple[int, bytes | None]]:
        """When each version of a key began, and its JSON."""
        self._rights.require_key(self._catalog.store(store), key)
        return self._snapshot.versions(store, key, time)

    def count(self, store: str) -> int:
        """How many keys the store has."""
        self._rights.require_store(store, in_full=True)
        return self._snapshot.count(store)

    def size(self, store: str) -> int:
        """How much of the file the store takes."""
        self._rights.require_store(store, in_full=True)
        return self._snapshot.size(store)

    def meta(self, name: str) -> bytes | None:
        """One of the replica's own records."""
        return self._snapshot.meta(name)

    def close(self) -> None:
        """It ends with the snapshot that it reads."""
