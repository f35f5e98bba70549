"""Windows and what holds their results back, through Spark and Kafka in several batches, beside the driver."""

import json

import holdfast as hf
from holdfast import functions as F
from holdfast.plan.planner import plan
from holdfast.runtime.topics import ensure_topics
from holdfast.testing import Driver
from holdfast.topics.windowed import milliseconds_of
from tests.spark.conftest import as_record

START = 1_700_000_000_000
ONCE = ("final", "closed")
WINDOWS = {
    "tumbling": hf.tumbling("10 s", grace="5 s"),
    "hopping": hf.hopping("10 s", advance="4 s", grace="3 s", retention="1 minute"),
    "sliding": hf.sliding("8 s", grace="4 s"),
    "calendar": hf.calendar("day", timezone="Europe/Berlin", grace="1 s"),
    "final": hf.tumbling("10 s", grace="2 s", emit="final"),
}


def make(suffix):
    app = hf.App(f"windows{suffix}", tasks=4, max_records=25)
    stream = app.stream(f"in{suffix}", "x BIGINT", key=str, close_on_idle="1 ms")
    for name, window in WINDOWS.items():
        group = stream.group_by_key().windowed_by(window, late=f"late{suffix}" if name == "tumbling" else None)
        table = group.agg(n=F.count("*"), all=F.collect_list("x"), store=name)
        table.to(f"{name}{suffix}")
        if name == "hopping":
            table.suppress(hf.until_window_closes()).to(f"closed{suffix}")
    return app


def records(suffix):
    times = [START + n * 1000 + (n * 7919) % 25_000 for n in range(120)]
    return [(f"in{suffix}", "abcde"[n % 5], {"x": n}, t) for n, t in enumerate(times)]


def through_the_driver(suffix):
    with Driver(make(suffix), clock=START) as driver:
        for topic, key, value, at in records(suffix):
            driver.pipe(topic, value, key=key, timestamp=at)
        driver.advance(days=1)
        stores = {name: {tuple_of(k): v for k, v in driver.store(name).all()} for name in WINDOWS}
        emitted = {name: sorted((tuple_of(r.key), str(r.value)) for r in driver.read(name + suffix)) for name in ONCE}
        return stores, emitted, len(driver.read(f"late{suffix}"))


def tuple_of(key):
    return key.key, milliseconds_of(key.start), milliseconds_of(key.end)


def through_kafka(topics, name):
    found = [(json.loads(r.key), json.loads(r.value)) for r in topics.read(name)]
    return sorted(((key["key"], key["start"], key["end"]), str(value)) for key, value in found)


def test_windows_give_the_same_as_in_the_driver(topics, drain, stores, suffix):
    app = make(suffix)
    ensure_topics(topics, plan(app.topology))
    topics.produce([as_record(*each, partition=0) for each in records(suffix)])
    drain(app, **{"spark.sql.shuffle.partitions": "2"})
    kept, emitted, late = through_the_driver(suffix)
    assert {name: {tuple_of(k): v for k, v in content.items()} for name, content in stores(app).items()} == kept
    assert {name: through_kafka(topics, name + suffix) for name in ONCE} == emitted
    assert len(topics.read(f"late{suffix}")) == late > 0
    for topic in (f"sliding{suffix}", f"{app.name}-sliding-changelog"):
        homes = {(json.loads(r.key)["key"], r.partition) for r in topics.read(topic)}
        assert len(homes) == len(dict(homes)) == 5
        assert len({partition for _, partition in homes}) > 1
