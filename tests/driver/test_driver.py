"""The driver itself."""

import contextlib
from dataclasses import dataclass

import pytest

import holdfast as hf
from holdfast.errors import HoldfastError, KeyNotFound
from holdfast.testing import Driver
from tests.driver.helpers import in_one_batch, pairs, timed, values


def counting(name="counts", **settings):
    app = hf.App(name, **settings)
    app.stream("in", str, key=str).group_by_key().count(store="n").to("out")
    return app


@dataclass
class Point:
    x: int
    y: int


def test_a_batch_is_one_batch_and_an_empty_one_is_none():
    with Driver(counting()) as d:
        in_one_batch(d, "in", ("a", "x"), ("a", "y"))
        with d.batch():
            pass
        assert pairs(d, "out") == [("a", 2)]


def test_a_batch_that_raises_is_dropped():
    with Driver(counting()) as d:
        with contextlib.suppress(RuntimeError), d.batch():
            d.pipe("in", "x", key="a")
            raise RuntimeError
        d.pipe("in", "x", key="a")
        assert pairs(d, "out") == [("a", 1)]


def test_no_batch_in_a_batch():
    with Driver(counting()) as d, d.batch(), pytest.raises(HoldfastError, match="a batch is open already"), d.batch():
        pass


def test_crash_loses_the_open_batch_and_keeps_what_was_committed():
    with Driver(counting()) as d:
        d.pipe("in", "x", key="a")
        with d.batch():
            d.pipe("in", "x", key="a")
            d.crash()
        assert d.store("n")["a"] == 1
        d.pipe("in", "x", key="a")
        assert pairs(d, "out") == [("a", 1), ("a", 2)]


def test_read_gives_what_came_since_the_last_read():
    with Driver(counting()) as d:
        d.pipe("in", "x", key="a")
        assert pairs(d, "out") == [("a", 1)]
        assert pairs(d, "out") == []


def test_read_as_a_class():
    app = hf.App("points")
    app.stream("in", Point, key=str).to("out")
    with Driver(app) as d:
        d.pipe("in", Point(1, 2), key="a")
        d.pipe("in", None, key="a")
        assert [r.value for r in d.read("out", as_=Point)] == [Point(1, 2), None]


def test_names_that_are_wrong():
    with Driver(counting()) as d:
        with pytest.raises(HoldfastError, match="the app does not read topic 'inn'.*'in'"):
            d.pipe("inn", "x")
        with pytest.raises(HoldfastError, match="the app does not write topic 'outs'.*'out'"):
            d.read("outs")
        with pytest.raises(HoldfastError, match="there is no store 'm'"):
            d.store("m")


def test_values_that_do_not_fit_the_topic():
    app = hf.App("binary")
    app.stream("in", hf.int32()).to("out")
    with Driver(app) as d:
        with pytest.raises(HoldfastError, match="does not fit the topic's format"):
            d.pipe("in", 2**31)
        with pytest.raises(HoldfastError, match=r"key=.*raw bytes, str came"):
            d.pipe("in", 1, key="text")


def test_a_store_is_a_mapping():
    with Driver(counting()) as d:
        in_one_batch(d, "in", *[(k, "x") for k in "bcab"])
        store = d.store("n")
        assert list(store.all()) == [("a", 1), ("b", 2), ("c", 1)]
        assert list(store.range("b", "c")) == [("b", 2), ("c", 1)]
        assert ("z" in store, len(store), store.get("z"), list(store)) == (False, 3, None, ["a", "b", "c"])
        with pytest.raises(KeyNotFound):
            store["z"]


def test_several_drivers_do_not_share_anything():
    app = counting()
    with Driver(app) as one, Driver(app) as two, Driver(counting("others")) as three:
        one.pipe("in", "x", key="a")
        one.pipe("in", "x", key="a")
        two.pipe("in", "x", key="a")
        three.pipe("in", "x", key="b")
        assert [dict(d.store("n").all()) for d in (one, two, three)] == [{"a": 2}, {"a": 1}, {"b": 1}]


def test_the_clock_is_the_time_of_records_without_one():
    app = hf.App("clock")
    app.stream("in", int, key=str).to("out")
    with Driver(app, clock=5000) as d:
        d.pipe("in", 1, key="a")
        d.advance(minutes=1)
        d.pipe("in", 2, key="a")
        assert [at for *_, at in timed(d, "out")] == [5000, 65_000]


def test_an_app_that_reads_what_it_writes():
    app = hf.App("loop")
    s = app.stream("numbers", int, key=str)
    s.filter(lambda n: n > 0).map_values(lambda n: n - 1).to("numbers")
    s.group_by_key().count(store="n")
    with Driver(app) as d:
        d.pipe("numbers", 3, key="a")
        assert values(d, "numbers") == [2, 1, 0]
        assert d.store("n")["a"] == 4


def test_an_app_that_feeds_itself_for_ever_is_stopped():
    app = hf.App("loop")
    app.stream("numbers", int, key=str).to("numbers")
    with Driver(app) as d, pytest.raises(HoldfastError, match="still feeds itself"):
        d.pipe("numbers", 3, key="a")


def test_handles_of_the_app_read_the_driver():
    app = counting()
    handle = app.store("n")
    with Driver(app) as d:
        d.pipe("in", "x", key="a")
        assert handle["a"] == 1
        d.pipe("in", "x", key="a")
        assert dict(handle.all()) == {"a": 2}
    with pytest.raises(HoldfastError, match="can be read where it is served"):
        handle["a"]


def test_partitions_have_offsets_of_their_own_and_no_common_order():
    app = hf.App("parts")
    app.stream("in", int, key=str).map_values(lambda v: dict(v=v, at=hf.offset())).to("out")
    with Driver(app) as d:
        with d.batch():
            for value, partition in [(1, 0), (2, 1), (3, 0)]:
                d.pipe("in", value, key="a", partition=partition)
        assert sorted((v["v"], v["at"]) for v in values(d, "out")) == [(1, 0), (2, 0), (3, 1)]


def test_a_crash_in_a_batch_repeats_it():
    with Driver(counting()) as d:
        d.pipe("in", "x", key="a")
        d.crash(in_next_batch=True)
        with d.batch():
            d.pipe("in", "x", key="a")
            d.pipe("in", None, key=None)
        d.pipe("in", "x", key="a")
        assert pairs(d, "out") == [("a", 1), ("a", 2), ("a", 3)]
        assert d.store("n")["a"] == 3
