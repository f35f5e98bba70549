"""Examples through Spark and Kafka, beside the same examples through the driver."""

import pytest

from holdfast.dsl.loader import load_app
from holdfast.ops import examples
from holdfast.plan.idle import closing_on_idle
from holdfast.testing import Driver, driver

pytestmark = [pytest.mark.spark, pytest.mark.broker]
# Joins with tables and streams, windows of most kinds, patterns, retractions, late records.
NAMES = ["carts", "clickstream", "devices", "fraud", "gainers", "lookup", "monitoring", "sensors", "stocks"]


@pytest.fixture
def closed(monkeypatch):
    """A driver that closes what is open at the end, as a drain does."""
    plan = driver.make_plan
    monkeypatch.setattr(driver, "make_plan", lambda topology: closing_on_idle(plan(topology), 1))

    def play(app, example):
        played = Driver(app, clock="2100-01-01T00:00:00Z")
        with played.batch():
            for record in example.records():
                played.pipe(record.topic, record.value, key=record.key)
        played.advance(days=1)
        return played

    return play


@pytest.mark.parametrize("name", NAMES)
def test_it_gives_the_same_as_in_the_driver(name, topics, drain, stores, closed):
    example = examples.find(name)
    app = load_app(example.app)
    examples.load_data(example, topics)
    drain(app)
    expected = closed(app, example)
    for topic in written(app):
        assert in_kafka(topics, topic, expected) == per_key(expected.read(topic)), topic
    assert stores(app) == {store: dict(expected.store(store).all()) for store in app.topology.stores}
    assert topics.read(f"{name}-dead-letters") == expected.dead_letters() == []


def written(app):
    nodes = app.topology.json()["nodes"]
    late = {node["late"] for node in nodes if node.get("late")}
    return sorted(late | {node["topic"] for node in nodes if node["op"] == "to"})


def in_kafka(topics, topic, expected):
    key, value = expected._decoders(topic)
    out = {}
    for record in topics.read(topic):
        out.setdefault(key(record.key), []).append((value(record.value), record.timestamp))
    return out


def per_key(records):
    out = {}
    for record in records:
        out.setdefault(record.key, []).append((record.value, int(record.timestamp.timestamp() * 1000)))
    return out
