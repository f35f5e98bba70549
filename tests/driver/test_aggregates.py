"""count, reduce, aggregate, agg: what they emit, when, and with which time."""

import pytest

import holdfast as hf
from holdfast import functions as F
from holdfast.testing import Driver
from tests.driver.helpers import in_one_batch, letters, pairs, timed


def test_count():
    app = hf.App("counts")
    app.stream("in", str, key=str).group_by_key().count(store="n").to("out")
    with Driver(app) as d:
        for key, value in [("a", "x"), ("b", "x"), ("a", "y"), ("a", None)]:
            d.pipe("in", value, key=key)
        assert pairs(d, "out") == [("a", 1), ("b", 1), ("a", 2)]
        assert dict(d.store("n").all()) == {"a": 2, "b": 1}
        assert letters(d) == []


def test_group_by_one_and_several():
    app = hf.App("groups")
    s = app.stream("in", "x BIGINT, s STRING")
    s.group_by("s").count(store="one")
    s.group_by(lambda v: v.s, "x").count(store="two")
    with Driver(app) as d:
        for x, text in [(1, "a"), (2, "a"), (1, "a")]:
            d.pipe("in", {"x": x, "s": text})
        assert dict(d.store("one").all()) == {"a": 3}
        assert d.store("two")[{"s": "a", "x": 1}] == 2


def test_a_null_key_of_a_group_is_a_dead_letter():
    app = hf.App("groups")
    app.stream("in", "s STRING", key=str).group_by("s").count(store="n")
    with Driver(app) as d:
        in_one_batch(d, "in", ("k", {"s": "a"}), ("k", {"s": None}), ("k", {"s": "a"}))
        assert dict(d.store("n").all()) == {"a": 2}
        assert letters(d) == [("count:n", "the key is null; a table has no place for it")]


def test_reduce_takes_the_first_as_it_is_and_null_deletes():
    app = hf.App("sums")
    reduced = app.stream("in", int, key=str).group_by_key().reduce(lambda a, b: F.when(b != 0, a + b), store="sum")
    reduced.to("out")
    with Driver(app) as d:
        for value in (1, 2, 0, 5, None, 6):
            d.pipe("in", value, key="a")
        assert pairs(d, "out") == [("a", 1), ("a", 3), ("a", None), ("a", 5), ("a", 11)]
        d.pipe("in", 0, key="a")
        assert dict(d.store("sum").all()) == {}


def test_aggregate_begins_anew_after_null():
    app = hf.App("folds")
    app.stream("in", int, key=str).group_by_key().aggregate(
        100, lambda state, v: F.when(v != 0, state + v), store="fold"
    ).to("out")
    with Driver(app) as d:
        for value in (1, 2, 0, 5):
            d.pipe("in", value, key="a")
        assert pairs(d, "out") == [("a", 101), ("a", 103), ("a", None), ("a", 105)]
        assert d.store("fold")["a"] == 105


def test_aggregate_with_a_record_as_state_and_the_key():
    app = hf.App("folds")
    app.stream("in", float, key=str).group_by_key().aggregate(
        dict(n=0, sum=0.0, who=""), lambda k, s, v: dict(n=s.n + 1, sum=s.sum + v, who=k), store="fold"
    )
    with Driver(app) as d:
        in_one_batch(d, "in", ("a", 1.5), ("a", 2.0))
        d.pipe("in", 1.0, key="a")
        assert d.store("fold")["a"] == {"n": 3, "sum": 4.5, "who": "a"}


@pytest.mark.parametrize(("emit", "expected"), [("every", [1, 2, 3]), ("latest", [3])])
def test_every_update_or_the_latest_of_a_batch(emit, expected):
    app = hf.App("emits")
    app.stream("in", str, key=str).group_by_key().count(store=hf.Materialized("n", emit=emit)).to("out")
    with Driver(app) as d:
        in_one_batch(d, "in", *[("a", "x")] * 3)
        assert pairs(d, "out") == [("a", n) for n in expected]
        assert d.store("n")["a"] == 3


def test_the_latest_come_in_the_order_of_their_last_change():
    app = hf.App("emits")
    app.stream("in", str, key=str).group_by_key().count(store="n").to_stream().map(lambda k, n: ("all", k)).to("out")
    with Driver(app) as d:
        in_one_batch(d, "in", ("a", "x"), ("b", "x"), ("c", "x"), ("a", "x"))
        assert {v for _, v in pairs(d, "out")} == {"a", "b", "c"}


@pytest.mark.parametrize(("emit", "expected"), [("every", [1, None]), ("latest", [])])
def test_a_key_that_comes_and_goes_in_one_batch(emit, expected):
    app = hf.App("emits")
    app.stream("in", int, key=str).to_table(store=hf.Materialized("t", emit=emit)).to("out")
    with Driver(app) as d:
        in_one_batch(d, "in", ("a", 1), ("a", None))
        assert pairs(d, "out") == [("a", v) for v in expected]
        assert dict(d.store("t").all()) == {}


@pytest.mark.parametrize("emit", ["every", "latest"])
def test_the_time_of_an_aggregate_is_the_latest_that_went_into_it(emit):
    app = hf.App("times")
    app.stream("in", int, key=str).group_by_key().reduce(
        lambda a, b: F.when(b != 0, a + b), store=hf.Materialized("sum", emit=emit)
    ).to("out")
    with Driver(app) as d:
        for value, at in [(1, 50), (2, 20), (3, 70), (0, 10), (4, 5)]:
            d.pipe("in", value, key="a", timestamp=at)
        assert timed(d, "out") == [("a", 1, 50), ("a", 3, 50), ("a", 6, 70), ("a", None, 70), ("a", 4, 5)]


def test_the_headers_of_the_last_record_go_with_the_result():
    app = hf.App("heads")
    app.stream("in", int, key=str).group_by_key().count(store="n").to("out")
    with Driver(app) as d:
        d.pipe("in", 1, key="a", headers={"h": b"1"})
        d.pipe("in", 1, key="a", headers={"h": b"2"})
        assert [r.headers for r in d.read("out")] == [{"h": b"1"}, {"h": b"2"}]


def test_two_aggregates_of_one_stream_and_one_of_an_aggregate():
    app = hf.App("diamond")
    grouped = app.stream("in", int, key=str).group_by_key()
    counts = grouped.count(store=hf.Materialized("n", emit="every"))
    grouped.reduce(lambda a, b: a + b, store="sum")
    counts.to_stream().group_by(lambda n: n % 2).count(store="parity")
    with Driver(app) as d:
        in_one_batch(d, "in", ("a", 5), ("a", 6), ("b", 7))
        assert dict(d.store("sum").all()) == {"a": 11, "b": 7}
        assert dict(d.store("parity").all()) == {1: 2, 0: 1}
