"""Joins of streams and versioned tables through Spark and Kafka: what they keep is found again after a stop."""

import json

import holdfast as hf
from holdfast import functions as F
from holdfast.plan.planner import plan
from holdfast.runtime.topics import ensure_topics
from holdfast.testing import Driver
from holdfast.topics.records import Record
from tests.spark.conftest import as_record

START = 1_767_225_600_000
CHANGES = [
    ("orders", "a", {"item": "book"}, 0),
    ("payments", "a", {"paid": 1}, 5),
    ("orders", "b", {"item": "pen"}, 10),
    ("rates", "a", {"rate": 1}, 0),
    ("rates", "a", {"rate": 3}, 100),
    # Here the app is stopped and goes on.
    ("payments", "a", {"paid": 2}, 8),
    ("orders", "c", {"item": "ink"}, 200),
    ("payments", "c", {"paid": 4}, 205),
    ("rates", "a", {"rate": 2}, 40),
    ("questions", "a", {"number": 1}, 250),
    ("questions", "a", {"number": 2}, 60),
    ("orders", "z", {"item": "far ahead"}, 100_000),
    ("questions", "z", {"number": 3}, 100_000),
]
STOP = 5


def make(suffix):
    app = hf.App(f"shop{suffix}", tasks=1)
    orders = app.stream(f"orders{suffix}", "item STRING", key=str)
    payments = app.stream(f"payments{suffix}", "paid BIGINT", key=str)
    orders.join(payments, within="50 ms").group_by_key().agg(n=F.count("*"), paid=F.sum("paid"), store="paid")
    alone = orders.left_join(payments, within="50 ms").filter(lambda both: F.isnull(both.paid))
    alone.group_by_key().count(store="alone")
    rates = app.table(f"rates{suffix}", "rate BIGINT", key=str, store=hf.Materialized("rates", versioned="1 hour"))
    questions = app.stream(f"questions{suffix}", "number BIGINT", key=str)
    for name, grace in (("answers", None), ("later", "20 ms")):
        answered = questions.left_join(rates, grace=grace)
        answered.select_key("number").to_table(store=name)
    return app


def records(suffix):
    return [(topic + suffix, key, value, START + at) for topic, key, value, at in CHANGES]


def in_the_driver(suffix):
    with Driver(make(suffix)) as driver:
        for topic, key, value, at in records(suffix):
            driver.pipe(topic, value, key=key, timestamp=at)
        return {name: dict(driver.store(name).all()) for name in ("paid", "alone", "rates", "answers", "later")}


def test_they_go_on_where_they_stopped(topics, drain, stores, suffix):
    app = make(suffix)
    ensure_topics(topics, plan(app.topology))
    for part in (slice(0, STOP), slice(STOP, None)):
        topics.produce(as_record(*each) for each in records(suffix)[part])
        drain(app)
    expected = in_the_driver(suffix)
    assert expected["paid"]["a"] == {"n": 2, "paid": 3}
    assert expected["answers"][2] == {"number": 2, "rate": 2}
    # The end of a drain closes what waits, by the clock, and makes nothing late that comes next.
    assert expected["alone"] == {"b": 1}
    expected["alone"] = {"b": 1, "z": 1}
    expected["later"][3] = {"number": 3, "rate": None}
    assert stores(app) == expected


def test_what_was_emitted_unmatched_with_its_headers_is_not_joined_after_a_stop(topics, drain, suffix):
    app = hf.App(f"late{suffix}", tasks=1)
    left, right = (app.stream(f"{side}{suffix}", str, key=str) for side in ("l", "r"))
    both = left.left_join(right, lambda a, b: dict(a=a, b=b), within="50 ms", late=f"late{suffix}")
    both.to(f"out{suffix}")
    ensure_topics(topics, plan(app.topology))
    waiting = Record(f"l{suffix}", b"k", b"A", START, headers=(("trace", b"7"),))
    for part in (
        [waiting, Record(f"l{suffix}", b"m", b"B", START)],
        [Record(f"r{suffix}", b"x", b"now", START + 100, headers=(("trace", b"8"),))],
        [Record(f"r{suffix}", b"k", b"partner", START + 10)],
    ):
        topics.produce(part)
        drain(app)
    found = [(r.key, json.loads(r.value), r.headers) for r in topics.read(f"out{suffix}")]
    assert found == [(b"k", {"a": "A", "b": None}, (("trace", b"7"),)), (b"m", {"a": "B", "b": None}, ())]
    assert [(r.key, r.value) for r in topics.read(f"late{suffix}")] == [(b"k", b"partner")]
