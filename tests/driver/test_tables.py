"""to_table, to_stream, views and kept views of tables."""

import pytest

import holdfast as hf
from holdfast import functions as F
from holdfast.errors import HoldfastError
from holdfast.testing import Driver
from tests.driver.helpers import in_one_batch, letters, pairs, timed


def both(make, emit="every"):
    """A table from a topic, and what `make` makes of it, written to "out"."""
    app = hf.App("tables")
    make(app.table("in", int, key=str, store=hf.Materialized("base", emit=emit))).to("out")
    return app


def test_the_last_offset_wins_and_null_deletes():
    with Driver(both(lambda t: t)) as d:
        for value, at in [(1, 50), (2, 20), (None, 10), (None, 60), (3, 70)]:
            d.pipe("in", value, key="a", timestamp=at)
        assert timed(d, "out") == [("a", 1, 50), ("a", 2, 20), ("a", None, 10), ("a", None, 60), ("a", 3, 70)]
        assert dict(d.store("base").all()) == {"a": 3}


def test_latest_does_not_tell_of_deleting_what_was_not_there():
    with Driver(both(lambda t: t, emit="latest")) as d:
        for value in (None, 1, None, None):
            d.pipe("in", value, key="a")
        assert pairs(d, "out") == [("a", 1), ("a", None)]


def test_to_table_and_to_stream():
    app = hf.App("tables")
    app.stream("in", "x BIGINT", key=str).select_key("x").map_values("x").to_table(store="t").to_stream().to("out")
    with Driver(app) as d:
        for x in (1, 2, 1, None):
            d.pipe("in", {"x": x}, key="k")
        assert pairs(d, "out") == [(1, 1), (2, 2), (1, 1)]
        assert dict(d.store("t").all()) == {1: 1, 2: 2}
        assert letters(d) == [("to_table:t", "the key is null; a table has no place for it")]


@pytest.mark.parametrize("store", [None, hf.Materialized("kept", emit="every")])
def test_map_values_as_a_view_and_kept(store):
    with Driver(both(lambda t: t.map_values(lambda v: v * 10, store=store))) as d:
        for value in (1, 2, None):
            d.pipe("in", value, key="a", timestamp=5)
        d.pipe("in", 3, key="b", timestamp=7)
        assert timed(d, "out") == [("a", 10, 5), ("a", 20, 5), ("a", None, 5), ("b", 30, 7)]
        if store:
            assert dict(d.store("kept").all()) == {"b": 30}


@pytest.mark.parametrize("store", [None, hf.Materialized("kept", emit="every")])
def test_a_mapper_that_gives_null_deletes(store):
    with Driver(both(lambda t: t.map_values(lambda v: F.when(v > 1, v), store=store))) as d:
        for value in (2, 1, 5):
            d.pipe("in", value, key="a")
        assert pairs(d, "out") == [("a", 2), ("a", None), ("a", 5)]


def test_filter_deletes_what_stops_fitting():
    with Driver(both(lambda t: t.filter(lambda v: v > 1))) as d:
        for value in (1, 2, 3, 0, None, 5):
            d.pipe("in", value, key="a")
        # As Kafka Streams without old values: what does not fit is a tombstone, whether it was there or not.
        assert [v for _, v in pairs(d, "out")] == [None, 2, 3, None, None, 5]


def test_a_filter_with_the_key():
    with Driver(both(lambda t: t.filter(lambda k, v: k == "b"))) as d:
        d.pipe("in", 1, key="a")
        d.pipe("in", 1, key="b")
        assert pairs(d, "out") == [("a", None), ("b", 1)]


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
        assert pairs(d, "changes") == [("a", 10.0), ("a", 5.0)]
        found = letters(d)
        assert [node for node, _ in found] == ["table_map_values-1", "join-1"]
        assert found[1][1].startswith("the table table_map_values-1 fails on the value of this key: [DIVIDE_BY_ZERO]")
        assert dict(d.store("base").all()) == {"a": 20}


def test_a_kept_view_that_fails_keeps_what_it_had():
    with Driver(failing_view(store=hf.Materialized("kept", emit="every"))) as d:
        for topic, value in [("base", 10), ("base", 0), ("in", "x")]:
            d.pipe(topic, value, key="a")
        assert pairs(d, "out") == [("a", 10.0)]
        assert [node for node, _ in letters(d)] == ["table_map_values:kept"]


def test_metadata_in_a_view_needs_a_store():
    with pytest.raises(HoldfastError, match="without a store is worked out again"):
        Driver(both(lambda t: t.map_values(lambda v: dict(v=v, at=hf.timestamp()))))
    with Driver(both(lambda t: t.map_values(lambda v: dict(v=v, topic=hf.topic()), store="kept"))) as d:
        d.pipe("in", 1, key="a")
        assert pairs(d, "out") == [("a", {"v": 1, "topic": "in"})]


def test_a_table_of_a_table():
    app = hf.App("chain")
    counts = app.stream("in", str, key=str).group_by_key().count(store=hf.Materialized("n", emit="every"))
    counts.filter(lambda n: n % 2 == 0).map_values(lambda n: n * 10, store="even").to("out")
    with Driver(app) as d:
        in_one_batch(d, "in", *[("a", "x")] * 4, ("b", "x"))
        assert dict(d.store("even").all()) == {"a": 40}
        d.pipe("in", "x", key="a")
        assert dict(d.store("even").all()) == {}


def test_a_global_table_with_a_store():
    app = hf.App("globe")
    app.global_table("names", str, key=str, store="names")
    with Driver(app) as d:
        d.pipe("names", "Ada", key="a")
        d.pipe("names", "Bob", key="b")
        d.pipe("names", None, key="b")
        assert dict(d.store("names").all()) == {"a": "Ada"}
