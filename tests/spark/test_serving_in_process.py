"""`app.start(serve=True)`, as in a notebook: handles of the app and of `hf.connect`, and a store as a DataFrame."""

import urllib.error
import urllib.request
from dataclasses import replace
from datetime import UTC, datetime

import pytest

import holdfast as hf
from holdfast.errors import NotServed
from holdfast.server import consistency
from holdfast.spark import session
from holdfast.topics.records import TopicSpec
from tests.eventually import eventually

START = datetime(2026, 1, 1, tzinfo=UTC)


@pytest.fixture
def app(topics, suffix, tmp_path):
    app = hf.App(f"notebook{suffix}", tasks=2, brokers=topics.brokers)
    app.settings = replace(app.settings, state_dir=tmp_path / "state")
    topics.create(TopicSpec(f"{app.name}-prices", 2))
    app.table(f"{app.name}-prices", "at TIMESTAMP, tags MAP<STRING, INT>, price DECIMAL(9,2)", key=int, store="prices")
    app.stream(f"{app.name}-none", str, key=str).group_by_key().windowed_by(hf.tumbling("1 hour")).count(store="empty")
    return app


@pytest.fixture
def running(app):
    running = app.start(serve=True, port=0, produce=True)
    yield running
    running.stop()


def test_a_notebook(app, running, monkeypatch):
    monkeypatch.setattr(consistency, "TIMEOUT", 120)  # a busy machine may need long for an epoch
    prices = app.store("prices")
    value = {"at": START, "tags": {"a": 1, "b": 2}, "price": 12.5}
    with hf.connect(running.url, timeout=150) as client:
        client.produce_many(f"{app.name}-prices", [{"key": n, "value": value} for n in range(3)])
        remote = client["prices"]
        assert len(remote) == 3
        eventually(lambda: "holdfast_up 1.0" in metrics(running.url))
        assert dict(prices.all()) == dict(remote.all())
        assert prices[0]["tags"] == {"a": 1, "b": 2}
        assert prices.types == remote.types
        assert remote.to_arrow().equals(prices.to_arrow())

        spark = session.for_python(session.create(app.settings, running_log(app)))
        frame = hf.read_store(spark, client, "prices")
        assert frame.schema.simpleString() == (
            "struct<key:bigint,value:struct<at:timestamp,tags:map<string,int>,price:decimal(9,2)>>"
        )
        found = frame.where("key < 2").selectExpr("key", "value.tags['b'] AS b", "string(value.price) AS price")
        assert sorted(map(tuple, found.collect())) == [(0, 2, "12.50"), (1, 2, "12.50")]
        empty = hf.read_store(spark, client, "empty")
        assert (empty.count(), empty.columns) == (0, ["key", "value"])

    url = running.url
    running.stop()
    with pytest.raises(NotServed):
        prices[0]
    with pytest.raises(urllib.error.URLError):
        urllib.request.urlopen(f"{url}/ready", timeout=5)


def metrics(url):
    return urllib.request.urlopen(f"{url}/metrics", timeout=5).read().decode()


def running_log(app):
    return app.settings.state_dir / "spark.log"
