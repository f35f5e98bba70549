"""Records that somebody else writes into the topics of an app: a replica skips and counts them, and goes on."""

import json
import logging

import pytest
from confluent_kafka import Producer

from holdfast.stores import connection
from holdfast.stores.backend import Stores
from holdfast.stores.catalog import Catalog, NotOfTheApp
from tests.eventually import eventually
from tests.stores.publisher import Publisher

STORE = {"key": "string", "value": "long", "changelog": "x-changelog", "node": "n"}
NEWS = [
    (b"epoch", b"{"), (b"epoch", b"\xff\xfe"), (b"epoch", b"[]"), (b"epoch", b"7"), (b"epoch", b"{}"), (b"epoch", b""),
    (b"epoch", None), (b"epoch", b'{"epoch":"7"}'), (b"epoch", b'{"epoch":7,"offsets":[1]}'),
    (b"epoch", b'{"epoch":7,"offsets":{"t":{"x":1}}}'), (b"epoch", b'{"epoch":7,"offsets":{"t":{"0":"y"}}}'),
    (b"topology", b"null"), (b"topology", b'{"topology":7,"stores":{}}'), (b"topology", b'{"stores":{}}'),
    (b"topology", b'{"topology":{"nodes":[1]},"stores":{}}'), (b"topology", b'{"topology":{},"stores":[]}'),
    *((b"topology", json.dumps({"topology": {}, "stores": {"s": {**STORE, **wrong}}}).encode())
      for wrong in ({"key": 7}, {"value": {"type": "struct"}}, {"changelog": 5}, {"changelog": "a b"})),
    (b"offset", b"garbage"), (b"id", b"garbage"), (b"k" * 600, b"{}"), (b"\xff", b"{}"), (None, b"{}"), (b"", b""),
]  # fmt: skip


@pytest.mark.parametrize(("key", "value"), NEWS)
def test_what_no_app_publishes_is_refused(key, value):
    with pytest.raises(NotOfTheApp):
        Catalog("shop").updated(key, value)


@pytest.fixture
def publisher(broker):
    return Publisher(broker.address)


@pytest.fixture
def write(publisher):
    producer = Producer({"bootstrap.servers": publisher.brokers, "acks": "all"})

    def send(topic, key, value, **more):
        producer.produce(topic, value, key, **more)
        assert producer.flush(30) == 0

    return send


@pytest.mark.broker
def test_in_the_meta_topic(publisher, write, tmp_path, caplog):
    publisher.publish(counts=("string", "long"))
    publisher.put("counts", [("a", 1)])
    written = [
        (key, value) for key, value in NEWS if key is not None
    ]  # a compacted topic refuses records without a key
    with (
        caplog.at_level(logging.WARNING, "holdfast.stores"),
        Stores(publisher.name, publisher.brokers, tmp_path) as stores,
    ):
        stores.wait_ready(90)
        for key, value in written:
            write(f"{publisher.name}-meta", key, value)
        publisher.put("counts", [("a", 2)], epoch=2)
        eventually(lambda: stores.store("counts").get("a") == 2)
        status = stores.status()
        assert (status.problem, status.epoch, status.skipped) == (None, 2, len(written))
        assert status.skipped_by_topic == {f"{publisher.name}-meta": len(written)}
    assert len(caplog.messages) == 3
    assert all(f"{publisher.name}-meta, partition 0, offset" in each for each in caplog.messages)
    with Stores(publisher.name, publisher.brokers, tmp_path) as again:
        again.wait_ready(90)
        assert again.store("counts").get("a") == 2


@pytest.mark.broker
def test_in_a_changelog(publisher, write, tmp_path, caplog):
    publisher.publish(counts=("long", "long"))
    publisher.put("counts", [(1, 1), (2, 2)])
    topic, epoch = publisher.changelog("counts"), [("hf-epoch", b"1")]
    for key, value, headers in [
        (b"1", b"7", []), (b"1", b"7", [("hf-epoch", b"x")]), (b"1", b"7", [("hf-epoch", None)]),
        (b"1", b"7", [("hf-epoch", b"9" * 5000)]), (b"1", b"{", epoch), (b"x", b"7", epoch), (b"\xff", b"7", epoch),
        (b"[" * 100_000, b"7", epoch), (b"9" * 5000, b"7", epoch), (b"1", None, []),
    ]:  # fmt: skip
        write(topic, key, value, headers=headers, partition=0)
    with (
        caplog.at_level(logging.WARNING, "holdfast.stores"),
        Stores(publisher.name, publisher.brokers, tmp_path) as stores,
    ):
        stores.wait_ready(90)
        publisher.put("counts", [(3, 3)], epoch=2)
        eventually(lambda: dict(stores.store("counts").all()) == {1: 1, 2: 2, 3: 3})
        assert stores.status().skipped_by_topic == {topic: 10}
    assert len(caplog.messages) == 3


@pytest.mark.broker
def test_a_replica_that_cannot_go_on_says_so(publisher, tmp_path, monkeypatch):
    publisher.publish(counts=("string", "long"))
    publisher.put("counts", [("a", 1)])
    with Stores(publisher.name, publisher.brokers, tmp_path) as stores:
        stores.wait_ready(90)
        assert stores.follower.stuck is None

        def full(*_):
            raise OSError("no space left on device")

        monkeypatch.setattr(connection.Connection, "_apply_epochs", full)
        assert eventually(lambda: stores.follower.stuck) == "no space left on device"
        assert eventually(lambda: stores.status().problem) == "no space left on device"
        monkeypatch.undo()
        eventually(lambda: stores.follower.stuck is None)
        publisher.put("counts", [("a", 2)], epoch=2)
        eventually(lambda: stores.store("counts").get("a") == 2)
