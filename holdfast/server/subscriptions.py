"""Who watches a store: what it has at first, then every epoch's changes, without a gap and without a repeat.

A subscriber knows the epoch up to which it has everything. The history of the replica says what came after it, so
nothing is kept for a subscriber while it waits, and any server that has the history can go on where another stopped.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections import deque
from collections.abc import AsyncGenerator, AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

from holdfast.server import consistency, pages
from holdfast.server.handlers import Service
from holdfast.server.responses import Refusal
from holdfast.stores.backend import Stores
from holdfast.stores.catalog import Store
from holdfast.stores.epoch_position import shown_epoch
from holdfast.stores.history import Changed
from holdfast.stores.keys import Bounds
from holdfast.stores.session_token import SessionToken
from holdfast.stores.snapshot import HISTORY

_LOOK = 0.005
_PAGE = 500
_PAGE_BYTES = 1 << 20
_RECENT = 256
_RECENT_BYTES = 64 << 20
_OVERHEAD = 500  # about what Python takes for a change
_FEW = 1000
_RETRY = 1.0
_EVERYTHING = Bounds()
Entries = Mapping[bytes, bytes]
"""Changed keys as the store orders them, and what is said of each: JSON with the key and its value."""

log = logging.getLogger("holdfast.server")


@dataclass(frozen=True)
class Selection:
    """What of a store is watched: some keys, or all of a range."""

    store: Store
    keys: frozenset[bytes] = frozenset()
    bounds: Bounds = _EVERYTHING

    def of(self, changes: Entries) -> Entries:
        """What is watched of the changes of an epoch."""
        if self.keys:
            return {key: changes[key] for key in self.keys & changes.keys()}
        if self.bounds == _EVERYTHING:
            return changes
        return {key: entry for key, entry in changes.items() if self.bounds.holds(key)}

    def is_of(self, store: Store | None) -> bool:
        """Whether a store is the one that is watched, and holds what it held."""
        ours = self.store
        return store is not None and (store.key, store.value, store.changelog, store.versioned) == (
            (ours.key, ours.value, ours.changelog, ours.versioned)
        )


@dataclass(frozen=True)
class Update:
    """One event: a part of the snapshot, which has no epoch, or everything that epochs up to one have changed."""

    entries: list[bytes]
    epoch: int | None = None
    timeline: str | None = None

    @property
    def kind(self) -> str:
        """Whether it is a part of the snapshot."""
        return "snapshot" if self.epoch is None else "epoch"

    @property
    def id(self) -> str | None:
        """What to come back with: the epoch, and in which timeline it is one."""
        if self.epoch is None or self.timeline is None:
            return None if self.epoch is None else str(self.epoch)
        return f"{self.timeline}.{self.epoch}"

    def to_json(self) -> bytes:
        """The event as a JSON object."""
        entries = b",".join(self.entries)
        if self.epoch is None or self.id is None:
            return b'{"entries":[' + entries + b"]}"
        return b'{"epoch":%d,"id":"%b","changes":[' % (self.epoch, self.id.encode()) + entries + b"]}"


@dataclass
class EpochChanges:
    """What an epoch has changed; what is said of a store's keys is made once, when the first subscriber wants it."""

    since: int
    epoch: int
    changes: list[Changed]
    _said: dict[str, Entries] = field(default_factory=dict)
    _turn: asyncio.Lock = field(default_factory=asyncio.Lock)

    @cached_property
    def size(self) -> int:
        """About how many bytes it takes, with what is said of it."""
        return sum(_OVERHEAD + 2 * (len(each.key) + len(each.value or b"")) for each in self.changes)

    async def of(self, store: Store) -> Entries:
        """The changes of a store; of a key that changed more than once the last."""
        async with self._turn:
            if store.name not in self._said:
                is_much = len(self.changes) > _FEW
                self._said[store.name] = await asyncio.to_thread(self._say, store) if is_much else self._say(store)
        return self._said[store.name]

    def _say(self, store: Store) -> Entries:
        last = {each.key: each.value for each in self.changes if each.store == store.name}
        return {key: pages.entry(store, key, value) for key, value in last.items()}


class HistoryGone(Refusal):
    """What came after an epoch is not known any more."""

    def __init__(self, epoch: int, begin: int | None) -> None:
        known = "nothing is known yet" if begin is None else f"what is known begins behind epoch {begin}"
        hint = "start again without Last-Event-ID and after=: the store comes first, as it is now"
        super().__init__(410, "history_gone", f"the changes after epoch {epoch} are gone: {known}", hint)


class _Mark(NamedTuple):
    """Where a replica is: which history it has, and the epoch at the end of it."""

    history: bytes | None
    epoch: int | None
    timeline: str | None = None


class _Watched(NamedTuple):
    """What an epoch has changed of what is watched."""

    epoch: int
    entries: Entries


class Subscriptions:
    """Follows the replica while anybody watches, and reads each epoch once for all of them."""

    def __init__(self, stores: Stores, service: Service) -> None:
        self.count = 0
        self._service = service
        self._stores = stores
        self._at = _Mark(None, None)
        self._recent: deque[EpochChanges] = deque()
        self._recent_size = 0
        self._reading = asyncio.Lock()
        self._news = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    def check(self, after: SessionToken) -> None:
        """Refuse an epoch after which not everything is known."""
        begin, mark = self._stores.replica.history_begin(), self._mark()
        is_other = after.timeline not in (None, mark.timeline)
        if begin is None or is_other or begin > after.epoch or after.epoch > (mark.epoch or 0):
            raise HistoryGone(after.epoch, None if is_other else begin)

    async def reach(self, after: SessionToken) -> None:
        """Wait for an epoch that another server was at before this one, but not for ever."""
        deadline = time.monotonic() + consistency.TIMEOUT
        while not self._has(after):
            if time.monotonic() > deadline or self._stores.catalog.live:
                return
            await asyncio.sleep(_LOOK)

    def _has(self, after: SessionToken) -> bool:
        """Whether the replica has come so far, or never will."""
        with self._stores.replica.reading() as snapshot:
            position = snapshot.position
            if after.timeline is not None and after.timeline in snapshot.past_timelines:
                return True
        if position is None or after.timeline not in (None, position.timeline):
            return False
        return position.epoch >= after.epoch

    async def follow(self, watched: Selection, after: SessionToken | None) -> AsyncGenerator[Update]:
        """What is there, unless there is an epoch after which to go on; then the changes of epoch after epoch."""
        self._join()
        try:
            while (mark := self._mark()).epoch is None:
                if self._service.is_stopping:
                    return
                await asyncio.sleep(_LOOK)
            if after is not None and after.timeline not in (None, mark.timeline):
                raise HistoryGone(after.epoch, None)
            at = mark.epoch if after is None else after.epoch
            if after is None:
                async for part in self._snapshot(watched):
                    yield part
                completed = await self._complete(watched, mark.history, at)
                at = completed.epoch
                yield Update(list(completed.entries.values()), at, mark.timeline)
            while not self._service.is_stopping:
                news = self._news
                found = await self._after(watched, mark.history, at)
                for each in found:
                    at = each.epoch
                    yield Update(list(each.entries.values()), at, mark.timeline)
                if not found:
                    await news.wait()
        finally:
            self._leave()

    def _join(self) -> None:
        self.count += 1
        if self._task is None:
            self._at = self._mark()
            self._task = asyncio.get_running_loop().create_task(self._look())

    def _leave(self) -> None:
        self.count -= 1
        if self.count == 0 and self._task is not None:
            self._task.cancel()
            self._task = None
            self._forget()

    def _forget(self) -> None:
        self._recent.clear()
        self._recent_size = 0

    async def _look(self) -> None:
        """See what is new, as long as anybody watches; that the server stops is news, too."""
        while not self._service.is_stopping:
            try:
                is_new = await self._take()
            except Exception:
                log.exception("the changes of %s cannot be read", self._stores.app)
                self._forget()
                is_new = True  # those who watch read by themselves, and fail by themselves
                await asyncio.sleep(_RETRY)
            if is_new:
                self._wake()
            await asyncio.sleep(_LOOK)
        self._wake()

    def _wake(self) -> None:
        news, self._news = self._news, asyncio.Event()
        news.set()

    async def _take(self) -> bool:
        """Read what came since the last look, or a part of it; false if nothing did."""
        before, now = self._at, self._mark()
        if before == now:
            return False
        found = await self._read(before.epoch) if before.epoch is not None and before.history == now.history else None
        if not found or self._mark().history != before.history:
            self._forget()
            self._at = now
            return True
        self._recent.extend(found)
        self._recent_size += sum(each.size for each in found)
        while len(self._recent) > 1 and (len(self._recent) > _RECENT or self._recent_size > _RECENT_BYTES):
            self._recent_size -= self._recent.popleft().size
        self._at = _Mark(now.history, found[-1].epoch, now.timeline)
        return True

    async def _read(self, after: int) -> list[EpochChanges] | None:
        """The epochs after one, some of them if there are many; None if not everything is known of them."""
        begin, found = await asyncio.to_thread(self._stores.replica.changes_after, after)
        if begin is None or begin > after:
            return None
        before = [after, *(number for number, _ in found)]
        return [EpochChanges(since, number, changes) for since, (number, changes) in zip(before, found, strict=False)]

    async def _after(self, watched: Selection, history: bytes | None, epoch: int) -> list[_Watched]:
        """What is watched of the epochs after one; of those that changed nothing of it, only the last."""
        try:
            epochs = await self._epochs_after(history, epoch)
            found = [_Watched(each.epoch, watched.of(await each.of(watched.store))) for each in epochs]
        except Exception:
            self._check_same(watched, history, epoch)  # keys of another type cannot be read
            raise
        self._check_same(watched, history, epoch)  # only then is what was read what follows
        return [each for each in found[:-1] if each.entries] + found[-1:]

    async def _epochs_after(self, history: bytes | None, epoch: int) -> Sequence[EpochChanges]:
        if self._at.history == history and self._recent and self._recent[0].since <= epoch:
            return [each for each in self._recent if each.epoch > epoch]
        async with self._reading:  # one after the other: what is read may be much
            found = await self._read(epoch)
        if found is None:
            raise HistoryGone(epoch, self._stores.replica.history_begin())
        return found

    async def _complete(self, watched: Selection, history: bytes | None, epoch: int) -> _Watched:
        """What changed while a snapshot was read, up to an epoch that no part of it is behind."""
        until = self._mark().epoch
        entries: dict[bytes, bytes] = {}
        self._check_same(watched, history, epoch)
        while until is not None and epoch < until:
            found = await self._after(watched, history, epoch)
            for each in found:
                entries.update(each.entries)
                epoch = each.epoch
            if not found:
                await asyncio.sleep(_LOOK)
        return _Watched(epoch, entries)

    def _check_same(self, watched: Selection, history: bytes | None, epoch: int) -> None:
        """Refuse to go on where the history, or the store, is not the one that was followed."""
        if self._mark().history != history or not watched.is_of(self._stores.catalog.stores.get(watched.store.name)):
            raise HistoryGone(epoch, None)

    def _mark(self) -> _Mark:
        with self._stores.replica.reading() as snapshot:
            position = snapshot.position
            timeline = None if position is None else position.timeline
            return _Mark(snapshot.meta(HISTORY), shown_epoch(position), timeline)

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
            return [pages.entry(watched.store, key, value) for key, value in found if value is not None]

    def _page(self, store: Store, bounds: Bounds) -> tuple[list[bytes], bytes | None]:
        entries: list[bytes] = []
        size = 0
        with self._stores.replica.reading() as snapshot:
            for key, value in snapshot.scan(store.name, bounds):
                entries.append(pages.entry(store, key, value))
                size += len(entries[-1])
                if len(entries) == _PAGE or size > _PAGE_BYTES:
                    return entries, key
        return entries, None
