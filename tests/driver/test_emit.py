"""Which updates tables emit, in which order, with which time and headers."""

import pytest

import holdfast as hf
from holdfast import functions as F
from holdfast.testing import Driver
from tests.driver.helpers import in_one_batch, pairs, timed


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
