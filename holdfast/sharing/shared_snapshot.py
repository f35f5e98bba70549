"""All shares at one epoch, read like the snapshot of one replica."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from itertools import islice

from holdfast.sharing.partitioner import partition_hash
from holdfast.sharing.parts import Part, RemotePart, Row, ShareUnavailable
from holdfast.stores.catalog import Catalog
from holdfast.stores.epoch_position import EpochPosition
from holdfast.stores.keys import Bounds
from holdfast.stores.snapshot import POSITION, TIMELINES, Progress, Snapshot, pack_types

_BLOCK = 4096


class SharedSnapshot(Snapshot):
    """Reads the parts that have what is asked for; nothing else of a replica is there."""

    def __init__(
        self, catalog: Catalog, position: EpochPosition | None, local: Mapping[int, Part], remote: RemotePart | None,
        of: int, partitions: Mapping[str, int], leases: ExitStack, timelines: bytes | None = None,
    ) -> None:  # fmt: skip
        self._catalog = catalog
        self._position = position
        self._timelines = timelines
        self._local = local
        self._remote = remote
        self._of = of
        self._partitions = partitions
        self._leases = leases

    def get(self, store: str, key: bytes) -> bytes | None:
        """The JSON of one value, or None."""
        return self._values(store, [key])[0]

    def get_here(self, store: str, key: bytes) -> bytes | None:
        """The value, if this server holds the share that the key should be in."""
        guess = self._guesses(store, [key])[0]
        part = None if guess is None else self._local.get(guess)
        return None if part is None else part.get_many(store, [key])[0]

    def get_many(self, store: str, keys: Iterable[bytes], room: int, missing: bytes = b"null") -> list[bytes]:
        """The JSON of the values of keys in their order, until they are more bytes than there is room."""
        found: list[bytes] = []
        for value in self._values(store, list(keys)):
            found.append(missing if value is None else value)
            room -= len(found[-1])
            if room < 0:
                break
        return found

    def scan(self, store: str, bounds: Bounds, *, reverse: bool = False) -> Iterator[Row]:
        """Encoded keys and JSON values inside the bounds, in order."""
        parts = [part.scan(store, bounds, reverse) for part in self._parts()]
        return heapq.merge(*parts, key=lambda row: row[0], reverse=reverse)

    def blocks(self, store: str, bounds: Bounds) -> Iterator[Sequence[Row]]:
        """What `scan` gives, many entries at a time."""
        rows = self.scan(store, bounds)
        while block := list(islice(rows, _BLOCK)):
            yield block

    def versions(self, store: str, key: bytes, time: int | None = None) -> Iterator[tuple[int, bytes | None]]:
        """When each version of a key began, and its JSON."""
        for part in self._parts():
            if found := part.versions(store, key, time):
                return iter(found)
        return iter(())

    def count(self, store: str) -> int:
        """How many keys the store has."""
        return sum(part.count(store) for part in self._parts())

    def rows_here(self, store: str) -> int:
        """How many keys of the store are on this server."""
        return sum(part.count(store) for part in self._local.values())

    def size(self, store: str) -> int:
        """How much of this server's files the store takes."""
        return sum(part.size(store) for part in self._local.values())

    @property
    def position(self) -> EpochPosition | None:
        """The epoch at which all shares are read; None if there is none."""
        return self._position

    def progress(self, store: str) -> Progress | None:
        """Each replica has its own."""
        return None

    def meta(self, name: str) -> bytes | None:
        """What a replica would say of itself."""
        kind, _, store = name.partition(":")
        if kind == "types" and store in self._catalog.stores:
            of = self._catalog.stores[store]
            return pack_types(of.key, of.value)
        if name == TIMELINES:
            return self._timelines
        if self._position is None or name not in ("epoch", POSITION):
            return None
        return self._position.packed() if name == POSITION else str(self._position.epoch).encode()

    def close(self) -> None:
        """Let the local parts go."""
        self._leases.close()

    def _parts(self) -> list[Part]:
        if not self._of:
            raise ShareUnavailable([0], None, "how many there are is still to be found out")
        return [*self._local.values(), *([self._remote] if self._remote else [])]

    def _values(self, store: str, keys: Sequence[bytes]) -> list[bytes | None]:
        """The values of keys: first where they should be, then everywhere else, so that no answer hangs on a guess."""
        found: list[bytes | None] = [None] * len(keys)
        for part, indexes in self._guessed_parts(store, keys):
            self._fill(part, store, keys, indexes, found)
        for part in self._parts():
            missing = [index for index, value in enumerate(found) if value is None]
            if missing:
                self._fill(part, store, keys, missing, found)
        return found

    def _guessed_parts(self, store: str, keys: Sequence[bytes]) -> Iterator[tuple[Part, list[int]]]:
        """Where keys should be, and which ones; all that others should have is asked at once."""
        guessed: dict[int, list[int]] = {}
        for index, share in enumerate(self._guesses(store, keys)):
            if share is not None:
                guessed.setdefault(share, []).append(index)
        remote = {share: indexes for share, indexes in guessed.items() if share not in self._local}
        for share in guessed.keys() - remote.keys():
            yield self._local[share], guessed[share]
        if remote and self._remote is not None:
            yield self._remote.within(sorted(remote)), [index for indexes in remote.values() for index in indexes]

    def _fill(self, part: Part, store: str, keys: Sequence[bytes], which: list[int], found: list[bytes | None]) -> None:
        values = part.get_many(store, [keys[index] for index in which])
        for index, value in zip(which, values, strict=True):
            found[index] = value

    def _guesses(self, store: str, keys: Sequence[bytes]) -> list[int | None]:
        of = self._catalog.store(store)
        width = self._partitions.get(of.changelog)
        if width is None:
            return [None] * len(keys)
        hashes = (partition_hash(of.keys, key) for key in keys)
        return [None if each is None else each % width % self._of for each in hashes]


def is_of_timeline(snapshot: Snapshot, timeline: str | None) -> bool:
    """Whether a replica is of a timeline, or of before there were any."""
    position = snapshot.position
    return timeline is None or position is None or position.timeline in (None, timeline)
