"""A broker that is killed and comes back: the app waits and goes on, and nothing is missing."""

import json
import os
import signal
import time
from dataclasses import replace

import holdfast as hf
from holdfast.ops.broker import Broker
from holdfast.runtime import start
from holdfast.stores.backend import Stores
from holdfast.stores.catalog import StoreNotReady, UnknownStore
from holdfast.topics.admin import Topics
from holdfast.topics.records import Record, TopicSpec
from tests.eventually import eventually
from tests.ports import lasting_port


def feed(topics, first, last):
    topics.produce(Record("ticks", b"k%d" % (i % 7), json.dumps({"n": i}).encode()) for i in range(first, last))


def counted(stores):
    """The sum of all counts; nothing before the store has been published and copied for the first time."""
    try:
        return sum(value for _, value in stores.store("n").all())
    except (UnknownStore, StoreNotReady):
        return 0


def wait_for_count(stores, count):
    eventually(
        lambda: counted(stores), lambda found: found >= count, seconds=300, what=f"{count} records to be counted"
    )


def test_an_app_outlives_its_broker(tmp_path, monkeypatch):
    monkeypatch.setattr("holdfast.ops.broker.register", lambda state_dir: None)
    port = lasting_port()
    first = Broker(tmp_path, port=port).start()
    topics = Topics(first.address)
    topics.create(TopicSpec("ticks", 2))
    feed(topics, 0, 100)
    app = hf.App("ticker", tasks=4)
    app.stream("ticks", "n BIGINT NOT NULL", key=str).group_by_key().count(store="n").to("counts")
    app.settings = replace(app.settings, state_dir=tmp_path / "state")
    running = start(app, brokers=first.address)
    with Stores(app.name, first.address, tmp_path / "state") as stores:
        wait_for_count(stores, 100)
        os.kill(first.running().process.pid, signal.SIGKILL)
        time.sleep(15)
        assert running.active
        with Broker(tmp_path, port=port).start() as second:
            feed(Topics(second.address), 100, 250)
            wait_for_count(stores, 250)
            assert dict(stores.store("n").all()) == {f"k{k}": len(range(k, 250, 7)) for k in range(7)}
            running.stop()
    first.stop()
