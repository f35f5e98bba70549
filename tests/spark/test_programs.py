"""Whole programs through Spark and Kafka, beside the same programs through the driver."""

import pytest

from holdfast.dsl.loader import load_app
from holdfast.ops import examples
from holdfast.plan.planner import plan
from holdfast.runtime.topics import ensure_topics
from holdfast.testing import Driver
from tests.programs import orders
from tests.spark.conftest import as_record

OUTPUTS = ["sized-orders", "city-totals", "best-buyers"]


def through_the_driver(suffix):
    with Driver(orders.make(suffix)) as driver:
        with driver.batch():
            for topic, key, value, at in orders.records(suffix):
                driver.pipe(topic, value, key=key, timestamp=at)
        return {name: per_key(driver.read(name + suffix)) for name in OUTPUTS}


def per_key(records):
    out = {}
    for r in records:
        out.setdefault(str(r.key), []).append((r.value, int(r.timestamp.timestamp() * 1000)))
    return out


@pytest.mark.parametrize("partitions", [1, 2, 4])
def test_orders_give_the_same_as_in_the_driver(topics, drain, stores, suffix, partitions):
    app = orders.make(suffix)
    ensure_topics(topics, plan(app.topology))
    topics.produce(as_record(*each) for each in orders.records(suffix))
    drain(app, **{"spark.sql.shuffle.partitions": str(partitions)})
    assert stores(app) == orders.STORES
    assert through_kafka(topics, suffix) == through_the_driver(suffix)


def through_kafka(topics, suffix):
    import json

    def decoded(name):
        out = {}
        for r in topics.read(name + suffix):
            out.setdefault(r.key.decode(), []).append((json.loads(r.value), r.timestamp))
        return out

    return {name: decoded(name) for name in OUTPUTS}


def test_the_leaderboard_goes_on_where_it_stopped(topics, run, drain, stores):
    example = examples.find("leaderboard")
    app = load_app(example.app)
    examples.load_data(example, topics)
    drain(app)
    first = stores(app)["leaderboard"]
    assert [(r["playerId"], r["score"]) for r in first[1]] == [(3, 4000), (2, 2000), (1, 1000)]
    assert [(r["playerName"], r["score"]) for r in first[6]] == [("Isabelle", 9000), ("Mitch", 2500), ("Elyse", 1200)]
    topics.produce([as_record("score-events", None, {"score": 9999, "product_id": 1, "player_id": 2})])
    drain(app)
    assert [(r["playerId"], r["score"]) for r in stores(app)["leaderboard"][1]] == [(2, 9999), (3, 4000), (2, 2000)]


def test_one_bad_record_does_not_hold_up_the_others(topics, drain, stores, suffix):
    app = orders.make(suffix)
    ensure_topics(topics, plan(app.topology))
    topics.produce([as_record(f"orders{suffix}", "x", b'{"customer": 1, "item": "pen"}', timestamp=orders.START)])
    topics.produce(as_record(*each) for each in orders.records(suffix))
    drain(app)
    assert stores(app) == orders.STORES
    (letter,) = topics.read(f"shop{suffix}-dead-letters")
    assert letter.value == b'{"customer": 1, "item": "pen"}'
    headers = dict(letter.headers)
    assert headers["hf-reason"] == b"value: missing required field 'amount'"
    assert headers["hf-topic"].decode() == f"orders{suffix}"
