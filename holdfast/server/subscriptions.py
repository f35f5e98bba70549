"""Who watches a store: what it has at first, then every epoch's changes, without a gap and without a repeat.

A subscriber knows the epoch up to which it has everything. The history of the replica says what came after it, so
nothing is kept for a subscriber while it waits, and any server that has the history can go on where another stopped.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, AsyncIterator, Iterable, Mapping
from dataclasses import dataclass, field

import orjson

from holdfast.server.handlers import Service
from holdfast.server.responses import Refusal
from holdfast.stores import values
from holdfast.stores.backend import Stores
from holdfast.stores.catalog import Store
from holdfast.stores.history import Changed
from holdfast.stores.keys import Bounds

_LOOK = 0.005
_PAGE = 500
_RECENT = 256
_EVERYTHING = Bounds()
Entries = Mapping[bytes, bytes]
"""Changed keys as the store orders them, and what is said of each: JSON with the key and its value."""


@dataclass(frozen=True)
class Selection:
    """What of a store is watched: some keys, or all of a range."""

    store: Store
    keys: frozenset[bytes] = frozenset()
    bounds: Bounds = _EVERYTHING

    def of(self, changes: Entries) -> list[bytes]:
        """What is watched of the changes of an epoch."""
        if self.keys:
            return [changes[key] for key in self.keys & changes.keys()]
        if self.bounds == _EVERYTHING:
            return list(changes.values())
        return [entry for key, entry in changes.items() if self.bounds.holds(key)]


@dataclass(frozen=True)
class Update:
    """One event: a part of the snapshot, which has no epoch, or everything that epochs up to one have changed."""

    entries: list[bytes]
    epoch: int | None = None

    def to_json(self) -> bytes:
        """The event as a JSON object."""
        entries = b",".join(self.entries)
        if self.epoch is None:
            return b'{"entries":[' + entries + b"]}"
        return b'{"epoch":%d,"changes":[' % self.epoch + entries + b"]}"


@dataclass
class EpochChanges:
    """What an epoch has changed; what is said of a store's keys is made once, when the first subscriber wants it."""

    since: int
    epoch: int
    changes: list[Changed]
    _said: dict[str, Entries] = field(default_factory=dict)

    def of(self, store: Store) -> Entries:
        """The changes of a store; of a key that changed more than once the last."""
        if store.name not in self._said:
            last = {each.key: each.value for each in self.changes if each.store == store.name}
            self._said[store.name] = {key: entry(store, key, value) for key, value in last.items()}
        return self._said[store.name]


class HistoryGone(Refusal):
    """What came after an epoch is not known any more."""

    def __init__(self, epoch: int, begin: int | None) -> None:
        known = "nothing is known yet" if begin is None else f"what is known begins behind epoch {begin}"
        hint = "start again without Last-Event-ID and after=: the store comes first, as it is now"
        super().__init__(410, "history_gone", f"the changes after epoch {epoch} are gone: {known}", hint)


class Subscriptions:
    """Follows the replica while anybody watches, and reads each epoch once for all of them."""

    def __init__(self, stores: Stores, service: Service) -> None:
        self.count = 0
        self._restarts = 0  # how often the epochs began anew
        self._service = service
        self._stores = stores
        self._recent: deque[EpochChanges] = deque(maxlen=_RECENT)
        self._news = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    def check(self, after: int) -> None:
        """Refuse an epoch after which not everything is known."""
        begin, _ = self._stores.replica.changes_after(after, most=1)
        if begin is None or begin > after or after > (self._epoch() or 0):
            raise HistoryGone(after, begin)

    async def follow(self, watched: Selection, after: int | None) -> AsyncGenerator[Update]:
        """What is there, unless there is an epoch after which to go on; then the changes of epoch after epoch."""
        self._join()
        restarts = self._restarts
        try:
            if after is None:
                at = await self._first_epoch()
                if at is None:
                    return
                async for part in self._snapshot(watched):
                    yield part
                changes = self._after(watched, at)
                at = changes[-1].epoch if changes and changes[-1].epoch is not None else at
                yield Update([each for update in changes for each in update.entries], at)
            else:
                at = after
            while not self._service.is_stopping:
                news = self._news
                if restarts != self._restarts:
                    raise HistoryGone(at, None)
                for update in self._after(watched, at):
                    at = update.epoch if update.epoch is not None else at
                    yield update
                await news.wait()
        finally:
            self._leave()

    def _join(self) -> None:
        self.count += 1
        if self._task is None:
            self._task = asyncio.get_running_loop().create_task(self._look())

    def _leave(self) -> None:
        self.count -= 1
        if self.count == 0 and self._task is not None:
            self._task.cancel()
            self._task = None
            self._recent.clear()

    async def _look(self) -> None:
        """See what is new, as long as anybody watches; that the server stops is news, too."""
        at = self._epoch()
        while not self._service.is_stopping:
            epoch = self._epoch()
            if epoch != at:
                self._restarts += at is not None and epoch is not None and epoch < at
                self._take(at, epoch)
                at = epoch
                self._wake()
            await asyncio.sleep(_LOOK)
        self._wake()

    def _wake(self) -> None:
        news, self._news = self._news, asyncio.Event()
        news.set()

    def _take(self, before: int | None, now: int | None) -> None:
        if before is None or now is None:
            self._recent.clear()
            return
        found = self._read(before)
        if found is None:
            self._recent.clear()
        else:
            self._recent.extend(found)

    def _read(self, after: int) -> list[EpochChanges] | None:
        """The epochs after one; None if not everything is known of them."""
        begin, found = self._stores.replica.changes_after(after)
        if begin is None or begin > after:
            return None
        before = [after, *(number for number, _ in found)]
        return [EpochChanges(since, number, changes) for since, (number, changes) in zip(before, found, strict=False)]

    def _after(self, watched: Selection, epoch: int) -> list[Update]:
        """What is watched of the epochs after one; of those that changed nothing of it, only the last."""
        updates = [Update(watched.of(each.of(watched.store)), each.epoch) for each in self._epochs_after(epoch)]
        return [each for each in updates[:-1] if each.entries] + updates[-1:]

    def _epochs_after(self, epoch: int) -> Iterable[EpochChanges]:
        if self._recent and self._recent[0].since <= epoch:
            return [each for each in self._recent if each.epoch > epoch]
        found = self._read(epoch)
        if found is None:
            begin, _ = self._stores.replica.changes_after(epoch, most=1)
            raise HistoryGone(epoch, begin)
        return found

    def _epoch(self) -> int | None:
        with self._stores.replica.reading() as snapshot:
            return snapshot.epoch

    async def _first_epoch(self) -> int | None:
        while (epoch := self._epoch()) is None and not self._service.is_stopping:
            await asyncio.sleep(_LOOK)
        return epoch

    async def _snapshot(self, watched: Selection) -> AsyncIterator[Update]:
        """What there is, in parts that are read one after the other; what changes meanwhile comes behind them."""
        if watched.keys:
            yield Update(self._values(watched))
            return
        bounds: Bounds | None = watched.bounds
        while bounds is not None:
            entries, last = self._page(watched.store, bounds)
            if entries:
                yield Update(entries)
            bounds = None if last is None else bounds.after(last)
            await asyncio.sleep(0)

    def _values(self, watched: Selection) -> list[bytes]:
        with self._stores.replica.reading() as snapshot:
            found = ((key, snapshot.get(watched.store.name, key)) for key in sorted(watched.keys))
            return [entry(watched.store, key, value) for key, value in found if value is not None]

    def _page(self, store: Store, bounds: Bounds) -> tuple[list[bytes], bytes | None]:
        entries: list[bytes] = []
        with self._stores.replica.reading() as snapshot:
            for key, value in snapshot.scan(store.name, bounds):
                entries.append(entry(store, key, value))
                if len(entries) == _PAGE:
                    return entries, key
        return entries, None


def entry(store: Store, key: bytes, value: bytes | None) -> bytes:
    """A key and its value as JSON; null if it was deleted."""
    return values.dumps({"key": store.keys.decode(key), "value": orjson.Fragment(value or b"null")})
