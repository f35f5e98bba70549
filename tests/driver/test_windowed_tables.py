"""A table of windows is a table like any other."""

import pytest

import holdfast as hf
from holdfast import functions as F
from holdfast.testing import Driver
from tests.driver.helpers import EPOCH, pairs
from tests.driver.windows import emitted, pipe, stored

TEN = hf.tumbling("10 ms", retention="30 ms")


def counts(app, topic="in", store=None, window=TEN):
    return app.stream(topic, str, key=str).group_by_key().windowed_by(window).count(store=store)


def test_expressions_see_the_key_and_the_times_of_the_window():
    app = hf.App("fields", tasks=1)
    stream = counts(app).to_stream()
    stream.map(lambda k, n: (k.key, dict(start=k.start, seconds=F.unix_millis(k.end), n=n))).to("out")
    with Driver(app) as driver:
        pipe(driver, ("a", "x", 3))
        assert pairs(driver, "out") == [("a", {"start": EPOCH, "seconds": 10, "n": 1})]


def test_the_key_in_a_topic_is_json_with_milliseconds():
    app = hf.App("raw", tasks=1)
    counts(app).to("middle")
    app.stream("middle", int, key=bytes).map_values(lambda k, v: F.decode(k, "UTF-8")).to("out")
    with Driver(app) as driver:
        pipe(driver, ("a", "x", 13))
        assert [r.value for r in driver.read("out")] == ['{"key":"a","start":10,"end":20}']


def test_filter_and_map_values():
    app = hf.App("views", tasks=1)
    table = counts(app)
    table.filter(lambda k, n: n > 1).to("many")
    table.map_values(lambda n: n * 10, store="tens")
    with Driver(app) as driver:
        pipe(driver, ("a", "x", 0), ("a", "x", 1))
        assert emitted(driver, "many") == [("a", 0, 10, 2, 1)]
        assert stored(driver, "tens") == {("a", 0): 20}


def test_group_the_windows_of_all_keys():
    app = hf.App("regroup", tasks=2)
    counts(app).to_stream().group_by(lambda k, n: k.start).reduce(lambda a, b: F.greatest(a, b), store="most")
    with Driver(app) as driver:
        pipe(driver, ("a", "x", 0), ("b", "x", 1), ("b", "x", 2))
        assert dict(driver.store("most").all()) == {EPOCH: 2}


def test_group_by_the_window_itself():
    app = hf.App("again", tasks=4)
    counts(app).to_stream().group_by_key().count(store="updates")
    with Driver(app) as driver:
        pipe(driver, ("a", "x", 0), ("a", "x", 1), ("b", "x", 2))
        assert stored(driver, "updates") == {("a", 0): 2, ("b", 0): 1}


def test_join_with_a_table_of_windows():
    app = hf.App("join", tasks=4)
    clicks, views = counts(app, "clicks"), counts(app, "views", window=hf.tumbling("10 ms", retention="1 s"))
    joined = clicks.to_stream().left_join(views, lambda c, v: dict(clicks=c, views=v))
    joined.to("out")
    with Driver(app) as driver:
        driver.pipe("views", "x", key="a", timestamp=1)
        driver.pipe("clicks", "x", key="a", timestamp=2)
        driver.pipe("clicks", "x", key="b", timestamp=3)
        driver.pipe("clicks", "x", key="a", timestamp=12)
        assert emitted(driver) == [
            ("a", 0, 10, {"clicks": 1, "views": 1}, 2),
            ("b", 0, 10, {"clicks": 1, "views": None}, 3),
            ("a", 10, 20, {"clicks": 1, "views": None}, 12),
        ]


def test_a_join_after_a_change_of_key_finds_the_window():
    app = hf.App("rekeyed", tasks=8)
    table = counts(app, "in", window=hf.tumbling("10 ms", retention="1 s"))
    windows = counts(app, "other", window=hf.tumbling("10 ms", retention="1 s")).to_stream()
    windows.map(lambda k, n: (k, n + 100)).join(table, lambda n, m: dict(other=n, mine=m)).to("out")
    with Driver(app) as driver:
        for key in "abcdefgh":
            driver.pipe("in", "x", key=key, timestamp=1)
        for key in "abcdefgh":
            driver.pipe("other", "x", key=key, timestamp=2)
        assert sorted((k, v["mine"]) for k, _, _, v, _ in emitted(driver)) == [(key, 1) for key in "abcdefgh"]


@pytest.mark.parametrize("together", [False, True])
def test_a_reader_sees_a_window_until_it_is_forgotten(together):
    app = hf.App("reader", tasks=1)
    stream = app.stream("in", str, key=str)
    table = stream.filter(lambda v: v == "x").group_by_key().windowed_by(TEN).count()
    every = hf.tumbling("10 ms", grace="1 s", emit="every")
    asked = stream.filter(lambda v: v == "?").group_by_key().windowed_by(every).count()
    asked.to_stream().left_join(table, lambda n, m: F.coalesce(m, F.lit(0))).to("out")
    with Driver(app) as driver:
        feed = [("a", "x", 5), ("a", "?", 6), ("a", "x", 29), ("a", "?", 7), ("a", "x", 30), ("a", "?", 8)]
        pipe(driver, *feed, together=together)
        assert [u[3] for u in emitted(driver)] == [1, 1, 0]


def test_windows_of_a_count_over_a_changed_key():
    app = hf.App("moved", tasks=4)
    stream = app.stream("in", "user STRING, page STRING", key=str)
    stream.group_by("page").windowed_by(TEN).count(store="pages")
    with Driver(app) as driver:
        for user in "abc":
            driver.pipe("in", {"user": user, "page": "home"}, key=user, timestamp=4)
        assert stored(driver, "pages") == {("home", 0): 3}


def test_a_record_key_in_a_window():
    app = hf.App("record-keys", tasks=1)
    stream = app.stream("in", "a STRING, b BIGINT", key=str)
    stream.group_by("a", "b").windowed_by(TEN).count(store="store").to("out")
    with Driver(app) as driver:
        driver.pipe("in", {"a": "x", "b": 5}, key="k", timestamp=4)
        (record,) = driver.read("out")
        assert record.key == hf.Windowed({"a": "x", "b": 5}, 0, 10)
        assert driver.store("store")[record.key] == 1


def test_a_copy_forgets_what_the_table_forgets():
    app = hf.App("copies", tasks=1)
    table = counts(app)
    again = (
        app.stream("asked", "who STRING", key=str)
        .group_by("who")
        .windowed_by(hf.tumbling("10 ms", grace="1 s"))
        .count()
    )
    again.to_stream().left_join(table, lambda n, m: F.coalesce(m, F.lit(0))).to("out")
    with Driver(app) as driver:
        pipe(driver, ("a", "x", 5))
        driver.pipe("asked", {"who": "a"}, key="k", timestamp=6)
        pipe(driver, ("a", "x", 30))
        driver.pipe("asked", {"who": "a"}, key="k", timestamp=7)
        assert [u[3] for u in emitted(driver)] == [1, 0]


def test_a_join_of_tables_is_not_told_when_a_window_is_forgotten():
    app = hf.App("silence", tasks=1)
    left, right = counts(app, "in"), counts(app, "other", window=hf.tumbling("10 ms", retention="1 s"))
    left.outer_join(right, lambda a, b: dict(a=a, b=b)).to("out")
    with Driver(app) as driver:
        pipe(driver, ("a", "x", 5))
        driver.pipe("other", "x", key="a", timestamp=6)
        pipe(driver, ("a", "x", 40))
        assert [(u[1], u[3]) for u in emitted(driver)] == [
            (0, {"a": 1, "b": None}),
            (0, {"a": 1, "b": 1}),
            (40, {"a": 1, "b": None}),
        ]


def test_a_join_of_tables_hears_of_a_final_window_once():
    app = hf.App("finals", tasks=1)
    left = counts(app, "in", window=hf.tumbling("10 ms", retention="1 s", emit="final"))
    right = counts(app, "other", window=hf.tumbling("10 ms", retention="1 s"))
    left.join(right, lambda a, b: dict(a=a, b=b)).to("out")
    with Driver(app) as driver:
        driver.pipe("other", "x", key="a", timestamp=6)
        pipe(driver, ("a", "x", 5), ("a", "x", 6))
        assert emitted(driver) == []
        pipe(driver, ("a", "x", 10))
        assert [(u[1], u[3]) for u in emitted(driver)] == [(0, {"a": 2, "b": 1})]
