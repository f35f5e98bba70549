"""Joins of tables through Spark and Kafka: what they keep is found again after a stop, in groups and by key."""

import holdfast as hf
from holdfast.plan.planner import plan
from holdfast.runtime.topics import ensure_topics
from holdfast.testing import Driver
from tests.spark.conftest import as_record

START = 1_767_225_600_000
CHANGES = [
    ("people", 1, {"name": "Ann", "boss": None, "city": "x"}),
    ("people", 2, {"name": "Bob", "boss": 1, "city": "x"}),
    ("people", 3, {"name": "Cyd", "boss": 1, "city": "y"}),
    ("rooms", 2, {"room": "r2"}),
    ("cities", "x", {"zone": "CET"}),
    ("people", 4, {"name": "Dan", "boss": 2, "city": "x"}),
    # Here the app is stopped and goes on.
    ("people", 1, {"name": "Anna", "boss": None, "city": "y"}),
    ("people", 4, {"name": "Dan", "boss": 3, "city": "x"}),
    ("rooms", 9, {"room": "r9"}),
    ("cities", "x", {"zone": "UTC"}),
    ("people", 2, None),
    ("cities", "y", {"zone": "EET"}),
]
STORES = ["roomed", "bosses", "zoned"]


def make(suffix):
    app = hf.App(f"people{suffix}", tasks=4)
    people = app.table(f"people{suffix}", "name STRING, boss BIGINT, city STRING", key=int)
    rooms = app.table(f"rooms{suffix}", "room STRING", key=int)
    cities = app.global_table(f"cities{suffix}", "zone STRING", key=str)
    people.outer_join(rooms, store="roomed")
    people.left_join(people, lambda p, b: dict(name=p.name, boss=b.name), on="boss", store="bosses")
    people.join(cities, on="city", store="zoned")
    return app


def records(suffix):
    return [(topic + suffix, key, value, START + i) for i, (topic, key, value) in enumerate(CHANGES)]


def in_the_driver(suffix):
    with Driver(make(suffix)) as driver:
        for topic, key, value, at in records(suffix):
            driver.pipe(topic, value, key=key, timestamp=at)
        return {name: dict(driver.store(name).all()) for name in STORES}


def test_they_go_on_where_they_stopped(topics, drain, stores, suffix):
    app = make(suffix)
    ensure_topics(topics, plan(app.topology))
    for part in (slice(0, 6), slice(6, None)):
        topics.produce(as_record(*each) for each in records(suffix)[part])
        drain(app, **{"spark.sql.shuffle.partitions": "2"})
    expected = in_the_driver(suffix)
    assert expected["bosses"][4] == {"name": "Dan", "boss": "Cyd"}
    assert stores(app) == expected
