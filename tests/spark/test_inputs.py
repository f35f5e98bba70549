"""Topics and checkpoints that change under an app: it waits, goes on, or stops with what to do; never silent loss."""

import shutil

import pytest

import holdfast as hf
from holdfast.errors import DataLoss, HoldfastError, StateMismatch
from holdfast.topics.records import TopicSpec
from tests.eventually import eventually
from tests.spark.conftest import as_record


def counter(topic, suffix):
    app = hf.App(f"counter{suffix}", tasks=4)
    app.stream(topic, "n BIGINT NOT NULL", key=str).group_by_key().count(store="n")
    return app


def feed(topics, topic, first, last, partition=None):
    topics.produce(as_record(topic, f"k{i % 5}", {"n": i}, partition=partition) for i in range(first, last))


def total(stores, app):
    return sum(stores(app)["n"].values())


def test_partitions_that_are_added_are_read_from_their_beginning(topics, drain, stores, new_topic, suffix):
    topic = new_topic("growing", partitions=1)
    feed(topics, topic, 0, 10)
    app = counter(topic, suffix)
    drain(app)
    add_partitions(topics, topic, 3)
    feed(topics, topic, 10, 30, partition=2)
    drain(app)
    assert total(stores, app) == 30


def add_partitions(topics, topic, count):
    from confluent_kafka.admin import AdminClient, NewPartitions

    admin = AdminClient({"bootstrap.servers": topics.brokers})
    for future in admin.create_partitions([NewPartitions(topic, count)]).values():
        future.result()
    eventually(lambda: [i.partitions for i in topics.existing() if i.name == topic], lambda found: found == [count])


def delete_before(topics, topic, offset):
    from confluent_kafka import TopicPartition
    from confluent_kafka.admin import AdminClient

    admin = AdminClient({"bootstrap.servers": topics.brokers})
    for future in admin.delete_records([TopicPartition(topic, 0, offset)]).values():
        future.result()


def test_records_that_expired_unread_stop_the_app_until_it_is_told_to_go_on(
    topics, run, drain, stores, new_topic, suffix
):
    topic = new_topic("expiring", partitions=1)
    feed(topics, topic, 0, 10)
    app = counter(topic, suffix)
    drain(app)
    feed(topics, topic, 10, 30)
    delete_before(topics, topic, 20)
    running = run(app, mode="drain")
    with pytest.raises(DataLoss, match="start once with --skip-lost"):
        running.wait("2 minutes")
    assert total(stores, app) == 10
    assert run(app, mode="drain", skip_lost=True).wait("2 minutes")
    assert total(stores, app) == 20


def test_a_topic_that_was_made_again_is_not_read_with_the_old_offsets(topics, run, drain, new_topic, suffix):
    topic = new_topic("replaced", partitions=1)
    feed(topics, topic, 0, 10)
    app = counter(topic, suffix)
    drain(app)
    topics.delete([topic])
    eventually(lambda: topic not in [info.name for info in topics.existing()])
    with pytest.raises(StateMismatch, match="does not exist any more"):
        run(app)
    topics.create(TopicSpec(topic, 1))
    feed(topics, topic, 0, 30)
    with pytest.raises(StateMismatch, match="was deleted and made again"):
        run(app)


def test_a_checkpoint_that_is_gone_is_not_passed_over(topics, run, drain, new_topic, suffix, tmp_path):
    topic = new_topic("kept", partitions=1)
    feed(topics, topic, 0, 10)
    app = counter(topic, suffix)
    drain(app)
    shutil.rmtree(tmp_path / "state" / app.name / "checkpoint")
    with pytest.raises(StateMismatch, match="the checkpoint of the app is gone"):
        run(app)


def test_a_checkpoint_that_is_half_written_stops_the_app(topics, run, drain, stores, new_topic, suffix, tmp_path):
    topic = new_topic("torn", partitions=1)
    feed(topics, topic, 0, 10)
    app = counter(topic, suffix)
    drain(app)
    offsets = tmp_path / "state" / app.name / "checkpoint" / "offsets"
    last = max((each for each in offsets.iterdir() if each.name.isdigit()), key=lambda each: int(each.name))
    last.write_bytes(last.read_bytes()[:5])
    (offsets / f".{last.name}.crc").unlink(missing_ok=True)
    feed(topics, topic, 10, 20)
    with pytest.raises(HoldfastError):
        run(app, mode="drain").wait("2 minutes")
    assert total(stores, app) == 10
