"""The stores of one app, opened: what handles, servers and commands read from."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from holdfast.dsl.store_update import StoreUpdate
from holdfast.errors import HoldfastError, KeyNotFound, NotServed
from holdfast.stores import versions, window_scan
from holdfast.stores.catalog import Catalog, Store
from holdfast.stores.follower import Follower
from holdfast.stores.replica import Replica
from holdfast.stores.snapshot import Snapshot
from holdfast.stores.status import Status
from holdfast.topics.client import client_settings
from holdfast.topics.windowed import Windowed
from holdfast.types import DataType

K = TypeVar("K")


class StoreBackend:
    """One store, read as Python values; several reads inside `Stores.pinned` see one snapshot."""

    def __init__(self, stores: Stores, name: str) -> None:
        self._stores = stores
        self.name = name

    def types(self) -> tuple[DataType, DataType]:
        """The types of keys and values."""
        store = self._stores.catalog.store(self.name)
        return store.key, store.value

    def get(self, key: object) -> object:
        """The value of a key; `KeyNotFound` if there is none."""
        with self._stores.replica.reading() as snapshot:
            store = self._store(snapshot)
            found = snapshot.get(self.name, store.keys.encode(key))
        if found is None:
            raise KeyNotFound(f"store {self.name!r} has no key {key!r}")
        return store.read_value(found)

    def get_many(self, keys: Iterable[K]) -> dict[K, object]:
        """The values of those of the keys that there are."""
        with self._stores.replica.reading() as snapshot:
            store = self._store(snapshot)
            found = ((key, snapshot.get(self.name, store.keys.encode(key))) for key in keys)
            return {store.keys.hashable(key): store.read_value(value) for key, value in found if value is not None}

    def all(self) -> Iterator[tuple[object, object]]:
        """Every key and value, in the order of the keys."""
        return self.range()

    def snapshot(self) -> Iterator[tuple[object, object]]:
        """Every key and value as of one epoch."""
        return self.range()

    def range(
        self, start: object = None, end: object = None, *, prefix: object = None, reverse: bool = False
    ) -> Iterator[tuple[object, object]]:
        """Keys from start to end, both inclusive, or those with a prefix, and their values."""
        with self._stores.replica.reading() as snapshot:
            store = self._store(snapshot)
            for key, value in snapshot.scan(self.name, store.keys.bounds(start, end, prefix), reverse=reverse):
                yield store.keys.decode(key), store.read_value(value)

    def windows(
        self, key: object, start: object = None, end: object = None, *, reverse: bool = False
    ) -> Iterator[tuple[Windowed[object], object]]:
        """The windows of a key that begin from start to end, both inclusive, and their values."""
        with self._stores.replica.reading() as snapshot:
            store = self._store(snapshot)
            for found, value in snapshot.scan(self.name, store.keys.window_bounds(key, start, end), reverse=reverse):
                yield _window(store.keys.decode(found)), store.read_value(value)

    def all_windows(
        self, start: object = None, end: object = None, *, reverse: bool = False
    ) -> Iterator[tuple[Windowed[object], object]]:
        """The windows of all keys that begin from start to end, both inclusive, and their values."""
        with self._stores.replica.reading() as snapshot:
            store = self._store(snapshot)
            span = window_scan.window_span(store.keys, start, end)
            for found, value in window_scan.scan(snapshot, self.name, span, reverse=reverse):
                yield _window(store.keys.decode(found)), store.read_value(value)

    def at(self, key: object, time: int) -> object:
        """The value that a key had at a time, in milliseconds; `KeyNotFound` if none is known."""
        with self._stores.replica.reading() as snapshot:
            store = self._store(snapshot).require_versions()
            found = versions.at(snapshot.versions(self.name, store.keys.encode(key), time), time)
        if found is None:
            raise KeyNotFound(f"store {self.name!r} knows no value of {key!r} at {time} ms")
        return store.read_value(found)

    def watch(
        self, keys: Sequence[object], start: object, end: object, prefix: object, after: int | str | None
    ) -> Iterator[StoreUpdate[object, object]]:
        """A store is watched through a server."""
        raise NotServed(f"store {self.name!r} is watched with hf.connect(URL)[{self.name!r}].watch(); here it is read")

    def count(self) -> int:
        """How many keys there are."""
        with self._stores.replica.reading() as snapshot:
            self._store(snapshot)
            return snapshot.count(self.name)

    def _store(self, snapshot: Snapshot) -> Store:
        return self._stores.catalog.store(self.name).at(snapshot)


@dataclass(frozen=True)
class PeerPort:
    """What other servers of the app ask, and at which port."""

    asgi: Callable[..., Awaitable[None]]
    port: int


class Stores:
    """The replica of an app's stores and the thread that follows their changelogs."""

    is_shared = False  # whether a part of it is held by other servers

    def __init__(self, app: str, brokers: str, state_dir: Path, kafka: Mapping[str, str] | None = None) -> None:
        self.app = app
        self.kafka = client_settings(brokers, kafka)
        self.replica = Replica(state_dir / app / "replica")
        try:
            self.follower = Follower(app, self.replica, self.kafka)
        except BaseException:
            self.replica.close()
            raise

    def for_peers(self) -> PeerPort | None:
        """What other servers of the app ask of this one; nothing unless stores are shared."""
        return None

    def advertise(self, url: str) -> None:
        """Others ask this server there."""

    def leave(self) -> None:
        """Others are to ask this server no more."""

    def staleness(self, epoch: int) -> float:
        """For how many seconds an epoch behind this one has been known, where other servers may have it already."""
        return 0.0

    @property
    def catalog(self) -> Catalog:
        """What the app has published."""
        return self.follower.catalog

    def store(self, name: str) -> StoreBackend:
        """A store to read from; it need not exist yet."""
        return StoreBackend(self, name)

    def status(self) -> Status:
        """How far the replica is now."""
        with self.replica.reading() as snapshot:
            return self.follower.status(snapshot)

    def start(self) -> Stores:
        """Begin to follow the app's topics."""
        self.follower.start()
        return self

    def wait_ready(self, timeout: float) -> None:
        """Wait until the replica has what there was at its start."""
        deadline = time.monotonic() + timeout
        while not (status := self.status()).ready:
            if time.monotonic() > deadline:
                raise HoldfastError(f"the stores of {self.app!r} are not ready: {'; '.join(status.reasons)}")
            time.sleep(0.02)

    def stop(self) -> None:
        """Stop following and close the files."""
        self.follower.stop()
        self.replica.close()

    def __enter__(self) -> Stores:
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.stop()


def _window(key: object) -> Windowed[object]:
    assert isinstance(key, Windowed)
    return key
