"""Subscriptions to a replica that is written in all the ways there are: nothing is lost, repeated or torn."""

import asyncio
from types import SimpleNamespace

import orjson
import pytest

from holdfast.server import subscriptions
from holdfast.server.handlers import Service
from holdfast.server.subscriptions import HistoryGone, Selection, Subscriptions
from holdfast.stores.catalog import Store
from holdfast.stores.replica import Put, Replica
from holdfast.stores.snapshot import Progress
from holdfast.types import LONG, STRING

COUNTS = Store("counts", "key-value", STRING, LONG, "t")
MANY = 10_001


class Followed:
    """A replica, and subscriptions to it."""

    def __init__(self, directory):
        self.replica = Replica(directory)
        stores = SimpleNamespace(app="app", replica=self.replica, catalog=SimpleNamespace(stores={"counts": COUNTS}))
        self.subscriptions = Subscriptions(stores, Service())

    def apply(self, epoch, *changes):
        """Changes are a key, a value and the epoch they are of."""
        puts = [Put("counts", COUNTS.keys.encode(k), b"%d" % value, epoch=of) for k, value, of in changes]
        self.replica.apply(puts, {}, {"epoch": None if epoch is None else b"%d" % epoch})

    def follow(self, after=None):
        return self.subscriptions.follow(Selection(COUNTS), after)


@pytest.fixture
def followed(tmp_path):
    made = Followed(tmp_path / "replica")
    yield made
    made.replica.close()


async def following(updates):
    return await asyncio.wait_for(anext(updates), 20)


async def begun(updates):
    """What there is at first."""
    state = {}
    while True:
        update = await following(updates)
        state |= {each["key"]: each["value"] for each in map(orjson.loads, update.entries)}
        if update.epoch is not None:
            return update.epoch, state


async def until(updates, epoch):
    found = [await following(updates)]
    while found[-1].epoch < epoch:
        found.append(await following(updates))
    return [(each.epoch, len(each.entries)) for each in found]


def test_epochs_that_come_at_once_are_not_lost_however_many_changes_they_have(followed):
    async def run():
        followed.apply(1, ("a", 1, 1))
        updates, late = followed.follow(), followed.follow()
        await begun(updates), await begun(late)
        followed.apply(4, *((f"k{n}", n, 2) for n in range(MANY)), ("x", 3, 3), ("y", 4, 4))
        assert await until(updates, 4) == [(2, MANY), (3, 1), (4, 1)]
        followed.apply(5, ("z", 5, 5))
        assert await until(updates, 5) == [(5, 1)]
        assert await until(late, 5) == [(2, MANY), (3, 1), (4, 1), (5, 1)]
        await updates.aclose(), await late.aclose()

    asyncio.run(run())


def test_an_epoch_that_comes_while_others_are_read_is_not_repeated(followed, monkeypatch):
    read = followed.replica.changes_after

    def read_late(*arguments, **named):
        if more:
            followed.apply(*more.pop())
        return read(*arguments, **named)

    more = []
    monkeypatch.setattr(followed.replica, "changes_after", read_late)

    async def run():
        followed.apply(1, ("a", 1, 1))
        updates, late = followed.follow(), followed.follow()
        await begun(updates), await begun(late)
        await asyncio.sleep(0.05)
        more.append((3, ("a", 3, 3)))
        followed.apply(2, ("a", 2, 2))
        await asyncio.sleep(0.1)
        assert await until(updates, 3) == [(2, 1), (3, 1)]
        followed.apply(4, ("a", 4, 4))
        assert await until(updates, 4) == [(4, 1)]
        assert await until(late, 4) == [(2, 1), (3, 1), (4, 1)]
        await updates.aclose(), await late.aclose()

    asyncio.run(run())


def test_a_snapshot_is_that_of_its_epoch_when_another_comes_before_its_last_page(followed, monkeypatch):
    async def run():
        followed.apply(1, *((f"k{n:04}", 1, 1) for n in range(1000)))
        first = followed.follow()
        await begun(first)
        followed.apply(2, ("k0000", 2, 2))
        await following(first)
        monkeypatch.setattr(subscriptions, "_LOOK", 0.5)
        await asyncio.sleep(0.02)  # from now on it looks seldom
        updates = followed.follow()
        await following(updates)
        followed.apply(3, *((f"k{n:04}", 3, 3) for n in range(1000)))
        epoch, _ = await begun(updates)
        assert epoch == 3
        await updates.aclose(), await first.aclose()

    asyncio.run(run())


@pytest.mark.parametrize("between", [(), (-1,), (None,)])
def test_an_app_that_begins_again_ends_subscriptions_however_it_comes_to_it(followed, between):
    async def run():
        followed.apply(7, ("a", 1, 7))
        updates = followed.follow()
        await begun(updates)
        waiting = asyncio.ensure_future(anext(updates))
        await asyncio.sleep(0.03)
        for epoch in (*between, 0):
            followed.apply(epoch, ("b", 2, 0))
            await asyncio.sleep(0.03)
        with pytest.raises(HistoryGone):
            await asyncio.wait_for(waiting, 5)

    asyncio.run(run())


def test_a_store_that_is_read_from_the_beginning_ends_subscriptions_though_the_epoch_is_the_same(followed):
    async def run():
        followed.apply(5, ("a", 1, 5))
        updates = followed.follow()
        await begun(updates)
        waiting = asyncio.ensure_future(anext(updates))
        await asyncio.sleep(0.03)
        followed.replica.rebuild("counts", Progress("t", "other", STRING, LONG))
        followed.apply(5, ("b", 2, 5))
        with pytest.raises(HistoryGone):
            await asyncio.wait_for(waiting, 5)

    asyncio.run(run())


def test_a_huge_epoch_does_not_hold_up_the_loop(followed):
    async def run():
        followed.apply(1, ("a", 1, 1))
        updates = followed.follow()
        await begun(updates)
        followed.apply(2, *((f"k{n:06}", n, 2) for n in range(100_000)))
        turns = 0
        waiting = asyncio.ensure_future(anext(updates))
        while not waiting.done():
            await asyncio.sleep(0)
            turns += 1
        assert len((await waiting).entries) == 100_000
        assert turns > 100
        await updates.aclose()

    asyncio.run(run())


def test_no_more_is_kept_in_memory_than_wanted(followed, monkeypatch):
    monkeypatch.setattr(subscriptions, "_RECENT_BYTES", 100_000, raising=False)

    async def run():
        followed.apply(1, ("a", 1, 1))
        updates, late = followed.follow(), followed.follow()
        await begun(updates), await begun(late)
        for epoch in range(2, 12):
            followed.apply(epoch, *((f"k{n:06}", n, epoch) for n in range(100)))
            await following(updates)
        assert len(followed.subscriptions._recent) < 3
        assert await until(late, 11) == [(epoch, 100) for epoch in range(2, 12)]
        await updates.aclose(), await late.aclose()

    asyncio.run(run())


def test_large_values_come_in_small_parts(followed, monkeypatch):
    monkeypatch.setattr(subscriptions, "_PAGE_BYTES", 300, raising=False)

    async def run():
        followed.apply(1, *((f"k{n:0100}", n, 1) for n in range(20)))
        updates = followed.follow()
        assert len((await following(updates)).entries) == 3
        assert len((await begun(updates))[1]) == 17
        await updates.aclose()

    asyncio.run(run())


def test_what_fails_once_does_not_stop_the_others(followed, monkeypatch):
    monkeypatch.setattr(subscriptions, "_RETRY", 0.01, raising=False)
    read = followed.replica.changes_after

    def fail_once(*arguments, **named):
        if failures:
            raise failures.pop()
        return read(*arguments, **named)

    failures = []
    monkeypatch.setattr(followed.replica, "changes_after", fail_once)

    async def run():
        followed.apply(1, ("a", 1, 1))
        updates = followed.follow()
        await begun(updates)
        waiting = asyncio.ensure_future(anext(updates))
        await asyncio.sleep(0.03)
        failures.append(OSError("once"))
        followed.apply(2, ("a", 2, 2))
        assert (await asyncio.wait_for(waiting, 5)).epoch == 2
        await updates.aclose()

    asyncio.run(run())
