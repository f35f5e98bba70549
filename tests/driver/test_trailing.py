"""The time before each record, against a plain model."""

from collections import defaultdict

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import holdfast as hf
from holdfast import functions as F
from holdfast.testing import Driver
from tests.driver.helpers import letters, pairs, timed
from tests.driver.record_windows import RECORDS, SIZES, Drivers

WINDOWS = st.sampled_from([(1, 0), (4, 0), (3, 2), (7, 5), (30, 3)])


@pytest.fixture(scope="module")
def drivers():
    made = Drivers()
    yield made
    made.close()


def model(size, grace, records):
    """One result per record that is not late, over those of its key in the time before it."""
    latest, seen, out = 0, defaultdict(list), []
    for key, value, time in records:
        if value is None:
            continue
        latest = max(latest, time)
        if time < latest - grace:
            continue
        seen[key] = sorted([*seen[key], (time, len(seen[key]), value)])
        out.append((key, [v for t, _, v in seen[key] if time - size < t <= time], time))
    return out


@given(window=WINDOWS, records=RECORDS, sizes=SIZES)
@settings(max_examples=60, deadline=None)
def test_results_are_those_of_a_plain_model(drivers, window, records, sizes):
    size, grace = window
    trailing = hf.trailing(f"{size} ms", grace=f"{grace} ms")
    drivers.check(trailing, model(size, grace, records), records, sizes)


def averages(size, grace="0 ms", **options):
    app = hf.App("prices", tasks=1)
    prices = app.stream("prices", "price DOUBLE", key=str).group_by_key()
    prices.windowed_by(hf.trailing(size, grace=grace), **options).agg(mean=F.avg("price"), store="smooth").to("smooth")
    return app


def pipe(driver, *records):
    for key, price, time in records:
        driver.pipe("prices", {"price": price}, key=key, timestamp=time)


def test_a_moving_average():
    with Driver(averages("10 ms")) as d:
        pipe(d, ("a", 1.0, 0), ("a", 3.0, 5), ("b", 7.0, 6), ("a", 5.0, 10), ("a", 9.0, 40))
        assert timed(d, "smooth") == [
            ("a", {"mean": 1.0}, 0),
            ("a", {"mean": 2.0}, 5),
            ("b", {"mean": 7.0}, 6),
            ("a", {"mean": 4.0}, 10),
            ("a", {"mean": 9.0}, 40),
        ]
        assert dict(d.store("smooth").all()) == {"a": {"mean": 9.0}, "b": {"mean": 7.0}}


def test_a_record_within_the_grace_sees_what_was_before_it_and_is_seen_by_what_comes_after():
    with Driver(averages("10 ms", "5 ms")) as d:
        pipe(d, ("a", 1.0, 0), ("a", 5.0, 9), ("a", 3.0, 4), ("a", 7.0, 9))
        assert [v["mean"] for _, v in pairs(d, "smooth")] == [1.0, 3.0, 2.0, 4.0]


def test_a_record_further_behind_is_late():
    with Driver(averages("10 ms", "5 ms", late="late")) as d:
        pipe(d, ("a", 1.0, 0), ("b", 5.0, 20), ("a", 3.0, 14), ("a", 4.0, 15))
        assert pairs(d, "smooth") == [("a", {"mean": 1.0}), ("b", {"mean": 5.0}), ("a", {"mean": 4.0})]
        (late,) = d.read("late")
        assert late.key == "a"
        assert late.headers["hf-window-start"] == b"4"
        assert late.headers["hf-window-end"] == b"14"
        assert late.headers["hf-stream-time"] == b"20"


def test_a_record_that_fails_leaves_no_trace():
    app = hf.App("failing")
    words = app.stream("words", str, key=str).group_by_key()
    words.windowed_by(hf.trailing("1 minute")).aggregate(0, lambda s, w: s + F.cast(w, "bigint"), store="sums")
    with Driver(app) as d:
        for time, word in enumerate(("1", "nothing", "2")):
            d.pipe("words", word, key="k", timestamp=time)
        assert d.store("sums")["k"] == 3
        assert len(letters(d)) == 1


def test_several_streams_in_one_window():
    app = hf.App("several")
    ups = app.stream("ups", int, key=str).group_by_key()
    downs = app.stream("downs", str, key=str).group_by_key()
    both = hf.cogroup((ups, lambda s, v: s + v), (downs, lambda s, v: s - F.cast(v, "bigint")))
    both.windowed_by(hf.trailing("3 ms")).aggregate(0, store="level").to("level")
    with Driver(app) as d:
        d.pipe("ups", 10, key="k", timestamp=1)
        d.pipe("downs", "1", key="k", timestamp=2)
        d.pipe("downs", "2", key="k", timestamp=3)
        d.pipe("ups", 5, key="k", timestamp=4)
        assert pairs(d, "level") == [("k", 10), ("k", 9), ("k", 7), ("k", 2)]


RATIOS = [
    (hf.trailing("4 ms"), [3.0, 3.5, 4.5, 6.0, 5.0]),
    (hf.sliding_count(4), [3.0, 3.5, 4.5, 6.0, 5.0]),
    (hf.tumbling_count(5), [21 / 5]),
]


@pytest.mark.parametrize(("window", "ratios"), RATIOS, ids=str)
def test_only_the_whole_window_needs_a_result(window, ratios):
    """A part of it may have none: the first records of a window alone would divide by zero."""
    app = hf.App("ratio")
    pairs_ = app.stream("pairs", "a BIGINT, b BIGINT", key=str).group_by_key()
    pairs_.windowed_by(window).agg(ratio=F.sum("a") / F.sum("b"), store="ratio").to("ratio")
    numbers = [(6, 2), (1, 0), (2, 0), (3, 0), (9, 3)]
    with Driver(app) as d:
        for time, (a, b) in enumerate(numbers if len(ratios) > 1 else numbers[::-1][1:] + numbers[-1:]):
            d.pipe("pairs", {"a": a, "b": b}, key="k", timestamp=time)
        assert [v["ratio"] for _, v in pairs(d, "ratio")] == ratios
        assert letters(d) == []


def test_a_window_without_a_result_is_a_dead_letter():
    app = hf.App("ratio")
    pairs_ = app.stream("pairs", "a BIGINT, b BIGINT", key=str).group_by_key()
    pairs_.windowed_by(hf.trailing("4 ms")).agg(ratio=F.sum("a") / F.sum("b"), store="ratio")
    with Driver(app) as d:
        for time, (a, b) in ((0, (6, 2)), (50, (1, 0)), (51, (4, 2))):
            d.pipe("pairs", {"a": a, "b": b}, key="k", timestamp=time)
        assert len(letters(d)) == 1
        assert d.store("ratio")["k"] == {"ratio": 2.0}
