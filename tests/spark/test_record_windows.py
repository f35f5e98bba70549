"""Windows that follow the records, through Spark and Kafka in several batches, beside the driver."""

import json

import holdfast as hf
from holdfast import functions as F
from holdfast.plan.planner import plan
from holdfast.runtime.topics import ensure_topics
from holdfast.testing import Driver
from tests.spark.conftest import as_record

START = 1_700_000_000_000


def make(suffix):
    """Every such window, and two streams in one."""
    app = hf.App(f"recent{suffix}", tasks=4, max_records=30)
    clicks = app.stream(f"clicks{suffix}", "x BIGINT", key=str).group_by_key()
    orders = app.stream(f"orders{suffix}", "user STRING, total BIGINT").group_by("user")
    session = hf.session("10 ms", grace="20 ms", retention="1 hour")
    clicks.windowed_by(session).agg(n=F.count("*"), all=F.collect_list("x"), store="sessions").to(f"sessions{suffix}")
    clicks.windowed_by(hf.trailing("15 ms", grace="1 hour")).agg(sum=F.sum("x"), store="trailing").to(
        f"trailing{suffix}"
    )
    clicks.windowed_by(hf.sliding_count(3)).agg(all=F.collect_list("x"), store="last").to(f"last{suffix}")
    clicks.windowed_by(hf.tumbling_count(3)).reduce(lambda old, new: dict(x=old.x * 10 + new.x), store="every").to(
        f"every{suffix}"
    )
    hf.cogroup(
        (clicks, lambda s, c: dict(s, clicks=s.clicks + 1)),
        (orders, lambda s, o: dict(s, spent=s.spent + o.total)),
    ).windowed_by(session).aggregate(
        dict(clicks=0, spent=0),
        merge=lambda a, b: dict(clicks=a.clicks + b.clicks, spent=a.spent + b.spent),
        store="visits",
    )
    return app


def records(suffix):
    for i in range(90):
        key, time = "abcde"[i % 5], START + i * 3 + (i * 7) % 20
        yield f"clicks{suffix}", key, {"x": i % 10}, time
        if i % 4 == 0:
            yield f"orders{suffix}", None, {"user": key, "total": i}, time


STORES = ["sessions", "trailing", "last", "every", "visits"]
TOPICS = ["trailing", "last", "every"]


def by_key(results):
    out = {}
    for key, value, time in results:
        out.setdefault(key, []).append((value, time))
    return out


def test_batches_give_the_same_as_the_driver(topics, drain, stores, suffix):
    app = make(suffix)
    ensure_topics(topics, plan(app.topology))
    topics.produce(as_record(*each) for each in records(suffix))
    drain(app)
    with Driver(make(suffix)) as driver:
        for topic, key, value, at in records(suffix):
            driver.pipe(topic, value, key=key, timestamp=at)
        wanted = {name: dict(driver.store(name).all()) for name in STORES}
        emitted = {
            name: by_key((r.key, r.value, r.timestamp.timestamp()) for r in driver.read(name + suffix))
            for name in TOPICS
        }
    assert stores(app) == wanted
    for name in TOPICS:
        came = [(r.key.decode(), json.loads(r.value), r.timestamp / 1000) for r in topics.read(name + suffix)]
        assert by_key(came) == emitted[name]
