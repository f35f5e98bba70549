"""What is read is buffered until its epoch is whole: readers see one snapshot of all partitions and stores."""

import json

import pytest
from confluent_kafka import Producer

from holdfast.stores.backend import Stores
from holdfast.stores.changelog import Partition
from holdfast.stores.epoch_buffer import BufferedChange, EpochBuffer, PublishedEpoch
from holdfast.stores.replica import Put
from holdfast.stores.share import Share
from holdfast.stores.status import ChangelogEnds
from tests.eventually import eventually
from tests.stores.publisher import Publisher

A0, A1, B0 = Partition("a", 0), Partition("a", 1), Partition("b", 0)


def change(partition: Partition, offset: int, epoch: int = 1) -> BufferedChange:
    return BufferedChange(partition, offset, Put(partition.topic, f"{partition.number}/{offset}".encode(), b"1"), epoch)


def keys(buffer: EpochBuffer, epoch: PublishedEpoch | None) -> list[str]:
    return [put.key.decode() for put in buffer.take(epoch).puts]


def test_an_epoch_is_whole_when_every_partition_has_reached_its_offset():
    buffer, epoch = EpochBuffer(), PublishedEpoch(1, {A0: 2, A1: 1, B0: 1})
    buffer.publish(epoch)
    for each in (change(A0, 0), change(A0, 1), change(B0, 0), change(A0, 2, 2)):
        buffer.add(each)
        assert buffer.whole(["a", "b"], {}, ChangelogEnds()) is None
    buffer.add(change(A1, 0))
    assert buffer.whole(["a", "b"], {}, ChangelogEnds()) is epoch
    batch = buffer.take(epoch)
    assert [put.key for put in batch.puts] == [b"0/0", b"0/1", b"0/0", b"1/0"]
    assert batch.moved == {A0: 2, A1: 1, B0: 1}
    assert keys(buffer, None) == ["0/2"]


def test_the_latest_whole_epoch_is_taken_and_what_is_beyond_it_waits():
    buffer = EpochBuffer()
    for epoch in range(1, 4):
        buffer.publish(PublishedEpoch(epoch, {A0: epoch, B0: epoch}))
        buffer.add(change(A0, epoch - 1, epoch))
    buffer.add(change(B0, 0))
    buffer.add(change(B0, 1, 2))
    found = buffer.whole(["a", "b"], {}, ChangelogEnds())
    assert found is not None
    assert found.epoch == 2
    assert keys(buffer, found) == ["0/0", "0/1", "0/0", "0/1"]


def test_what_was_applied_before_counts_and_topics_that_are_not_followed_do_not():
    buffer = EpochBuffer()
    buffer.publish(PublishedEpoch(5, {A0: 7, B0: 3}))
    assert buffer.whole(["a"], {}, ChangelogEnds()) is None
    assert buffer.whole(["a"], {A0: 7}, ChangelogEnds()) is not None


def test_of_a_share_only_its_partitions_count():
    buffer = EpochBuffer(Share(1, 2))
    buffer.publish(PublishedEpoch(1, {A0: 2, A1: 1}))
    assert buffer.whole(["a"], {}, ChangelogEnds()) is None
    assert buffer.whole(["a"], {A1: 1}, ChangelogEnds()) is not None


def test_the_next_epoch_is_found_before_later_ones():
    buffer = EpochBuffer()
    epochs = [PublishedEpoch(number, {A0: number}) for number in range(1, 5)]
    for each in epochs:
        buffer.publish(each)
    assert buffer.whole(["a"], {A0: 1}, ChangelogEnds()) is epochs[0]
    assert buffer.whole(["a"], {A0: 3}, ChangelogEnds(), epochs[0]) is epochs[1]
    assert buffer.whole(["a"], {A0: 3}, ChangelogEnds(), epochs[1]) is epochs[2]
    assert buffer.whole(["a"], {A0: 3}, ChangelogEnds(), epochs[2]) is None
    assert buffer.whole(["a"], {A0: 3}, ChangelogEnds(), PublishedEpoch(9, {})) is None


def test_a_topic_made_anew_may_have_less_than_the_epoch_says():
    buffer, epoch = EpochBuffer(), PublishedEpoch(5, {A0: 700}, learned=10.0)
    buffer.publish(epoch)
    buffer.add(change(A0, 2))
    assert (
        buffer.whole(["a"], {}, ChangelogEnds(written={A0: 3}, at=9.0)) is None
    )  # seen before: it may have grown since
    assert buffer.whole(["a"], {}, ChangelogEnds(written={A0: 3}, at=11.0)) is epoch


def test_what_a_partition_has_not_yet_been_told_to_be_committed_is_waited_for():
    buffer = EpochBuffer()
    buffer.publish(PublishedEpoch(5, {A0: 700, A1: 2}, learned=10.0))
    buffer.add(change(A0, 2))
    buffer.add(change(A1, 1))
    committed = {A0: 3, A1: 2}
    assert buffer.short_of_newest(committed) == [A0]
    assert buffer.whole(["a"], {}, ChangelogEnds(last=committed, written={A0: 700, A1: 2}, at=11.0)) is None


def test_too_much_to_keep(monkeypatch):
    monkeypatch.setattr("holdfast.stores.epoch_buffer.MOST", 2)
    buffer = EpochBuffer()
    for offset in range(3):
        buffer.add(change(A0, offset))
    assert buffer.too_many
    buffer.forget("a")
    assert not buffer.too_many


@pytest.mark.broker
def test_half_an_epoch_is_not_seen(broker, tmp_path):
    publisher = Publisher(broker.address).publish(left=("string", "long"), right=("string", "long"))
    publisher.put("left", [(str(n), 1) for n in range(20)], epoch=1, mark=False)
    publisher.put("right", [(str(n), 1) for n in range(20)], epoch=1)
    with Stores(publisher.name, publisher.brokers, tmp_path) as stores:
        stores.wait_ready(90)
        eventually(lambda: stores.status().epoch == 1)
        publisher.put("left", [(str(n), 2) for n in range(20)], epoch=2, mark=False)
        eventually(lambda: sum(stores.status().lag.values()) == 20)

        def seen():
            with stores.replica.pinned() as snapshot:
                sides = [set(dict(stores.store(name).all()).values()) for name in ("left", "right")]
                return snapshot.epoch, *sides

        assert seen() == (1, {1}, {1})
        publisher.put("right", [(str(n), 2) for n in range(20)], epoch=2)
        snapshots = []
        eventually(lambda: snapshots.append(seen()) or snapshots[-1][0] == 2)
        assert all(left == right == {epoch} for epoch, left, right in snapshots)
        publisher.put("left", [("0", 3)], epoch=3, mark=False)
    with Stores(publisher.name, publisher.brokers, tmp_path) as stores:  # ready, though nobody ends epoch 3
        stores.wait_ready(90)
        assert (stores.status().epoch, stores.store("left").get("0")) == (2, 2)


@pytest.mark.broker
def test_a_copy_that_is_far_behind_grows_in_pieces_and_says_no_epoch(broker, tmp_path, monkeypatch):
    monkeypatch.setattr("holdfast.stores.epoch_buffer.MOST", 10)
    publisher = Publisher(broker.address).publish(counts=("string", "long"))
    publisher.put("counts", [("a", 1)], epoch=1)
    with Stores(publisher.name, publisher.brokers, tmp_path) as stores:
        eventually(lambda: stores.status().epoch == 1)
        publisher.put("counts", [(str(n), 1) for n in range(200)], epoch=2, mark=False)
        eventually(lambda: stores.store("counts").count() == 201)
        assert stores.status().epoch is None
        publisher.mark(2)
        eventually(lambda: stores.status().epoch == 2)


def epochs_of(stores):
    with stores.replica.pinned() as snapshot:
        return {name: snapshot.progress(name).epoch for name in ("counts", "unchanged")}


@pytest.mark.broker
def test_an_app_that_begins_anew_counts_its_epochs_anew(broker, tmp_path):
    publisher = Publisher(broker.address).publish(counts=("string", "long"), unchanged=("string", "long"))
    publisher.put("unchanged", [("a", 1)], epoch=99)
    publisher.put("counts", [("a", 1)], epoch=100)
    with Stores(publisher.name, publisher.brokers, tmp_path) as stores:
        eventually(lambda: stores.status().epoch == 100)
        assert epochs_of(stores) == {"counts": 100, "unchanged": 99}
        publisher.mark(-1)
        eventually(lambda: stores.status().epoch is None)
        publisher.put("counts", [("a", 2)], epoch=0, mark=False)
        eventually(lambda: stores.status().lag == {"counts": 1, "unchanged": 0})
        assert epochs_of(stores) == {"counts": 0, "unchanged": 0}
        assert json.dumps(dict(stores.store("counts").all())) == '{"a": 1}'
        publisher.mark(0)
        eventually(lambda: stores.status().epoch == 0)
        assert stores.store("counts").get("a") == 2
        publisher.put("counts", [("a", 3)], epoch=1)
        eventually(lambda: stores.status().epoch == 1)
        assert epochs_of(stores) == {"counts": 1, "unchanged": 0}


@pytest.mark.broker
def test_what_comes_in_real_time_is_seen_at_once_and_epochs_are_whole_again_afterwards(broker, tmp_path):
    publisher = Publisher(broker.address).publish(counts=("string", "long"))
    publisher.put("counts", [("a", 1)], epoch=1)
    with Stores(publisher.name, publisher.brokers, tmp_path) as stores:
        eventually(lambda: stores.status().epoch == 1)
        publisher.mark(1, live=True)
        publisher.put("counts", [("a", 2)], epoch=2, mark=False)
        eventually(lambda: stores.store("counts").get("a") == 2)
        assert stores.status().epoch is None
        assert stores.status().ready
        publisher.mark(2)
        eventually(lambda: stores.status().epoch == 2)
        publisher.put("counts", [("a", 3)], epoch=3, mark=False)
        eventually(lambda: stores.status().lag == {"counts": 1})
        assert stores.store("counts").get("a") == 2


@pytest.mark.broker
def test_a_transaction_that_is_committed_later_than_the_epoch_is_told_is_waited_for(broker, tmp_path):
    publisher = Publisher(broker.address, partitions=1).publish(counts=("string", "long"))
    publisher.put("counts", [("a", 1), ("b", 1)], epoch=1)
    with Stores(publisher.name, publisher.brokers, tmp_path) as stores:
        eventually(lambda: stores.status().epoch == 1)
        late = Producer({"bootstrap.servers": publisher.brokers, "transactional.id": publisher.name})
        late.init_transactions(30)
        late.begin_transaction()
        publisher._producer, plain = late, publisher._producer
        publisher.put("counts", [("a", 2), ("b", 2)], epoch=2, mark=False)
        publisher._producer = plain
        publisher.mark(2)
        eventually(lambda: stores.status().running_epoch == 2)
        measured = stores.follower._state.ends.at
        eventually(lambda: stores.follower._state.ends.at > measured + 2)  # it has looked at the ends since
        assert (stores.status().epoch, dict(stores.store("counts").all())) == (1, {"a": 1, "b": 1})
        late.commit_transaction(30)
        eventually(lambda: stores.status().epoch == 2)
        assert dict(stores.store("counts").all()) == {"a": 2, "b": 2}
