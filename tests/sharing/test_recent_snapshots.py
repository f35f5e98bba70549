"""The latest epochs of a replica can be read for a while, each as it was."""

import threading

import pytest

from holdfast.sharing.recent_snapshots import RecentSnapshots
from holdfast.stores.replica import Put, Replica


@pytest.fixture
def replica(tmp_path):
    made = Replica(tmp_path / "replica")
    yield made
    made.close()


def write(replica, epoch, value):
    meta = {"epoch": None if epoch is None else str(epoch).encode()}
    replica.apply([Put("names", b"\x01a", value, epoch=epoch or 0)], {}, meta)


def read(recent, epoch):
    with recent.reading(epoch) as snapshot:
        return None if snapshot is None else snapshot.get("names", b"\x01a")


def following(replica, **more):
    recent = RecentSnapshots(replica, **more)
    replica.on_change = recent.take
    return recent


def test_each_epoch_is_read_as_it_was(replica):
    recent = following(replica)
    for epoch in (1, 2, 3):
        write(replica, epoch, b"%d" % epoch)
    assert [read(recent, epoch) for epoch in (0, 1, 2, 3, 4)] == [None, b"1", b"2", b"3", None]
    assert recent.newest == 3
    recent.close()


def test_only_the_latest_are_kept_and_those_that_are_read(replica):
    recent = following(replica, most=2)
    write(replica, 1, b"1")
    with recent.reading(1) as snapshot:
        for epoch in (2, 3, 4):
            write(replica, epoch, b"x")
        assert snapshot.get("names", b"\x01a") == b"1"
        assert [read(recent, epoch) is None for epoch in (1, 2, 3, 4)] == [False, True, True, False]
    recent.close()


def test_they_go_with_their_age(replica):
    recent = following(replica, age=0)
    write(replica, 1, b"1")
    write(replica, 2, b"2")
    assert (read(recent, 1), read(recent, 2)) == (None, b"2")
    recent.close()


def test_a_replica_that_begins_again_has_none_of_its_earlier_epochs(replica):
    recent = following(replica)
    write(replica, 5, b"old")
    with recent.reading(5) as snapshot:
        write(replica, None, b"between")
        assert (recent.newest, read(recent, 5)) == (None, None)
        write(replica, 5, b"new")
        assert read(recent, 5) == b"new"
        assert snapshot.get("names", b"\x01a") == b"old"
    write(replica, 4, b"earlier")
    assert (read(recent, 5), read(recent, 4)) == (None, b"earlier")
    recent.close()


def test_an_epoch_that_is_to_come_is_waited_for(replica):
    recent = following(replica)
    write(replica, 1, b"1")
    assert recent.await_epoch(1, 0)
    assert not recent.await_epoch(2, 0.01)
    threading.Timer(0.05, write, (replica, 2, b"2")).start()
    assert recent.await_epoch(2, 30)
    write(replica, 4, b"4")
    assert recent.await_epoch(3, 0)  # it will not come any more
    recent.close()
