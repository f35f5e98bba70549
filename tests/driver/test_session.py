"""Sessions: records that follow each other within a gap, as Kafka Streams' session windows."""

import pytest

import holdfast as hf
from holdfast import functions as F
from holdfast.testing import Driver
from tests.driver.helpers import letters, timed


def counting(gap="500 ms", tasks=1, **window):
    """How many records each session has."""
    app = hf.App("sessions", tasks=tasks)
    words = app.stream("words", str, key=str).group_by_key()
    words.windowed_by(hf.session(gap, **window), late="late").count(store="counts").to("out")
    return app


def pipe(driver, *records):
    """Pipe (key, time) or (key, time, value), one batch each."""
    for key, time, *value in records:
        driver.pipe("words", value[0] if value else "w", key=key, timestamp=time)


def read(driver):
    """What came, as (key, start, end, value, time)."""
    return [(k.key, ms(k.start), ms(k.end), value, time) for k, value, time in timed(driver, "out")]


def stored(driver, name="counts"):
    """The sessions in the store, as (key, start, end, value)."""
    return sorted((k.key, ms(k.start), ms(k.end), value) for k, value in driver.store(name).all())


def ms(moment):
    return round(moment.timestamp() * 1000)


FIVE = [("1", 10, "1"), ("1", 15, "2"), ("1", 600, "3"), ("2", 600, "1"), ("2", 599, "2")]


def test_a_session_that_grows_is_deleted_and_written_anew():
    with Driver(counting(emit="every")) as d:
        pipe(d, *FIVE)
        assert read(d) == [
            ("1", 10, 10, 1, 10),
            ("1", 10, 10, None, 10),
            ("1", 10, 15, 2, 15),
            ("1", 600, 600, 1, 600),
            ("2", 600, 600, 1, 600),
            ("2", 600, 600, None, 600),
            ("2", 599, 600, 2, 600),
        ]


def test_at_the_end_only():
    with Driver(counting(emit="final")) as d:
        pipe(d, *FIVE)
        assert read(d) == [("1", 10, 15, 2, 15)]
        pipe(d, ("3", 2000))
        assert read(d) == [("2", 599, 600, 2, 600), ("1", 600, 600, 1, 600)]


def test_one_batch_tells_each_session_once():
    with Driver(counting()) as d:
        with d.batch():
            pipe(d, *FIVE)
        assert read(d) == [("1", 10, 15, 2, 15), ("1", 600, 600, 1, 600), ("2", 599, 600, 2, 600)]


def test_a_batch_deletes_what_was_there_before():
    with Driver(counting()) as d:
        pipe(d, ("a", 0))
        with d.batch():
            pipe(d, ("a", 5), ("a", 7))
        assert read(d) == [("a", 0, 0, 1, 0), ("a", 0, 0, None, 0), ("a", 0, 7, 3, 7)]


@pytest.mark.parametrize("emit", ["every", "latest"])
def test_a_record_inside_a_session(emit):
    """Without batches the window is emitted as deleted and written, though it is the same."""
    with Driver(counting(emit=emit)) as d:
        pipe(d, ("a", 0), ("a", 10))
        read(d)
        pipe(d, ("a", 5))
        gone = [("a", 0, 10, None, 10)] if emit == "every" else []
        assert read(d) == [*gone, ("a", 0, 10, 3, 10)]


def test_at_the_same_time_nothing_is_deleted():
    with Driver(counting(emit="every")) as d:
        pipe(d, ("mel", 0), ("mel", 0))
        assert read(d) == [("mel", 0, 0, 1, 0), ("mel", 0, 0, 2, 0)]
        assert stored(d) == [("mel", 0, 0, 2)]


def test_a_record_between_two_sessions_makes_one_of_them():
    with Driver(counting("10 ms", emit="every", retention="30 ms")) as d:
        pipe(d, ("mel", 0), ("mel", 11))
        assert stored(d) == [("mel", 0, 0, 1), ("mel", 11, 11, 1)]
        read(d)
        pipe(d, ("mel", 5))
        assert read(d) == [("mel", 0, 0, None, 0), ("mel", 11, 11, None, 11), ("mel", 0, 11, 3, 11)]
        assert stored(d) == [("mel", 0, 11, 3)]


def test_the_gap_is_part_of_a_session():
    with Driver(counting("10 ms", grace="100 ms")) as d:
        pipe(d, ("in", 0), ("in", 10), ("out", 50), ("out", 61))
        assert stored(d) == [("in", 0, 10, 2), ("out", 50, 50, 1), ("out", 61, 61, 1)]


def test_many_sessions_of_several_keys():
    records = [("a", 0), ("b", 0), ("c", 0), ("d", 0), ("d", 5), ("a", 11), ("b", 11), ("a", 16), ("c", 16)]
    with Driver(counting("10 ms", retention="30 ms")) as d:
        with d.batch():
            pipe(d, *records)
        assert read(d) == [
            ("a", 0, 0, 1, 0),
            ("b", 0, 0, 1, 0),
            ("c", 0, 0, 1, 0),
            ("d", 0, 5, 2, 5),
            ("b", 11, 11, 1, 11),
            ("a", 11, 16, 2, 16),
            ("c", 16, 16, 1, 16),
        ]
    with Driver(counting("10 ms", emit="final", retention="30 ms")) as d:
        pipe(d, *records)
        assert read(d) == [("a", 0, 0, 1, 0), ("b", 0, 0, 1, 0), ("c", 0, 0, 1, 0), ("d", 0, 5, 2, 5)]


@pytest.mark.parametrize(("grace", "closing"), [("0 ms", 11), ("1 ms", 12)])
def test_a_record_is_late_when_its_session_ended_a_gap_and_a_grace_ago(grace, closing):
    with Driver(counting("10 ms", grace=grace)) as d:
        pipe(d, ("dummy", 0), ("in-time", 0), ("dummy", closing - 1), ("delayed", 0), ("dummy", closing))
        assert d.late() == []
        pipe(d, ("late", 0))
        (late,) = d.late()
        assert (late.record.key, ms(late.start), ms(late.end), ms(late.stream_time)) == ("late", 0, 0, closing)
        assert [r.key for r in d.read("late")] == ["late"]


def test_an_old_record_is_in_time_if_its_session_is():
    with Driver(counting("10 ms")) as d:
        pipe(d, *[("a", time) for time in range(0, 100, 10)], ("a", 1))
        assert stored(d) == [("a", 0, 90, 11)]


def test_null_keys_are_dead_letters_and_null_values_are_skipped():
    with Driver(counting()) as d:
        d.pipe("words", "w", timestamp=0)
        d.pipe("words", None, key="k", timestamp=0)
        assert [reason for _, reason in letters(d)] == ["the key is null; a table has no place for it"]
        assert read(d) == []


def test_sessions_that_are_over_are_forgotten():
    with Driver(counting("10 ms")) as d:
        pipe(d, ("a", 0), ("b", 100))
        assert stored(d) == [("b", 100, 100, 1)]
        d.crash()
        pipe(d, ("c", 105))
        assert stored(d) == [("b", 100, 100, 1), ("c", 105, 105, 1)]


def test_a_session_that_closes_and_expires_at_once_leaves_the_store_with_its_result():
    with Driver(counting("10 ms", emit="final")) as d:
        pipe(d, ("a", 0), ("b", 100))
        assert read(d) == [("a", 0, 0, 1, 0)]
        assert stored(d) == [("b", 100, 100, 1)]
        d.crash()
        pipe(d, ("c", 105), ("d", 300))
        assert [r[:3] for r in read(d)] == [("b", 100, 100), ("c", 105, 105)]
        assert stored(d) == [("d", 300, 300, 1)]


def test_a_session_is_looked_at_once_when_another_of_its_key_expires_at_the_time_at_which_it_closes():
    with Driver(counting("5 ms", emit="final", grace="3 ms", retention="20 ms")) as d:
        pipe(d, ("a", 0), ("b", 10), ("a", 11), ("b", 100))
        assert read(d) == [("a", 0, 0, 1, 0), ("b", 10, 10, 1, 10), ("a", 11, 11, 1, 11)]
        assert stored(d) == [("b", 100, 100, 1)]


def test_the_result_of_a_session_that_expires_with_it_still_meets_its_own_table():
    app = hf.App("own", tasks=1)
    words = app.stream("words", str, key=str).group_by_key()
    table = words.windowed_by(hf.session("10 ms", emit="final")).count(store="counts")
    table.to_stream().left_join(table, lambda n, m: dict(n=n, m=m)).to("out")
    with Driver(app) as d:
        pipe(d, ("a", 0), ("b", 100), ("c", 200))
        assert [value for *_, value, _ in read(d)] == [{"n": 1, "m": 1}, {"n": 1, "m": 1}]
        assert stored(d) == [("c", 200, 200, 1)]


def test_sessions_stay_as_long_as_asked():
    with Driver(counting("10 ms", retention="50 ms")) as d:
        pipe(d, ("a", 0), ("b", 40))
        assert stored(d) == [("a", 0, 0, 1), ("b", 40, 40, 1)]
        pipe(d, ("b", 49))
        assert ("a", 0, 0, 1) in stored(d)
        pipe(d, ("b", 50))
        assert stored(d) == [("b", 40, 50, 3)]


def test_a_growing_session_is_not_forgotten():
    with Driver(counting("10 ms")) as d:
        pipe(d, *[("a", time) for time in range(0, 200, 9)], ("b", 207))
        assert stored(d) == [("a", 0, 198, 23), ("b", 207, 207, 1)]
        pipe(d, ("b", 217), ("b", 218))
        assert ("a", 0, 198, 23) in stored(d)  # a record of 208 is not late yet, and could reach it
        pipe(d, ("b", 219))
        assert stored(d) == [("b", 207, 219, 4)]


def test_at_the_end_of_a_growing_session():
    with Driver(counting("10 ms", emit="final")) as d:
        pipe(d, *[("a", time) for time in range(0, 200, 9)], ("b", 208))
        assert read(d) == []
        pipe(d, ("b", 209))
        assert read(d) == [("a", 0, 198, 23, 198)]
        pipe(d, ("b", 900))
        assert read(d) == [("b", 208, 209, 2, 209)]


def folds(window):
    """Every way to fold."""
    app = hf.App("folds", tasks=1)
    group = app.stream("in", "x BIGINT", key=str).group_by_key().windowed_by(window)
    group.agg(sum=F.sum("x"), mean=F.avg("x"), all=F.collect_list("x"), m=F.median("x"), store="agg")
    group.reduce(lambda old, new: dict(x=old.x * 10 + new.x), store="reduce")
    group.aggregate(
        "0",
        lambda s, v: F.concat(s, F.lit("+"), F.cast(v.x, "string")),
        merge=lambda a, b: F.concat(a, F.lit("+"), b),
        store="aggregate",
    )
    group.top(2, by="x", store="top")
    return app


def test_every_fold_merges():
    with Driver(folds(hf.session("10 ms", grace="1 minute"))) as d:
        for time, x in ((0, 1), (5, 2), (20, 3), (40, 4), (12, 5)):
            d.pipe("in", {"x": x}, key="k", timestamp=time)
            d.crash()
        merged, alone = hf.Windowed("k", 0, 20), hf.Windowed("k", 40, 40)
        agg = dict(d.store("agg").all())
        assert agg[merged] == {"sum": 11, "mean": 2.75, "all": [1, 2, 3, 5], "m": 2.5}
        assert agg[alone]["all"] == [4]
        assert dict(d.store("reduce").all()) == {merged: {"x": (12 * 10 + 3) * 10 + 5}, alone: {"x": 4}}
        assert dict(d.store("aggregate").all()) == {merged: "0+0+0+1+2+0+3+5", alone: "0+4"}
        assert [v["x"] for v in d.store("top")[merged]] == [5, 3]


def test_merge_begins_with_the_initial_state_as_in_kafka_streams():
    app = hf.App("aggregate")
    words = app.stream("words", str, key=str).group_by_key()
    words.windowed_by(hf.session("500 ms", emit="every")).aggregate(
        "0", lambda s, v: F.concat(s, F.lit("+"), v), merge=lambda a, b: F.concat(a, F.lit("+"), b), store="texts"
    ).to("out")
    with Driver(app) as d:
        pipe(d, *FIVE)
        assert [(k, s, e, v) for k, s, e, v, _ in read(d)] == [
            ("1", 10, 10, "0+1"),
            ("1", 10, 10, None),
            ("1", 10, 15, "0+0+1+2"),
            ("1", 600, 600, "0+3"),
            ("2", 600, 600, "0+1"),
            ("2", 600, 600, None),
            ("2", 599, 600, "0+0+1+2"),
        ]


@pytest.mark.parametrize("size", [1, 2, 7, 20])
@pytest.mark.parametrize("emit", ["every", "final"])
def test_results_do_not_depend_on_batches(size, emit):
    records = [("ab"[i % 2], (i * 37) % 90 + i * 3) for i in range(40)]
    results = []
    for batches in (1, size):
        with Driver(counting("10 ms", grace="20 ms", emit=emit)) as d:
            for start in range(0, len(records), batches):
                with d.batch():
                    pipe(d, *records[start : start + batches])
                d.crash()
            results.append((sorted(read(d), key=str), stored(d), len(d.late())))
    assert results[0] == results[1]


def test_a_failing_record_leaves_the_sessions_as_they_were():
    app = hf.App("failing")
    words = app.stream("words", str, key=str).group_by_key()
    words.windowed_by(hf.session("10 ms", retention="1 minute")).agg(
        sum=F.sum(F.cast(F.col("value"), "bigint")), all=F.collect_list("value"), store="sums"
    )
    with Driver(app) as d:
        pipe(d, ("k", 0, "1"), ("k", 15, "2"), ("k", 7, "nothing"))
        assert stored(d, "sums") == [("k", 0, 0, {"sum": 1, "all": ["1"]}), ("k", 15, 15, {"sum": 2, "all": ["2"]})]
        pipe(d, ("k", 8, "3"))
        assert stored(d, "sums") == [("k", 0, 15, {"sum": 6, "all": ["1", "2", "3"]})]
        assert len(letters(d)) == 1


def test_a_null_state_deletes_the_session():
    app = hf.App("nulls")
    numbers = app.stream("numbers", int, key=str).group_by_key()
    numbers.windowed_by(hf.session("10 ms", emit="every")).aggregate(
        0, lambda s, v: F.when(v > 0, s + v), merge=lambda a, b: a + b, store="sums"
    ).to("out")
    with Driver(app) as d:
        for time, n in ((0, 1), (5, 0), (6, 2)):
            d.pipe("numbers", n, key="k", timestamp=time)
        assert [(s, e, v) for _, s, e, v, _ in read(d)] == [(0, 0, 1), (0, 0, None), (0, 5, None), (6, 6, 2)]
        assert stored(d, "sums") == [("k", 6, 6, 2)]


def cogrouped(**window):
    app = hf.App("cogrouped", tasks=1)
    one = app.stream("one", str, key=str).group_by_key()
    two = app.stream("two", str, key=str).group_by_key()
    both = hf.cogroup((one, lambda s, v: F.concat(s, v)), (two, lambda s, v: F.concat(s, F.lit("-"), v)))
    both.windowed_by(hf.session("10 ms", **window), late="late").aggregate(
        "", merge=lambda a, b: F.concat(a, b), store="texts"
    ).to("out")
    return app


def test_sessions_of_several_streams():
    with Driver(cogrouped(emit="every")) as d:
        d.pipe("one", "A", key="k", timestamp=0)
        d.pipe("two", "B", key="k", timestamp=5)
        d.pipe("one", "C", key="k", timestamp=20)
        assert read(d) == [
            ("k", 0, 0, "A", 0),
            ("k", 0, 0, None, 0),
            ("k", 0, 5, "A-B", 5),
            ("k", 20, 20, "C", 20),
        ]


def test_each_stream_has_a_time_of_its_own():
    with Driver(cogrouped(retention="1 minute")) as d:
        d.pipe("one", "A", key="k", timestamp=1000)
        d.pipe("two", "B", key="k", timestamp=0)
        d.pipe("one", "C", key="k", timestamp=0)
        assert stored(d, "texts") == [("k", 0, 0, "-B"), ("k", 1000, 1000, "A")]
        assert len(d.late()) == 1


def test_at_the_end_the_time_is_that_of_all():
    with Driver(cogrouped(emit="final")) as d:
        d.pipe("one", "A", key="k", timestamp=0)
        d.pipe("two", "B", key="k", timestamp=5)
        d.pipe("two", "C", key="other", timestamp=100)
        d.pipe("one", "D", key="k", timestamp=6)
        assert read(d) == [("k", 0, 5, "A-B", 5)]
        assert len(d.late()) == 1


def test_a_session_without_a_value_lets_others_expire():
    """They stayed: only sessions that had a value moved the time by which sessions expire."""
    app = hf.App("sessions", tasks=1)
    group = app.stream("words", str, key=str).group_by_key().windowed_by(hf.session("500 ms"))
    kept = group.aggregate("", lambda s, w: F.when(w != "gone", w), merge=lambda a, b: F.concat(a, b), store="kept")
    kept.to("out")
    with Driver(app) as d:
        pipe(d, ("k", 0), ("other", 10_000, "gone"))
        assert stored(d, "kept") == []
