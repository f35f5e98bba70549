"""emit="final": a window is emitted once, when it has closed."""

import holdfast as hf
from holdfast.testing import Driver
from tests.driver.helpers import timed
from tests.driver.windows import emitted, pipe, stored, texts, through

HOPS = hf.hopping("10 ms", advance="5 ms", grace="5 ms", emit="final")


def test_nothing_before_the_grace_is_over():
    window = hf.hopping("10 ms", advance="5 ms", grace="100 ms", emit="final")
    assert through(window, *((k, "1", t) for t, k in enumerate("ABCDAABDBCABDBC"))) == []


def test_once_and_with_the_time_of_the_value():
    with Driver(texts(HOPS)) as driver:
        pipe(driver, ("A", "1", 0), ("A", "2", 5), ("A", "3", 14))
        assert emitted(driver) == []
        pipe(driver, ("B", "4", 15))
        assert emitted(driver) == [("A", 0, 10, "0+1+2", 5)]
        pipe(driver, ("B", "5", 19), ("B", "6", 20))
        assert emitted(driver) == [("A", 5, 15, "0+2+3", 14)]


def test_a_leap_in_time_closes_all_windows_in_their_order():
    with Driver(texts(HOPS)) as driver:
        pipe(driver, ("B", "1", 8), ("A", "2", 3), ("B", "3", 12), ("C", "4", 1000))
        assert emitted(driver) == [
            ("A", 0, 10, "0+2", 3),
            ("B", 0, 10, "0+1", 8),
            ("B", 5, 15, "0+1+3", 12),
            ("B", 10, 20, "0+3", 12),
        ]
        assert stored(driver) == {("C", 995): "0+4", ("C", 1000): "0+4"}


def test_the_record_that_closes_a_window_may_be_late_itself_for_nothing():
    with Driver(texts(hf.tumbling("10 ms", grace="90 ms", emit="final"))) as driver:
        pipe(driver, ("k", "100", 100), ("k", "0", 0), ("k", "11", 11), ("k", "105", 110))
        assert emitted(driver) == [("k", 10, 20, "0+11", 11)]
        assert [late.record.value for late in driver.late()] == ["0"]


def test_the_store_does_not_wait():
    with Driver(texts(HOPS)) as driver:
        pipe(driver, ("A", "1", 3))
        assert stored(driver) == {("A", 0): "0+1"}


def test_one_batch_gives_the_same():
    records = [("A", "1", 0), ("B", "2", 7), ("A", "3", 16), ("B", "late", 1), ("B", "4", 30), ("A", "5", 31)]
    assert through(HOPS, *records) == through(HOPS, *records, together=True)
    assert len(through(HOPS, *records)) == 5


def test_a_crash_forgets_no_window():
    with Driver(texts(HOPS)) as driver:
        pipe(driver, ("A", "1", 0))
        driver.crash()
        pipe(driver, ("A", "2", 15))
        driver.crash()
        pipe(driver, ("B", "3", 40))
        assert [u[:4] for u in emitted(driver)] == [("A", 0, 10, "0+1"), ("A", 10, 20, "0+2"), ("A", 15, 25, "0+2")]


def test_a_record_without_a_value_closes_nothing():
    with Driver(texts(hf.tumbling("10 ms", emit="final"))) as driver:
        pipe(driver, ("A", "1", 0), ("A", None, 10))
        assert emitted(driver) == []


def test_what_comes_after_it_sees_each_result_once():
    app = hf.App("after", tasks=1)
    counts = app.stream("in", str, key=str).group_by_key().windowed_by(hf.tumbling("10 ms", emit="final")).count()
    counts.to_stream().map(lambda k, n: ("all", n)).group_by_key().reduce(lambda a, b: a + b, store="sum").to("sums")
    with Driver(app) as driver:
        pipe(driver, ("a", "x", 0), ("a", "x", 1), ("b", "x", 2), ("a", "x", 10), ("a", "x", 25))
        assert timed(driver, "sums") == [("all", 3, 2), ("all", 4, 10)]


def test_source_time_closes_windows_of_tasks_that_get_nothing():
    app = hf.App("ticks", tasks=4)
    group = app.stream("in", str, key=str).group_by_key()
    group.windowed_by(hf.tumbling("10 ms", emit="final"), close_on="watermark").count(store="store").to("out")
    with Driver(app) as driver:
        pipe(driver, *((str(n), "x", n) for n in range(8)))
        assert emitted(driver) == []
        pipe(driver, ("0", "x", 10))
        assert sorted(u[0] for u in emitted(driver)) == [str(n) for n in range(8)]
