"""Keys that are too long for LMDB: in order, in both directions, and a page costs what it shows."""

import random
from itertools import islice

import pytest

from holdfast.stores import order
from holdfast.stores import snapshot as snapshots
from holdfast.stores.keys import PREFIX, Bounds, KeyType
from holdfast.stores.replica import Put, Replica
from holdfast.stores.snapshot import Progress
from holdfast.types import from_json


def key_type(of):
    return KeyType(from_json(of))


PROGRESS = Progress("app-s-changelog", "id", from_json("string"), from_json("long"), {0: 5}, 3, 0)
KEY = key_type("string")


@pytest.fixture
def replica(tmp_path):
    opened = Replica(tmp_path / "replica")
    yield opened
    opened.close()


def apply(replica, changes):
    replica.apply([Put("s", key, value) for key, value in changes.items()], {"s": PROGRESS}, {"epoch": b"3"})


def scan(replica, bounds=Bounds(), reverse=False):  # noqa: B008
    with replica.reading() as snapshot:
        return list(snapshot.scan("s", bounds, reverse=reverse))


def rows_of_the_index(replica):
    index = replica.environment.find_database(order.database_name("s"))
    with replica.environment.read() as txn:
        return txn.stat(index)["entries"]


def made_up(rng):
    """A key that shares much with others: about LMDB's limit, about pieces of the index, and far beyond."""
    edges = [PREFIX, PREFIX + order.PIECE, PREFIX + 2 * order.PIECE]
    lengths = [1, 510, 511, 3000, *edges, *(edge - 1 for edge in edges), *(edge + 1 for edge in edges)]
    key = bytearray(rng.choice(lengths))
    for at in (PREFIX, PREFIX + 1, PREFIX + order.PIECE - 1, PREFIX + order.PIECE, PREFIX - 1, len(key) - 1):
        if at < len(key) and rng.random() < 0.5:
            key[at] = rng.choice([0, 1, 255])
    return b"\x01" + bytes(key)[1:]


@pytest.mark.parametrize("seed", range(20))
def test_every_range_is_what_a_sorted_dict_has(replica, seed):
    rng = random.Random(seed)
    model = {}
    for _ in range(6):
        changes = {made_up(rng): rng.choice([b"1", b"2", None]) for _ in range(60)}
        changes |= dict.fromkeys(rng.sample(sorted(model), len(model) // 3))
        apply(replica, changes)
        model = {key: value for key, value in (model | changes).items() if value is not None}
        for _ in range(20):
            low, high = (rng.choice([None, made_up(rng)]) for _ in range(2))
            bounds = Bounds(low, high)
            wanted = [(key, model[key]) for key in sorted(model) if bounds.holds(key)]
            assert scan(replica, bounds) == wanted
            assert scan(replica, bounds, reverse=True) == wanted[::-1]
        with replica.reading() as snapshot:
            assert snapshot.count("s") == len(model)
            assert all(snapshot.get("s", key) == value for key, value in model.items())
    apply(replica, dict.fromkeys(model))
    assert rows_of_the_index(replica) == 0


def test_a_page_costs_what_it_shows(replica, monkeypatch):
    """All keys have one long beginning: the tenth page must not read what the first nine have shown."""
    keys = [KEY.encode("k" * 600 + f"{n:05}") for n in range(5000)]
    apply(replica, dict.fromkeys(keys, b"1"))
    read, entry = [], snapshots._entry
    monkeypatch.setattr(snapshots, "_entry", lambda txn, database, key: read.append(key) or entry(txn, database, key))
    shown, after = [], Bounds()
    while True:
        with replica.reading() as snapshot:
            page = [key for key, _ in islice(snapshot.scan("s", after), 1000)]
        if not page:
            break
        shown += page
        after = after.after(page[-1])
    assert shown == keys
    assert len(read) < 2 * len(keys)


def test_a_key_of_a_megabyte(replica):
    keys = [KEY.encode("m" * 1_000_000 + str(n)) for n in range(3)]
    apply(replica, dict.fromkeys(keys, b"1"))
    assert [key for key, _ in scan(replica)] == keys
    assert [key for key, _ in scan(replica, reverse=True)] == keys[::-1]
    apply(replica, dict.fromkeys(keys))
    assert rows_of_the_index(replica) == 0


def test_a_store_that_is_rebuilt_begins_with_an_empty_index(replica):
    apply(replica, {KEY.encode("r" * 600): b"1"})
    replica.rebuild("s", PROGRESS)
    assert scan(replica) == []
    assert rows_of_the_index(replica) == 0
