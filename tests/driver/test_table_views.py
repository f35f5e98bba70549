"""Tables worked out of tables, and joins that read through them."""

import pytest

import holdfast as hf
from holdfast.testing import Driver
from tests.driver.helpers import in_one_batch, letters, pairs, values


def joined_view(emit="latest"):
    app = hf.App("views")
    base = app.table("base", int, key=str, store=hf.Materialized("base", emit=emit))
    view = base.filter(lambda v: v > 0).map_values(lambda v: 100 / v)
    app.stream("in", str, key=str).left_join(view, lambda v, x: dict(v=v, x=x)).to("out")
    return app


@pytest.mark.parametrize("together", [False, True])
def test_a_join_reads_through_views_as_of_the_record(together):
    with Driver(joined_view()) as d:
        rows = [("in", "0"), ("base", 10), ("in", "1"), ("base", -1), ("in", "2"), ("base", 20), ("in", "3")]

        def feed():
            for at, (topic, value) in enumerate(rows):
                d.pipe(topic, value, key="a", timestamp=at)

        if together:
            with d.batch():
                feed()
        else:
            feed()
        assert [(v["v"], v["x"]) for _, v in pairs(d, "out")] == [("0", None), ("1", 10.0), ("2", None), ("3", 5.0)]


def failing_view(**options):
    app = hf.App("views")
    base = app.table("base", int, key=str, store=hf.Materialized("base", emit="every"))
    view = base.map_values(lambda v: 100 / v, **options)
    view.to("changes")
    app.stream("in", str, key=str).join(view, lambda v, x: x).to("out")
    return app


@pytest.mark.parametrize("together", [False, True])
def test_a_view_that_fails_blames_itself_and_loses_nothing_silently(together):
    with Driver(failing_view()) as d:
        rows = [("base", 10), ("in", "1"), ("base", 0), ("in", "2"), ("base", 20), ("in", "3")]

        def feed():
            for at, (topic, value) in enumerate(rows):
                d.pipe(topic, value, key="a", timestamp=at)

        if together:
            with d.batch():
                feed()
        else:
            feed()
        assert pairs(d, "out") == [("a", 10.0), ("a", 5.0)]
        assert pairs(d, "changes") == [("a", 10.0), ("a", None), ("a", 5.0)]
        found = letters(d)
        assert [node for node, _ in found] == ["table_map_values-1", "join-1"]
        assert found[1][1].startswith("the table table_map_values-1 fails on the value of this key: [DIVIDE_BY_ZERO]")
        assert dict(d.store("base").all()) == {"a": 20}


def test_a_materialized_view_that_fails_keeps_what_it_had():
    with Driver(failing_view(store=hf.Materialized("kept", emit="every"))) as d:
        for topic, value in [("base", 10), ("base", 0), ("in", "x")]:
            d.pipe(topic, value, key="a")
        assert pairs(d, "out") == [("a", 10.0)]
        assert [node for node, _ in letters(d)] == ["table_map_values:kept"]


def test_a_table_of_a_table():
    app = hf.App("chain")
    counts = app.stream("in", str, key=str).group_by_key().count(store=hf.Materialized("n", emit="every"))
    counts.filter(lambda n: n % 2 == 0).map_values(lambda n: n * 10, store="even").to("out")
    with Driver(app) as d:
        in_one_batch(d, "in", *[("a", "x")] * 4, ("b", "x"))
        assert dict(d.store("even").all()) == {"a": 40}
        d.pipe("in", "x", key="a")
        assert dict(d.store("even").all()) == {}


STORED = {
    "filter": lambda counts: counts.filter(lambda n: n > 1, store="kept"),
    "map_values": lambda counts: counts.map_values(lambda n: n * 1, store="kept"),
    "a view of it": lambda counts: counts.filter(lambda n: n > 1, store="kept").map_values(lambda n: n * 1),
    "it of a view": lambda counts: counts.map_values(lambda n: n * 1).filter(lambda n: n > 1, store="kept"),
    "a kept view of it": lambda counts: counts.filter(lambda n: n > 1, store="kept").filter(
        lambda n: n > 0, store="again"
    ),
}


@pytest.mark.parametrize("stored", STORED.values(), ids=STORED.keys())
def test_a_stream_meets_a_materialized_view_as_of_its_place_in_the_batch(stored):
    app = hf.App("kept")
    counts = app.stream("clicks", str, key=str).group_by_key().count(store="counts")
    app.stream("asks", int, key=str).left_join(stored(counts), lambda n, count: dict(n=n, count=count)).to("out")
    with Driver(app) as driver:
        with driver.batch():
            for second in (1, 2, 4, 5):
                driver.pipe("clicks", "a", key="k", timestamp=second * 1000)
            driver.pipe("asks", 1, key="k", timestamp=3000)
        assert values(driver, "out") == [{"n": 1, "count": 2}]
