import holdfast as hf
from holdfast import functions as F
from holdfast.testing import Driver
from tests.driver.windows import emitted, pipe, stored, texts, through


def test_a_record_is_in_one_window_and_the_end_is_in_the_next():
    records = [("a", "1", 0), ("a", "2", 9), ("a", "3", 10), ("b", "4", 5)]
    assert through(hf.tumbling("10 ms", grace="1 s"), *records) == [
        ("a", 0, 10, "0+1", 0),
        ("a", 0, 10, "0+1+2", 9),
        ("a", 10, 20, "0+3", 10),
        ("b", 0, 10, "0+4", 5),
    ]


def test_the_latest_time_stays():
    records = [("a", "1", 8), ("a", "2", 3)]
    assert through(hf.tumbling("10 ms"), *records)[-1] == ("a", 0, 10, "0+1+2", 8)


def test_a_batch_tells_of_each_window_once():
    records = [("a", "1", 0), ("b", "2", 1), ("a", "3", 2), ("a", "4", 10)]
    assert through(hf.tumbling("10 ms"), *records, together=True) == [
        ("b", 0, 10, "0+2", 1),
        ("a", 0, 10, "0+1+3", 2),
        ("a", 10, 20, "0+4", 10),
    ]


def test_every_update_if_asked():
    records = [("a", "1", 0), ("a", "2", 1)]
    assert [r[3] for r in through(hf.tumbling("10 ms", emit="every"), *records, together=True)] == ["0+1", "0+1+2"]


def test_a_closed_window_takes_nothing_more():
    with Driver(texts(hf.tumbling("10 ms", grace="90 ms"))) as driver:
        pipe(driver, ("k", "100", 200), ("k", "0", 100), ("k", "1", 105), ("k", "6", 6), ("k", "in time", 110))
        assert emitted(driver) == [("k", 200, 210, "0+100", 200), ("k", 110, 120, "0+in time", 110)]


def test_time_is_that_of_all_keys_of_a_task():
    records = [("a", "1", 0), ("b", "2", 10), ("a", "late", 9)]
    assert [r[3] for r in through(hf.tumbling("10 ms"), *records)] == ["0+1", "0+2"]


def test_late_is_late_in_one_batch_as_well():
    records = [("a", "1", 0), ("b", "2", 10), ("a", "late", 9)]
    assert through(hf.tumbling("10 ms"), *records, together=True) == through(hf.tumbling("10 ms"), *records)


def test_a_window_is_forgotten_when_another_begins_a_retention_later():
    with Driver(texts(hf.tumbling("10 ms", retention="30 ms"))) as driver:
        pipe(driver, ("a", "1", 0), ("b", "2", 1), ("a", "3", 29))
        assert stored(driver) == {("a", 0): "0+1", ("b", 0): "0+2", ("a", 20): "0+3"}
        pipe(driver, ("c", "4", 30))
        assert stored(driver) == {("a", 20): "0+3", ("c", 30): "0+4"}


def test_what_a_batch_makes_and_outlives_is_told_and_forgotten():
    with Driver(texts(hf.tumbling("10 ms"))) as driver:
        pipe(driver, ("a", "1", 0), ("a", "2", 50), together=True)
        assert [r[3] for r in emitted(driver)] == ["0+1", "0+2"]
        assert stored(driver) == {("a", 50): "0+2"}


def test_a_crash_loses_nothing():
    with Driver(texts(hf.tumbling("10 ms", retention="20 ms"))) as driver:
        pipe(driver, ("a", "1", 0), ("a", "2", 12))
        driver.crash()
        pipe(driver, ("a", "late", 3), ("a", "3", 13), ("a", "4", 25))
        assert emitted(driver)[2:] == [("a", 10, 20, "0+2+3", 13), ("a", 20, 30, "0+4", 25)]
        assert stored(driver) == {("a", 10): "0+2+3", ("a", 20): "0+4"}


def test_every_aggregate():
    app = hf.App("all", tasks=1)
    group = app.stream("in", "x BIGINT", key=str).group_by_key().windowed_by(hf.tumbling("10 ms"))
    group.count(store="count")
    group.agg(low=F.min("x"), mean=F.avg("x"), all=F.collect_list("x"), store="agg")
    group.reduce(lambda old, new: dict(x=old.x + new.x), store="reduce")
    group.aggregate(dict(n=0), lambda s, v: dict(n=s.n + v.x), store="aggregate")
    group.top(1, by="x", store="top")
    with Driver(app) as driver:
        for x, t in ((5, 0), (3, 1), (7, 12)):
            driver.pipe("in", {"x": x}, key="a", timestamp=t)
        first = hf.Windowed("a", 10, 20)
        assert {name: driver.store(name)[first] for name in ("count", "agg", "reduce", "aggregate", "top")} == {
            "count": 1,
            "agg": {"low": 7, "mean": 7.0, "all": [7]},
            "reduce": {"x": 7},
            "aggregate": {"n": 7},
            "top": [{"x": 7}],
        }


def test_a_record_that_fails_leaves_no_trace():
    app = hf.App("fails", tasks=1)
    group = app.stream("in", "x INT", key=str).group_by_key().windowed_by(hf.hopping("10 ms", advance="5 ms"))
    group.aggregate(dict(n=100), lambda s, v: dict(n=F.cast(s.n / v.x, "long")), store="store")
    with Driver(app) as driver:
        for x, t in ((5, 5), (0, 6), (2, 7)):
            driver.pipe("in", {"x": x}, key="a", timestamp=t)
        assert [letter.node for letter in driver.dead_letters()] == ["aggregate:store"]
        assert stored(driver) == {("a", 0): {"n": 10}, ("a", 5): {"n": 10}}


def test_null_keys_and_values():
    with Driver(texts(hf.tumbling("10 ms"))) as driver:
        pipe(driver, ("a", "1", 0), ("a", None, 5), (None, "2", 6), ("a", None, 10), ("a", "in time", 4))
        assert [r[3] for r in emitted(driver)] == ["0+1", "0+1+in time"]
        assert [letter.reason for letter in driver.dead_letters()] == ["the key is null; a table has no place for it"]


def test_a_state_that_becomes_null_deletes_the_window():
    app = hf.App("nulls", tasks=1)
    group = app.stream("in", int, key=str).group_by_key().windowed_by(hf.tumbling("10 ms", retention="1 s"))
    group.reduce(lambda old, new: F.nullif(old + new, F.lit(0)), store="store").to("out")
    with Driver(app) as driver:
        pipe(driver, ("a", 1, 0), ("a", -1, 1), ("a", 5, 2))
        assert [r[3] for r in emitted(driver)] == [1, None, 5]
        assert stored(driver) == {("a", 0): 5}


def test_a_count_over_another_key_is_not_counted_before_the_exchange():
    app = hf.App("combine", tasks=4)
    pages = app.stream("in", "page STRING", key=str).group_by("page")
    pages.windowed_by(hf.tumbling("10 ms", retention="1 s")).count(store="store")
    with Driver(app) as driver:
        with driver.batch():
            for t in (1, 12, 3, 14, 15, 26):
                driver.pipe("in", {"page": "home"}, key=str(t), timestamp=t)
        assert stored(driver) == {("home", 0): 1, ("home", 10): 3, ("home", 20): 1}
        assert [late.record.timestamp.microsecond for late in driver.late()] == [3000]
