"""A changed program on the state of the one before: it goes on, or it is refused and nothing has happened."""

import pytest

import holdfast as hf
from holdfast import functions as F
from holdfast.errors import HoldfastError, StateMismatch
from holdfast.testing import Driver


def visits(store="visits", minimum=0):
    app = hf.App("town")
    found = app.stream("visits", int, key=str).filter(lambda n: n > minimum)
    found.group_by_key().count(store=store).to("counts")
    return app


def counts(driver):
    return [(r.key, r.value) for r in driver.read("counts")]


def test_it_goes_on_with_its_state_and_new_expressions():
    with Driver(visits()) as driver:
        driver.pipe("visits", 1, key="a")
        assert driver.restart(visits(minimum=5)) == []
        driver.pipe("visits", 1, key="a")
        driver.pipe("visits", 9, key="a")
        assert counts(driver) == [("a", 1), ("a", 2)]
        assert driver.store("visits")["a"] == 2


def test_a_new_store_of_a_stream_starts_empty_and_one_that_is_gone_is_dropped():
    with Driver(visits()) as driver:
        driver.pipe("visits", 1, key="a")
        new, gone = driver.restart(visits("others"))
        assert new.startswith("store 'others' is new (test_restart.py:")
        assert gone == "store 'visits' was removed: its state is dropped"
        driver.pipe("visits", 1, key="a")
        driver.restart(visits())
        driver.pipe("visits", 1, key="a")
        assert counts(driver) == [("a", 1), ("a", 1), ("a", 1)]


@pytest.mark.parametrize(("before", "after"), [(None, "count-1"), ("count-1", None)])
def test_a_name_that_a_store_without_one_had_does_not_make_it_that_store(before, after):
    with Driver(visits(before)) as driver:
        driver.pipe("visits", 1, key="a")
        with pytest.raises(StateMismatch, match="what it is made of has changed"):
            driver.restart(visits(after, minimum=5))
        assert driver.restart(visits(after)) == []
        driver.pipe("visits", 1, key="a")
        assert counts(driver) == [("a", 1), ("a", 2)]


def test_handles_follow_the_program_that_runs():
    first, second = visits(), visits()
    old, new = first.store("visits"), second.store("visits")
    with Driver(first) as driver:
        driver.pipe("visits", 1, key="a")
        driver.restart(second)
        assert new["a"] == 1
        with pytest.raises(HoldfastError):
            old["a"]


def inhabitants(store, minimum=0):
    app = hf.App("town")
    people = app.table("people", "city STRING, age INT", key=str)
    people.filter(lambda p: p.age > minimum).group_by("city").count(store=store).to("counts")
    return app


def test_a_new_or_changed_aggregate_of_a_table_with_rows_is_refused_and_the_driver_stays_as_it_was():
    with Driver(inhabitants("here")) as driver:
        for name in ("a", "b", "c"):
            driver.pipe("people", {"city": "Rome", "age": 20}, key=name)
        with pytest.raises(StateMismatch, match="store 'there' is new"):
            driver.restart(inhabitants("there"))
        with pytest.raises(StateMismatch, match="store 'here': it is made of the rows of table people in another way"):
            driver.restart(inhabitants("here", minimum=30))
        driver.pipe("people", {"city": "Rome", "age": 21}, key="a")
        assert driver.store("here")["Rome"] == 3


def test_late_records_from_before_are_told():
    def program():
        app = hf.App("late", tasks=1)
        app.stream("in", str, key=str).group_by_key().windowed_by(hf.tumbling("1 minute")).count(store="n")
        return app

    with Driver(program()) as driver:
        for second in (70, 0):
            driver.pipe("in", "x", key="a", timestamp=second * 1000)
        driver.restart(program())
        driver.pipe("in", "y", key="a", timestamp=0)
        assert [each.record.value for each in driver.late()] == ["x", "y"]
        assert driver.late() == []


def test_offsets_go_on():
    with Driver(visits()) as driver:
        driver.pipe("visits", 1, key="a")
        driver.restart(visits())
        driver.pipe("visits", 1, key=None)
        [letter] = driver.dead_letters()
        assert letter.record.headers["hf-offset"] == b"1"


@pytest.mark.parametrize("name", [None, "open"])
def test_what_keeps_records_goes_on_under_a_name_and_without(name):
    def doors(minimum):
        app = hf.App("doors")
        tries = app.stream("tries", "n INT, ok BOOLEAN", key=str)
        found = tries.filter(lambda t: t.n > minimum) if name else tries
        steps = hf.sequence(wrong=lambda t: ~t.ok, right="ok")
        found.group_by_key().match(steps, within="1 minute", store=name).to("guessed")
        found.deduplicate("n", within="1 minute", store=name and "seen").to("once")
        return app

    with Driver(doors(0)) as driver:
        driver.pipe("tries", {"n": 1, "ok": False}, key="a", timestamp=0)
        assert driver.restart(doors(-1)) == []
        driver.pipe("tries", {"n": 1, "ok": True}, key="a", timestamp=1000)
        assert len(driver.read("guessed")) == 1
        assert len(driver.read("once")) == 1


def ranked(type, result):
    app = hf.App("ranked")
    app.stream("scores", f"name STRING, score {type}", key=str).group_by_key().agg(result=result, store="ranked").to(
        "o"
    )
    return app


@pytest.mark.parametrize(
    ("type", "other", "result"),
    [
        ("BIGINT", "DOUBLE", F.max_by("name", "score")),
        ("BIGINT", "STRING", F.size(F.collect_set("score"))),
        ("INT", "BIGINT", F.approx_count_distinct("score")),
        ("DECIMAL(10,2)", "DOUBLE", F.cast(F.avg("score"), "double")),
    ],
)
def test_what_functions_of_an_aggregate_remember_counts_and_not_only_what_they_give(type, other, result):
    with Driver(ranked(type, result)) as driver:
        driver.pipe("scores", {"name": "ada", "score": 5}, key="a")
        with pytest.raises(StateMismatch, match="store 'ranked': what its functions remember was .*, is .*"):
            driver.restart(ranked(other, result))
        assert driver.restart(ranked(type, result)) == []


def test_functions_that_remember_the_same_of_another_type_go_on():
    with Driver(ranked("INT", F.sum("score"))) as driver:
        driver.pipe("scores", {"name": "ada", "score": 5}, key="a")
        assert driver.restart(ranked("BIGINT", F.sum("score"))) == []
        driver.pipe("scores", {"name": "ada", "score": 6}, key="a")
        assert driver.store("ranked")["a"] == {"result": 11}


def calls(first, second):
    """A join of calls with answers; the topics are declared in the given order."""
    app = hf.App("calls", tasks=1)
    streams = {name: app.stream(name, int, key=str) for name in (first, second)}
    streams["calls"].left_join(streams["answers"], lambda a, b: 10 // a, within="1 minute", store="held").to("out")
    return app


def test_a_record_that_waits_is_known_by_its_topic_wherever_that_is_declared():
    with Driver(calls("calls", "answers")) as driver:
        for topic, value in (("calls", 0), ("calls", 5), ("answers", 7), ("answers", 8)):
            driver.pipe(topic, value, key=f"{topic} {value}", timestamp=0)
        assert driver.restart(calls("answers", "calls")) == []
        driver.pipe("answers", 9, key="end", timestamp=100_000)
        [letter] = driver.dead_letters()
        assert (letter.record.headers["hf-topic"], letter.record.value) == (b"calls", b"0")
        driver.restart(calls("answers", "calls"))
        driver.pipe("calls", 0, key="x", timestamp=200_000)
        driver.restart(calls("calls", "answers"))
        driver.pipe("answers", 9, key="end", timestamp=400_000)
        [letter] = driver.dead_letters()
        assert letter.record.headers["hf-topic"] == b"calls"
