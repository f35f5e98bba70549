"""Groups of tables, entries that end and duplicates through Spark and Kafka, with a stop in between."""

from collections import Counter

import holdfast as hf
from holdfast import functions as F
from holdfast.plan.planner import plan
from holdfast.runtime.topics import ensure_topics
from holdfast.testing import Driver
from tests.spark.conftest import as_record, wait_for_offsets

START = 1_767_225_600_000
PEOPLE = [
    (1, {"city": "Ulm", "age": 40}, 0),
    (2, {"city": "Ulm", "age": 30}, 1),
    (3, {"city": "Bonn", "age": 20}, 2),
    (2, {"city": "Bonn", "age": 31}, 3),
    # Here the app is stopped and goes on.
    (1, {"city": "Ulm", "age": 41}, 4),
    (4, {"city": "Ulm", "age": 50}, 5),
    (3, None, 6),
    (5, {"city": "Rom", "age": 1}, 500),
]
PAYMENTS = [("a", "p1", 0), ("b", "p1", 1), ("a", "p1", 5), ("a", "p2", 6), ("a", "p1", 30), ("b", "p1", 40)]
STORES = ["people", "inhabitants", "ages", "oldest", "reduced", "paid"]


def make(suffix):
    app = hf.App(f"groups{suffix}", tasks=4)
    people = app.table(
        f"people{suffix}", "city STRING, age BIGINT", key=int, store=hf.Materialized("people", ttl="495 ms")
    )
    by_city = people.group_by("city")
    by_city.count(store="inhabitants")
    by_city.agg(total=F.sum("age"), lowest=F.min("age"), store="ages")
    by_city.top(1, by="age", store="oldest")
    by_city.reduce(
        lambda a, b: dict(city=a.city, age=a.age + b.age),
        subtract=lambda a, b: dict(a, age=a.age - b.age),
        store="reduced",
    )
    payments = app.stream(f"payments{suffix}", "id STRING", key=str)
    payments.deduplicate("id", within="20 ms").group_by("id").count(store="paid")
    return app


def records(suffix):
    people = [(f"people{suffix}", key, value, START + at) for key, value, at in PEOPLE]
    return people, [(f"payments{suffix}", key, {"id": id}, START + at) for key, id, at in PAYMENTS]


def in_the_driver(suffix):
    with Driver(make(suffix)) as driver:
        for topic in records(suffix):
            for name, key, value, at in topic:
                driver.pipe(name, value, key=key, timestamp=at)
        return {name: dict(driver.store(name).all()) for name in STORES}


def test_they_go_on_where_they_stopped(topics, run, stores, suffix):
    app = make(suffix)
    ensure_topics(topics, plan(app.topology))
    taken = Counter()
    for part in (slice(0, 4), slice(4, None)):
        more = [each for topic in records(suffix) for each in topic[part]]
        topics.produce(as_record(*each) for each in more)
        taken.update(topic for topic, *_ in more)
        # At the end of a drain all entries would end, by the clock.
        running = run(app, **{"spark.sql.shuffle.partitions": "2"})
        wait_for_offsets(running, taken)
        running.stop()
    expected = in_the_driver(suffix)
    assert (expected["inhabitants"]["Bonn"], expected["paid"]) == (0, {"p1": 4, "p2": 1})
    assert stores(app) == expected
