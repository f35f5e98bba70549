"""A backlog that takes many batches gives what a slow live run gives: batches end at one time in all topics."""

import itertools
import json
import random

import holdfast as hf
from tests.spark.conftest import as_record

START = 1_767_225_600_000


def program(prices, trades, name, **settings):
    app = hf.App(name, tasks=4, **settings)
    table = app.table(prices, "price BIGINT NOT NULL", key=str)
    stream = app.stream(trades, "amount BIGINT NOT NULL", key=str)
    stream.left_join(table, lambda t, p: dict(cost=t.amount * p.price)).to(f"{name}-out")
    return app


def test_tables_and_streams_advance_together(topics, drain, new_topic, suffix):
    prices, trades = new_topic("prices", partitions=2, compacted=True), new_topic("trades", partitions=4)
    rng = random.Random(3)
    now, expected, current = START, [], {}
    table_rows, stream_rows = [], []
    for i in range(3000):
        # Some milliseconds hold many records, and the table's come first in them.
        now += rng.choice([0, 0, 0, 1, 5])
        key = rng.choice("abcdefgh")
        if rng.random() < 0.2:
            table_rows.append((key, i, now))
        else:
            stream_rows.append((key, i, now))
    events = sorted(
        [(t, 0, k, v) for k, v, t in table_rows] + [(t, 1, k, v) for k, v, t in stream_rows], key=lambda e: e[:2]
    )
    for _, kind, key, value in events:
        if kind == 0:
            current[key] = value
        else:
            expected.append((key, value, current.get(key)))
    topics.produce(as_record(prices, k, {"price": v}, t) for k, v, t in table_rows)
    topics.produce(as_record(trades, k, {"amount": v}, t) for k, v, t in stream_rows)
    app = program(prices, trades, f"aligned{suffix}", max_records=250)
    drain(app)
    found = [(r.key.decode(), json.loads(r.value)["cost"]) for r in topics.read(f"aligned{suffix}-out")]
    wanted = [(k, None if p is None else v * p) for k, v, p in expected]
    assert sorted(found, key=str) == sorted(wanted, key=str)


def test_more_records_of_one_millisecond_than_a_batch_may_take(topics, drain, new_topic, stores, suffix):
    topic = new_topic("burst", partitions=3)
    topics.produce(as_record(topic, f"k{i % 7}", {"amount": i}, START) for i in range(1000))
    app = hf.App(f"burst{suffix}", tasks=4, max_records=64)
    app.stream(topic, "amount BIGINT NOT NULL", key=str).group_by_key().count(store="n")
    drain(app)
    assert sum(stores(app)["n"].values()) == 1000


def test_large_values_make_small_batches(topics, run, new_topic, suffix):
    topic = new_topic("large", partitions=2)
    topics.produce(as_record(topic, None, {"text": "x" * 10_000}, START + i) for i in range(400))
    app = hf.App(f"large{suffix}", max_bytes=1_000_000)
    app.stream(topic, "text STRING NOT NULL").to(f"copies{suffix}")
    running = run(app, mode="drain")
    assert running.wait("2 minutes")
    assert len(topics.read(f"copies{suffix}")) == 400
    reports = [json.loads(p.json())["sources"][0] for p in running._query._query.recentProgress()]
    ends = [sum((report["endOffset"] or {}).get(topic, {}).values()) for report in reports]
    assert max(end - before for before, end in itertools.pairwise([0, *ends])) <= 100
