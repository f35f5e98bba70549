"""The changes of the latest epochs: whole, in order, without gaps, and no more than are wanted."""

import pytest

from holdfast.stores.history import Changed, Retention
from holdfast.stores.replica import Put, Replica


@pytest.fixture
def replica(tmp_path):
    made = Replica(tmp_path / "replica")
    yield made
    made.close()


def apply(replica, epoch, **values):
    puts = [Put("counts", key.encode(), value and value.encode()) for key, value in values.items()]
    replica.apply(puts, {}, {"epoch": None if epoch is None else str(epoch).encode()})


def change(key, value):
    return Changed("counts", key.encode(), value and value.encode())


def test_nothing_is_known_before_the_first_epoch(replica):
    assert replica.changes_after(0) == (None, [])


def test_nothing_is_known_when_the_app_has_published_itself_and_ended_no_epoch(replica):
    apply(replica, -1)
    assert replica.changes_after(0) == (None, [])
    apply(replica, 0, a="1")
    apply(replica, 1, a="2")
    assert replica.changes_after(0) == (0, [(1, [change("a", "2")])])


def test_the_history_begins_behind_the_first_epoch_that_is_whole(replica):
    apply(replica, None, a="1", b="2")
    apply(replica, 5, a="3")
    assert replica.changes_after(0) == (5, [])
    apply(replica, 6, a="4", b=None)
    assert replica.changes_after(5) == (5, [(6, [change("a", "4"), change("b", None)])])
    assert replica.changes_after(6) == (5, [])


def test_epochs_that_are_applied_at_once_are_kept_apart(replica):
    apply(replica, 1, a="1")
    puts = [Put("counts", b"a", b"2", epoch=2), Put("counts", b"b", b"3", epoch=3), Put("counts", b"a", b"4", epoch=3)]
    replica.apply(puts, {}, {"epoch": b"4"})
    both = [change("b", "3"), change("a", "4")]
    assert replica.changes_after(1) == (1, [(2, [change("a", "2")]), (3, both), (4, [])])
    assert replica.changes_after(2) == (1, [(3, both), (4, [])])


def test_an_epoch_without_changes_is_an_epoch(replica):
    apply(replica, 1, a="1")
    apply(replica, 3)
    assert replica.changes_after(1) == (1, [(3, [])])


def test_a_note_of_the_same_epoch_adds_nothing(replica):
    apply(replica, 1, a="1")
    apply(replica, 2, a="2")
    apply(replica, 2)
    assert replica.changes_after(1) == (1, [(2, [change("a", "2")])])


def test_pieces_that_are_no_whole_epoch_end_the_history(replica):
    apply(replica, 1, a="1")
    apply(replica, 2, a="2")
    apply(replica, None, a="3")
    assert replica.changes_after(1) == (None, [])
    apply(replica, 4, a="4")
    assert replica.changes_after(1) == (4, [])


def test_an_app_that_begins_anew_begins_a_history(replica):
    apply(replica, 7, a="1")
    apply(replica, 8, a="2")
    apply(replica, 0, a="3")
    apply(replica, 1, a="4")
    assert replica.changes_after(0) == (0, [(1, [change("a", "4")])])


def test_an_app_that_has_ended_no_epoch_yet_has_no_history(replica):
    apply(replica, -1)
    assert replica.changes_after(0) == (None, [])
    apply(replica, 0, a="1")
    assert replica.changes_after(0) == (0, [])
    apply(replica, 1, a="2")
    apply(replica, -1, a=None)
    assert replica.changes_after(0) == (None, [])
    apply(replica, 0, a="3")
    assert replica.changes_after(0) == (0, [])


def test_whole_epochs_are_given_until_there_are_enough(replica):
    apply(replica, 0)
    for epoch in (1, 2, 3):
        apply(replica, epoch, a=str(epoch), b=str(epoch))
    _, found = replica.changes_after(0, most=3)
    assert [epoch for epoch, _ in found] == [1, 2]


def test_no_more_bytes_are_kept_than_wanted(tmp_path):
    replica = Replica(tmp_path / "small", retention=Retention(bytes=100))
    for epoch in range(20):
        apply(replica, epoch, a="x" * 30)
    begin, _ = replica.changes_after(0)
    assert begin == 17
    assert [epoch for epoch, _ in replica.changes_after(17)[1]] == [18, 19]
    replica.close()


def test_old_epochs_go_but_the_latest_stays(tmp_path):
    replica = Replica(tmp_path / "short", retention=Retention(milliseconds=-1))
    for epoch in range(5):
        apply(replica, epoch, a=str(epoch))
    assert replica.changes_after(3) == (3, [(4, [change("a", "4")])])
    replica.close()


def test_the_history_outlives_the_process(tmp_path):
    first = Replica(tmp_path / "replica")
    apply(first, 1, a="1")
    apply(first, 2, a="2")
    first.close()
    second = Replica(tmp_path / "replica")
    assert second.changes_after(1) == (1, [(2, [change("a", "2")])])
    second.close()
