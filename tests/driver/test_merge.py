from dataclasses import dataclass

import pytest

import holdfast as hf
from holdfast import functions as F
from holdfast.errors import HoldfastError
from holdfast.testing import Driver
from tests.driver.helpers import in_one_batch, values


@dataclass
class Defaulted:
    x: int = 3


def test_branches_of_one_record_come_in_the_order_of_the_program():
    app = hf.App("merge")
    s = app.stream("in", int, key=str)
    first = s.map_values(lambda v: v * 10)
    second = s.filter(lambda v: v > 0).map_values(lambda v: v * 100)
    second.merge(first, s).to("out")
    with Driver(app) as d:
        in_one_batch(d, "in", ("a", 1), ("a", 2))
        together = values(d, "out")
    with Driver(app) as d:
        d.pipe("in", 1, key="a")
        d.pipe("in", 2, key="a")
        assert values(d, "out") == together == [10, 100, 1, 20, 200, 2]


def test_streams_of_two_topics_come_by_time():
    app = hf.App("merge")
    app.stream("one", str, key=str).merge(app.stream("two", str, key=str)).group_by_key().agg(
        all=lambda v: F.collect_list(v), store="all"
    )
    with Driver(app) as d:
        with d.batch():
            for topic, at in [("two", 5), ("one", 1), ("two", 7), ("one", 6)]:
                d.pipe(topic, f"{topic}-{at}", key="k", timestamp=at)
        assert d.store("all")["k"]["all"] == ["one-1", "two-5", "one-6", "two-7"]


def test_streams_of_different_stages():
    app = hf.App("merge")
    s = app.stream("in", "x BIGINT, s STRING", key=str)
    counts = s.group_by("s").count(store=hf.Materialized("n", emit="every")).to_stream()
    own = s.map_values(lambda v: v.x)
    counts.merge(own).group_by_key().agg(all=lambda v: F.collect_list(v), store="all")
    with Driver(app) as d:
        in_one_batch(d, "in", ("a", {"x": 10, "s": "a"}), ("a", {"x": 20, "s": "a"}))
        together = d.store("all")["a"]
    with Driver(app) as d:
        d.pipe("in", {"x": 10, "s": "a"}, key="a")
        d.pipe("in", {"x": 20, "s": "a"}, key="a")
        assert d.store("all")["a"] == together == {"all": [10, 1, 20, 2]}


def test_types_must_agree_but_declared_defaults_do_not_matter():
    app = hf.App("merge")
    s = app.stream("in", Defaulted, key=str)
    t = app.stream("other", "x BIGINT NOT NULL", key=str)
    s.merge(t, s.map_values(lambda v: dict(x=v.x + 1))).to("out")
    with Driver(app) as d:
        d.pipe("in", {}, key="a")
        d.pipe("other", {"x": 1}, key="a")
        assert values(d, "out") == [{"x": 4}, {"x": 3}, {"x": 1}]
    with pytest.raises(HoldfastError, match="merge"):
        Driver(_unequal())


def _unequal():
    app = hf.App("merge")
    app.stream("in", int, key=str).merge(app.stream("texts", str, key=str)).to("out")
    return app
