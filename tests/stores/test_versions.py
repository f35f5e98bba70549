"""Versions in the LMDB copy: by time, forgotten when they were over for long."""

import pytest

from holdfast.stores import versions
from holdfast.stores.keys import KeyType
from holdfast.stores.replica import Put, Replica
from holdfast.stores.snapshot import Progress
from holdfast.types import from_json


def key_type(of):
    return KeyType(from_json(of))


KEY = key_type("string").encode("k")
PROGRESS = Progress("app-s-changelog", "id", from_json("string"), from_json("string"), {0: 5}, 3, 0)


@pytest.fixture
def replica(tmp_path):
    opened = Replica(tmp_path / "replica")
    yield opened
    opened.close()


def put(replica, *puts, key=KEY, kept=100):
    changes = [Put("s", key, value, time, kept) for time, value in puts]
    replica.apply(changes, {"s": PROGRESS}, {"epoch": b"3"})


def rows(replica, key=KEY, time=None):
    with replica.reading() as snapshot:
        return list(snapshot.versions("s", key, time))


def latest(replica):
    with replica.reading() as snapshot:
        return snapshot.get("s", KEY)


def test_versions_are_ordered_by_time_and_the_last_is_the_value(replica):
    put(replica, (10, b"1"), (30, b"3"), (20, b"2"))
    assert rows(replica) == [(10, b"1"), (20, b"2"), (30, b"3")]
    assert latest(replica) == b"3"


def test_a_delete_is_a_version(replica):
    put(replica, (10, b"1"), (20, None), (15, b"x"))
    assert rows(replica) == [(10, b"1"), (15, b"x"), (20, None)]
    assert latest(replica) is None


def test_what_was_over_for_long_is_forgotten(replica):
    put(replica, (10, b"1"), (20, b"2"), (120, b"3"))
    assert rows(replica) == [(20, b"2"), (120, b"3")]
    put(replica, (500, b"4"))
    assert rows(replica) == [(120, b"3"), (500, b"4")]


def test_keys_do_not_mix(replica):
    other = key_type("string").encode("k2")
    put(replica, (10, b"1"))
    put(replica, (5, b"9"), key=other)
    assert (rows(replica), rows(replica, other)) == ([(10, b"1")], [(5, b"9")])
    assert rows(replica, b"unknown") == []


def test_a_rebuilt_store_forgets_its_versions(replica):
    put(replica, (10, b"1"))
    replica.rebuild("s", PROGRESS)
    assert rows(replica) == []


def test_what_held_when():
    found = [(10, b"1"), (20, None), (30, b"3")]
    assert [versions.at(found, time) for time in (9, 10, 20, 30)] == [None, b"1", None, b"3"]
    assert [each.since for each in versions.between(found, 15, 20)] == [10, 20]
    assert [each.since for each in versions.between(found, 20, None)] == [20, 30]
    assert next(versions.between(found, None, None)) == (10, 20, b"1")


def test_versions_are_read_from_the_one_on_that_held(replica):
    put(replica, *((time, b"%d" % time) for time in range(0, 20_000, 10)), kept=1 << 40)
    put(replica, (7, b"7"), key=key_type("string").encode("k2"))
    assert rows(replica) == [(time, b"%d" % time) for time in range(0, 20_000, 10)]
    for time, first in ((0, 0), (9, 0), (10, 10), (15_555, 15_550), (19_990, 19_990), (1 << 70, 19_990), (-5, 0)):
        assert rows(replica, time=time)[0][0] == first
    assert rows(replica, key_type("string").encode("k2"), 6) == [(7, b"7")]
    assert rows(replica, b"unknown", 6) == []


def test_what_is_read_follows_what_is_asked_for_and_not_what_there_is(replica, monkeypatch):
    put(replica, *((time, b"1") for time in range(5000)), kept=1 << 40)
    read = []
    monkeypatch.setattr(
        versions, "_version", lambda place, stored: read.append(1) or (int.from_bytes(place[-8:]), stored)
    )
    with replica.reading() as snapshot:
        assert next(versions.between(snapshot.versions("s", KEY, 4000), 4000, 4001)).since == 4000
        assert versions.at(snapshot.versions("s", KEY, 3000), 3000)
    assert len(read) < 1100
