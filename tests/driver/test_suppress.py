"""Updates held back; the scenarios are those of Kafka Streams' own tests."""

import pytest

import holdfast as hf
from holdfast import functions as F
from holdfast.testing import Driver
from tests.driver.helpers import timed
from tests.driver.windows import emitted, pipe


def table_app(until):
    app = hf.App("calm", tasks=1)
    app.table("in", str, key=str).suppress(until).to("out")
    return app


def count_app(window, until, key=str):
    app = hf.App("closed", tasks=1)
    app.stream("in", str, key=key).group_by_key().windowed_by(window).count(store="store").suppress(until).to("out")
    return app


def test_no_time_to_wait_holds_nothing_back():
    with Driver(table_app(hf.until_time("0 ms"))) as driver:
        pipe(driver, ("x", "1", 0), ("x", "2", 1), ("y", "1", 2), ("x", None, 3))
        assert timed(driver, "out") == [("x", "1", 0), ("x", "2", 1), ("y", "1", 2), ("x", None, 3)]


@pytest.mark.parametrize("together", [False, True])
def test_the_first_update_says_how_long_and_the_last_is_told(together):
    with Driver(table_app(hf.until_time("2 ms"))) as driver:
        pipe(driver, ("v1", "1", 0), ("v1", "0", 1), ("v2", "1", 1), ("v1", "1", 2), together=together)
        assert timed(driver, "out") == [("v1", "1", 2)]
        pipe(driver, ("tick", "1", 3))
        assert timed(driver, "out") == [("v2", "1", 1)]
        pipe(driver, ("tick", "0", 4), ("tock", "1", 4), together=together)
        assert timed(driver, "out") == []


def test_a_delete_is_told_when_its_time_has_come():
    with Driver(table_app(hf.until_time("2 ms"))) as driver:
        pipe(driver, ("x", "1", 0), ("x", None, 1), ("y", "1", 2))
        assert timed(driver, "out") == [("x", None, 1)]


def test_the_earliest_go_on_when_there_is_no_room():
    with Driver(table_app(hf.until_time("100 days", max_records=1))) as driver:
        pipe(driver, ("v1", "1", 0), ("v1", "0", 1), ("v2", "1", 1), ("v1", "1", 2))
        assert timed(driver, "out") == [("v1", "0", 1), ("v2", "1", 1)]
        pipe(driver, ("x", "1", 3))
        assert timed(driver, "out") == [("v1", "1", 2)]


def test_the_app_stops_when_that_is_wanted():
    with Driver(table_app(hf.until_time("1 day", max_records=2, on_full="fail"))) as driver:
        pipe(driver, ("a", "1", 0), ("b", "1", 0), ("a", "2", 0))
        with pytest.raises(hf.HoldfastError, match=r"more than 2 keys are buffered in suppress-1; raise .*on_full"):
            pipe(driver, ("c", "1", 0))


def test_one_result_per_window():
    app = count_app(hf.tumbling("2 ms", grace="1 ms"), hf.until_window_closes())
    with Driver(app) as driver:
        pipe(driver, *(("k1", "v", t) for t in (0, 1, 2, 1, 0, 5, 0)))
        assert emitted(driver) == [("k1", 0, 2, 4, 1), ("k1", 2, 4, 1, 2)]


@pytest.mark.parametrize("together", [False, True])
def test_a_leap_in_time(together):
    app = count_app(hf.tumbling("2 ms", grace="2 ms"), hf.until_window_closes())
    with Driver(app) as driver:
        pipe(driver, *(("k1", "v", t) for t in (0, 1, 2, 0, 3, 0, 4, 0, 30)), together=together)
        assert emitted(driver) == [("k1", 0, 2, 4, 1), ("k1", 2, 4, 2, 3), ("k1", 4, 6, 1, 4)]


def test_sliding_windows():
    app = count_app(hf.sliding("5 ms", grace="15 ms"), hf.until_window_closes())
    with Driver(app) as driver:
        pipe(driver, *(("k1", "v", t) for t in (10, 11, 10, 13, 10, 24, 5, 7, 90)))
        assert emitted(driver) == [
            ("k1", 5, 10, 5, 10),
            ("k1", 6, 11, 5, 11),
            ("k1", 8, 13, 5, 13),
            ("k1", 11, 16, 2, 13),
            ("k1", 12, 17, 1, 13),
            ("k1", 19, 24, 1, 24),
        ]


def test_a_window_that_became_nothing_is_not_told():
    app = hf.App("nothing", tasks=1)
    group = app.stream("in", int, key=str).group_by_key().windowed_by(hf.tumbling("10 ms"))
    table = group.reduce(lambda old, new: F.nullif(old + new, F.lit(0)))
    table.suppress(hf.until_window_closes()).to("out")
    with Driver(app) as driver:
        pipe(driver, ("a", 1, 0), ("a", -1, 1), ("b", 2, 2), ("c", 1, 10))
        assert emitted(driver) == [("b", 0, 10, 2, 2)]


def test_windows_behind_a_view():
    app = hf.App("view", tasks=1)
    counts = app.stream("in", str, key=str).group_by_key().windowed_by(hf.tumbling("10 ms", grace="5 ms")).count()
    counts.filter(lambda n: n > 1).map_values(lambda n: n * 10).suppress(hf.until_window_closes()).to("out")
    with Driver(app) as driver:
        pipe(driver, ("a", "v", 0), ("a", "v", 1), ("b", "v", 2), ("a", "v", 11), ("a", "v", 15), ("b", "v", 16))
        assert emitted(driver) == [("a", 0, 10, 20, 1)]


def test_nothing_is_lost_in_a_crash():
    app = count_app(hf.tumbling("2 ms", grace="2 ms"), hf.until_window_closes())
    with Driver(app) as driver:
        for t in (0, 1, 2, 0, 3, 0, 4, 0, 30):
            pipe(driver, ("k1", "v", t))
            driver.crash()
        assert emitted(driver) == [("k1", 0, 2, 4, 1), ("k1", 2, 4, 2, 3), ("k1", 4, 6, 1, 4)]


def test_a_join_sees_what_was_told_before():
    app = hf.App("seen", tasks=1)
    right = app.table("right", str, key=str).suppress(hf.until_time("10 ms"))
    app.stream("left", str, key=str).left_join(right, lambda a, b: dict(a=a, b=b)).to("out")
    with Driver(app) as driver:
        driver.pipe("right", "1", key="A", timestamp=0)
        driver.pipe("left", "a", key="A", timestamp=1)
        driver.pipe("right", "tick", key="tick", timestamp=10)
        driver.pipe("right", "2", key="A", timestamp=11)
        driver.pipe("left", "b", key="A", timestamp=12)
        driver.pipe("right", "tock", key="tick", timestamp=21)
        driver.pipe("left", "c", key="A", timestamp=22)
        assert [r.value["b"] for r in driver.read("out")] == [None, "1", "2"]


def test_headers_and_the_time_of_the_update_are_kept():
    app = table_app(hf.until_time("5 ms"))
    with Driver(app) as driver:
        driver.pipe("in", "1", key="a", timestamp=3, headers={"trace": b"x"})
        driver.crash()
        driver.pipe("in", "1", key="b", timestamp=9)
        (record,) = driver.read("out")
        assert (record.key, record.headers) == ("a", {"trace": b"x"})


def test_time_that_moves_without_records_lets_go():
    app = hf.App("idle", tasks=2)
    stream = app.stream("in", str, key=str, close_on_idle="1 minute")
    counts = stream.group_by_key().windowed_by(hf.tumbling("10 s")).count()
    counts.suppress(hf.until_window_closes()).to("out")
    with Driver(app) as driver:
        pipe(driver, ("a", "v", 0), ("b", "v", 1))
        driver.advance(minutes=2)
        assert sorted(u[0] for u in emitted(driver)) == ["a", "b"]
