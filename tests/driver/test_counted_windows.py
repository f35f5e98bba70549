"""The last n records of a key, and every n of them, against a plain model."""

from collections import defaultdict

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import holdfast as hf
from holdfast import functions as F
from holdfast.testing import Driver
from tests.driver.helpers import letters, pairs
from tests.driver.record_windows import RECORDS, SIZES, Drivers


@pytest.fixture(scope="module")
def drivers():
    made = Drivers()
    yield made
    made.close()


def last_model(n, records):
    """One result per record, over the last n of its key."""
    seen, out = defaultdict(list), []
    for key, value, time in records:
        if value is not None:
            seen[key] = [*seen[key], (value, time)][-n:]
            out.append((key, [v for v, _ in seen[key]], max(t for _, t in seen[key])))
    return out


def every_model(n, records):
    """One result per n records of a key."""
    seen, out = defaultdict(list), []
    for key, value, time in records:
        if value is None:
            continue
        seen[key].append((value, time))
        if len(seen[key]) == n:
            out.append((key, [v for v, _ in seen[key]], max(t for _, t in seen[key])))
            seen[key] = []
    return out


@given(n=st.integers(1, 4), records=RECORDS, sizes=SIZES)
@settings(max_examples=40, deadline=None)
def test_the_last_records_are_those_of_a_plain_model(drivers, n, records, sizes):
    drivers.check(hf.sliding_count(n), last_model(n, records), records, sizes)


@given(n=st.integers(1, 4), records=RECORDS, sizes=SIZES)
@settings(max_examples=40, deadline=None)
def test_every_so_many_records_are_those_of_a_plain_model(drivers, n, records, sizes):
    drivers.check(hf.tumbling_count(n), every_model(n, records), records, sizes)


def test_a_moving_average():
    app = hf.App("prices")
    prices = app.stream("prices", "price DOUBLE", key=str).group_by_key()
    prices.windowed_by(hf.sliding_count(3)).agg(mean=F.avg("price"), store="smooth").to("smooth")
    with Driver(app) as d:
        for price in (1.0, 2.0, 6.0, 4.0):
            d.pipe("prices", {"price": price}, key="a")
        assert [v["mean"] for _, v in pairs(d, "smooth")] == [1.0, 1.5, 3.0, 4.0]
        assert d.store("smooth")["a"] == {"mean": 4.0}


def test_every_result_is_told_within_a_batch():
    app = hf.App("batch")
    numbers = app.stream("numbers", int, key=str).group_by_key()
    numbers.windowed_by(hf.sliding_count(2)).reduce(lambda old, new: old + new).to("pairs")
    numbers.windowed_by(hf.tumbling_count(2)).reduce(lambda old, new: old + new).to("couples")
    with Driver(app) as d:
        with d.batch():
            for n in range(5):
                d.pipe("numbers", n, key="k")
        assert pairs(d, "pairs") == [("k", 0), ("k", 1), ("k", 3), ("k", 5), ("k", 7)]
        assert pairs(d, "couples") == [("k", 1), ("k", 5)]


def test_a_lot_that_is_not_complete_is_not_seen():
    app = hf.App("lots")
    parts = app.stream("parts", int, key=str).group_by_key()
    parts.windowed_by(hf.tumbling_count(3)).count(store="boxes")
    with Driver(app) as d:
        d.pipe("parts", 1, key="k")
        assert dict(d.store("boxes").all()) == {}
        d.pipe("parts", 1, key="k")
        d.pipe("parts", 1, key="k")
        d.pipe("parts", 1, key="k")
        assert dict(d.store("boxes").all()) == {"k": 3}


@pytest.mark.parametrize("window", [hf.sliding_count(2), hf.tumbling_count(2)])
def test_a_record_that_fails_leaves_no_trace(window):
    app = hf.App("failing")
    words = app.stream("words", str, key=str).group_by_key()
    words.windowed_by(window).agg(sum=F.sum(F.cast(F.col("value"), "bigint")), store="sums")
    with Driver(app) as d:
        for word in ("1", "nothing", "2"):
            d.pipe("words", word, key="k")
        assert d.store("sums")["k"] == {"sum": 3}
        assert len(letters(d)) == 1


def test_metadata_and_headers_of_records_that_lie_behind():
    app = hf.App("metadata")
    words = app.stream("words", str, key=str).group_by_key()
    words.windowed_by(hf.sliding_count(2)).agg(
        when=F.collect_list(F.unix_millis(hf.timestamp())), who=F.collect_list(hf.headers()["who"]), store="seen"
    )
    with Driver(app) as d:
        for time, who in ((1, b"ann"), (2, b"bob"), (3, b"eve")):
            d.pipe("words", "w", key="k", timestamp=time, headers={"who": who})
        assert d.store("seen")["k"]["when"] == [2, 3]
        assert len(d.store("seen")["k"]["who"]) == 2


def test_several_streams_in_one_window():
    app = hf.App("several")
    ups = app.stream("ups", int, key=str).group_by_key()
    downs = app.stream("downs", str, key=str).group_by_key()
    both = hf.cogroup((ups, lambda s, v: s + v), (downs, lambda s, v: s - F.cast(v, "bigint")))
    both.windowed_by(hf.sliding_count(3)).aggregate(0, store="level").to("level")
    with Driver(app) as d:
        d.pipe("ups", 10, key="k", timestamp=1)
        d.pipe("downs", "1", key="k", timestamp=2)
        d.pipe("downs", "2", key="k", timestamp=3)
        d.pipe("ups", 5, key="k", timestamp=4)
        assert pairs(d, "level") == [("k", 10), ("k", 9), ("k", 7), ("k", 2)]
