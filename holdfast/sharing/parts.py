"""The parts that a snapshot of all shares is read from: replicas in this process, and those of other servers."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextvars import ContextVar
from typing import Protocol

from holdfast.errors import HoldfastError
from holdfast.sharing.wire import Answer, Question
from holdfast.stores.catalog import Catalog
from holdfast.stores.epoch_position import EpochPosition
from holdfast.stores.keys import Bounds
from holdfast.stores.snapshot import Snapshot, pack_types

Row = tuple[bytes, bytes]
Versions = list[tuple[int, bytes | None]]
_KEYS = 1000
_KEY_BYTES = 512 << 10
# Whom a request is answered for; it goes with every question to another server.
CALLER: ContextVar[str] = ContextVar("holdfast-caller", default="")

# The epoch at which a request is read, if not the freshest one that all shares have.
TARGET: ContextVar[int | None] = ContextVar("holdfast-target-epoch", default=None)


class PeerFailed(Exception):
    """A server did not answer, or does not have what was asked for; `epoch` is the one that it has."""

    def __init__(self, why: str, epoch: int | None = None) -> None:
        super().__init__(why)
        self.epoch = epoch


class ShareUnavailable(HoldfastError):
    """No server can answer for a share at an epoch; `epoch` is one at which a server could."""

    hint = "GET /ready says which servers hold what; ask again"

    def __init__(self, shares: Collection[int], epoch: int | None, why: str) -> None:
        named = ", ".join(map(str, sorted(shares)))
        super().__init__(f"no server answers for share {named} of the partitions ({why})")
        self.epoch = epoch


class Part(Protocol):
    """Some shares at one epoch."""

    @property
    def shares(self) -> Collection[int]: ...
    def get_many(self, store: str, keys: Sequence[bytes]) -> list[bytes | None]: ...
    def scan(self, store: str, bounds: Bounds, reverse: bool) -> Iterator[Row]: ...
    def versions(self, store: str, key: bytes, time: int | None) -> Versions: ...
    def count(self, store: str) -> int: ...
    def size(self, store: str) -> int: ...


class LocalPart:
    """A share that this server holds."""

    def __init__(self, share: int, snapshot: Snapshot) -> None:
        self.shares = (share,)
        self._snapshot = snapshot

    def get_many(self, store: str, keys: Sequence[bytes]) -> list[bytes | None]:
        """The JSON of values, None for those that are not there."""
        return [self._snapshot.get(store, key) for key in keys]

    def scan(self, store: str, bounds: Bounds, reverse: bool) -> Iterator[Row]:
        """Keys and values in order."""
        return self._snapshot.scan(store, bounds, reverse=reverse)

    def versions(self, store: str, key: bytes, time: int | None) -> Versions:
        """The versions of a key."""
        return list(self._snapshot.versions(store, key, time))

    def count(self, store: str) -> int:
        """How many keys there are."""
        return self._snapshot.count(store)

    def size(self, store: str) -> int:
        """How many bytes they take."""
        return self._snapshot.size(store)


class Peers(Protocol):
    """The other servers."""

    def owners(self, share: int, of: int) -> Sequence[str]:
        """Those that hold a share, the best to ask first."""

    def ask(self, server: str, question: Question) -> Answer:
        """The answer of one; `PeerFailed` if there is none."""


class RemotePart:
    """Shares that other servers hold; each is asked of another server if one fails."""

    def __init__(
        self, peers: Peers, catalog: Catalog, shares: Collection[int], of: int, position: EpochPosition | None
    ) -> None:
        self.shares = shares
        self._peers = peers
        self._catalog = catalog
        self._of = of
        self._position = position

    def within(self, shares: Collection[int]) -> RemotePart:
        """Some of the shares."""
        return RemotePart(self._peers, self._catalog, shares, self._of, self._position)

    def get_many(self, store: str, keys: Sequence[bytes]) -> list[bytes | None]:
        """The JSON of values, None for those that are not there."""
        return [value for some in _chunks(keys) for value in self._get_some(store, some)]

    def _get_some(self, store: str, keys: list[bytes]) -> list[bytes | None]:
        found: list[bytes | None] = [None] * len(keys)
        for answer in self._each(lambda shares: self._question("get", store, shares, keys=keys)):
            found = [new if old is None else old for old, new in zip(found, answer.values, strict=True)]
        return found

    def scan(self, store: str, bounds: Bounds, reverse: bool) -> Iterator[Row]:
        """Keys and values in order."""
        return self._scan(store, self.shares, bounds, reverse, frozenset())

    def versions(self, store: str, key: bytes, time: int | None) -> Versions:
        """The versions of a key, which are all in one share."""
        return [each for answer in self._each(lambda s: self._question("versions", store, s, keys=[key], time=time))
                for each in answer.versions]  # fmt: skip

    def count(self, store: str) -> int:
        """How many keys there are."""
        return sum(answer.number for answer in self._each(lambda shares: self._question("count", store, shares)))

    def size(self, store: str) -> int:
        """How many bytes they take."""
        return sum(answer.number for answer in self._each(lambda shares: self._question("size", store, shares)))

    def _scan(
        self, store: str, shares: Collection[int], bounds: Bounds, reverse: bool, failed: frozenset[str]
    ) -> Iterator[Row]:
        parts = [
            self._pages(store, server, own, bounds, reverse, failed)
            for server, own in self._plan(shares, failed, None).items()
        ]
        return parts[0] if len(parts) == 1 else heapq.merge(*parts, key=lambda row: row[0], reverse=reverse)

    def _pages(
        self, store: str, server: str, shares: list[int], bounds: Bounds, reverse: bool, failed: frozenset[str]
    ) -> Iterator[Row]:
        """Page after page from one server; if it fails, the rest from others."""
        while True:
            asked = self._question("scan", store, shares, low=bounds.low, high=bounds.high, reverse=reverse)
            try:
                answer = self._peers.ask(server, asked)
            except PeerFailed as why:
                self._plan(shares, failed | {server}, why)
                yield from self._scan(store, shares, bounds, reverse, failed | {server})
                return
            yield from answer.rows
            if not answer.more:
                return
            last = answer.rows[-1][0]
            bounds = bounds.before(last) if reverse else bounds.after(last)

    def _each(self, make: Callable[[list[int]], Question]) -> Iterator[Answer]:
        """The answers that together are of all shares."""
        todo: list[tuple[Collection[int], frozenset[str], PeerFailed | None]] = [(self.shares, frozenset(), None)]
        while todo:
            shares, failed, why = todo.pop()
            for server, own in self._plan(shares, failed, why).items():
                try:
                    yield self._peers.ask(server, make(own))
                except PeerFailed as problem:
                    todo.append((own, failed | {server}, problem))

    def _plan(self, shares: Collection[int], failed: frozenset[str], why: PeerFailed | None) -> Mapping[str, list[int]]:
        """Whom to ask for which shares."""
        found: dict[str, list[int]] = {}
        for share in shares:
            server = next((each for each in self._peers.owners(share, self._of) if each not in failed), None)
            if server is None:
                epoch = why.epoch if why else None
                raise ShareUnavailable([share], epoch, str(why) if why else "no server holds it")
            found.setdefault(server, []).append(share)
        return found

    def _question(
        self, operation: str, store: str, shares: Collection[int], *, keys: list[bytes] | None = None,
        low: bytes | None = None, high: bytes | None = None, reverse: bool = False, time: int | None = None,
    ) -> Question:  # fmt: skip
        of, at = self._catalog.store(store), self._position
        epoch, timeline = (None, None) if at is None else (at.epoch, at.timeline)
        return Question(
            operation, store, pack_types(of.key, of.value), list(shares), self._of, epoch, keys or [], low, high,
            reverse, time, CALLER.get(), timeline=timeline,
        )  # fmt: skip


def _chunks(keys: Sequence[bytes]) -> Iterator[list[bytes]]:
    """Keys as they fit into questions."""
    some: list[bytes] = []
    size = 0
    for key in keys:
        if some and (len(some) == _KEYS or size + len(key) > _KEY_BYTES):
            yield some
            some, size = [], 0
        some.append(key)
        size += len(key)
    if some:
        yield some
