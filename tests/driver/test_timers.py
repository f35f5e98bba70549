"""Timers and time to live of functions with state."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import holdfast as hf
from holdfast.testing import Driver
from tests.driver.helpers import letters, timed, values


@dataclass
class Visits:
    n: int = 0


def sessions(gap=10, **options):
    """Counts the records of a session and emits the count when it is over."""

    @hf.stateful(state=Visits, returns=str, **options)
    def count(key, event, state, timers):
        state.n += 1
        timers.at(timers.timestamp + timedelta(milliseconds=gap), "over")
        if event == "stop":
            timers.cancel("over")
        return f"{key}{state.n}"

    @count.on_timer
    def over(key, name, state, timers):
        yield f"{key} {name} {state.n}"
        yield hf.update_state(None)

    return count


def built(function, *, tasks=1, **source):
    app = hf.App("timers", tasks=tasks)
    app.stream("in", str, key=str, **source).process(function, store="states").to("out")
    return app


def test_a_timer_fires_before_the_record_that_reaches_its_time():
    with Driver(built(sessions())) as d:
        for key, time in [("a", 0), ("a", 9), ("b", 12), ("a", 19), ("b", 30)]:
            d.pipe("in", "x", key=key, timestamp=time)
        assert timed(d, "out") == [
            ("a", "a1", 0),
            ("a", "a2", 9),
            ("b", "b1", 12),
            ("a", "a over 2", 19),
            ("a", "a1", 19),
            ("b", "b over 1", 22),
            ("a", "a over 1", 29),
            ("b", "b1", 30),
        ]
        assert dict(d.store("states").all()) == {"b": {"n": 1}}


def test_a_timer_of_the_same_name_replaces_the_earlier_one_and_cancel_forgets_it():
    with Driver(built(sessions())) as d:
        d.pipe("in", "x", key="a", timestamp=0)
        d.pipe("in", "stop", key="a", timestamp=5)
        d.pipe("in", "x", key="b", timestamp=100)
        assert values(d, "out") == ["a1", "a2", "b1"]


def test_silence_moves_time_where_the_source_says_so():
    with Driver(built(sessions(gap=1000), close_on_idle="2 seconds"), clock=0) as d:
        d.pipe("in", "x", key="a", timestamp=0)
        d.advance(seconds=1)
        assert values(d, "out") == ["a1"]
        d.advance(seconds=2)
        assert timed(d, "out") == [("a", "a over 1", 1000)]


def test_time_that_leaps_passes_step_by_step():
    @hf.stateful(state=Visits, returns=int)
    def f(key, event, state, timers):
        timers.at(10, "next")

    @f.on_timer
    def ring(key, name, state, timers):
        state.n += 1
        if state.n < 4:
            timers.at(timers.timestamp + timedelta(milliseconds=10), "next")
        return (timers.now - datetime.fromtimestamp(0, UTC)) // timedelta(milliseconds=1)

    with Driver(built(f)) as d:
        d.pipe("in", "x", key="a", timestamp=0)
        d.pipe("in", "x", key="b", timestamp=1000)
        assert timed(d, "out") == [
            ("a", 10, 10),
            ("a", 20, 20),
            ("a", 30, 30),
            ("a", 40, 40),
            ("b", 1000, 10),
            *(("b", 1000, n) for n in (20, 30, 40)),
        ]


def test_a_timer_that_repeats_leaves_out_what_time_leaps_over():
    @hf.stateful(state=Visits, returns=int)
    def f(key, event, state, timers):
        state.n += 1
        timers.every("10 ms", "report")

    @f.on_timer
    def report(key, name, state, timers):
        return state.n

    with Driver(built(f)) as d:
        for time in (0, 5, 12, 25, 100, 105, 111):
            d.pipe("in", "x", key="a", timestamp=time)
        assert timed(d, "out") == [("a", 2, 10), ("a", 3, 20), ("a", 4, 30), ("a", 6, 110)]


def test_the_wall_clock():
    @hf.stateful(state=Visits, returns=str)
    def f(key, event, state, timers):
        state.n += 1
        timers.at(timers.wall + timedelta(seconds=30), "soon", clock="wall")
        timers.every("1 minute", "report", clock="wall")

    @f.on_timer
    def ring(key, name, state, timers):
        state.n += 1
        return f"{name} {state.n}"

    with Driver(built(f), clock=1_000_000) as d:
        d.pipe("in", "x", key="a", timestamp=5)
        d.advance(seconds=29)
        assert values(d, "out") == []
        d.advance(seconds=1)
        assert timed(d, "out") == [("a", "soon 2", 1_030_000)]
        d.advance(minutes=5)
        assert timed(d, "out") == [("a", "report 3", 1_060_000)]
        d.crash()
        d.advance(seconds=30)
        assert timed(d, "out") == [("a", "report 4", 1_360_000)]
        assert d.store("states")["a"] == {"n": 4}


def test_a_timer_by_the_clock_may_set_one_in_event_time():
    @hf.stateful(state=Visits, returns=str)
    def f(key, event, state, timers):
        timers.at(timers.wall + timedelta(seconds=1), "wall", clock="wall")

    @f.on_timer
    def ring(key, name, state, timers):
        if name == "wall":
            timers.at(timers.now, "due already")
            timers.at(timers.now + timedelta(milliseconds=5), "later")
        return name

    with Driver(built(f), clock=1_000_000) as d:
        d.pipe("in", "x", key="a", timestamp=5)
        d.advance(seconds=2)
        assert timed(d, "out") == [("a", "wall", 1_001_000), ("a", "due already", 5)]
        d.pipe("in", "x", key="b", timestamp=10)
        assert timed(d, "out") == [("a", "later", 10)]


def test_a_failing_timer_is_a_dead_letter_and_leaves_the_state_as_it_was():
    @hf.stateful(state=Visits, returns=int)
    def f(key, event, state, timers):
        state.n += 1
        timers.at(10, "boom")

    @f.on_timer
    def ring(key, name, state, timers):
        state.n = 100
        yield 1
        raise ValueError("oh")

    with Driver(built(f)) as d:
        d.pipe("in", "x", key="a", timestamp=0)
        d.pipe("in", "x", key="b", timestamp=5)
        d.pipe("in", "stop", key="c", timestamp=9)
        d.pipe("in", "x", key="d", timestamp=12)
        assert values(d, "out") == []
        reasons = [reason for _, reason in letters(d)]
        assert len(reasons) == 4
        assert "timer 'boom': ring (test_timers.py:" in reasons[0]
        assert "ValueError: oh" in reasons[0]
        assert d.store("states")["a"] == {"n": 1}


@pytest.mark.parametrize(
    ("misuse", "reason"),
    [
        (lambda t: t.at(5, ""), "'' is no name for a timer"),
        (lambda t: t.at(5, "x", clock="sun"), 'clock is \'sun\'; it may be "event" or "wall"'),
        (lambda t: t.at(5.0, "x"), "must be ISO 8601, an aware datetime or milliseconds"),
        (lambda t: t.at(datetime(2026, 1, 1), "x"), "has no time zone"),
        (lambda t: t.every("0 ms", "x"), "must be longer than nothing"),
        (lambda t: t.every(5, "x"), "say the unit"),
    ],
)
def test_misuse_of_timers(misuse, reason):
    @hf.stateful(state=Visits, returns=int)
    def f(key, event, state, timers):
        misuse(timers)

    f.on_timer(lambda key, name, state, timers: None)
    with Driver(built(f)) as d:
        d.pipe("in", "x", key="a")
        [(_, said)] = letters(d)
        assert reason in said


def test_a_timer_needs_a_handler_and_cannot_set_itself_for_the_past():
    @hf.stateful(state=Visits, returns=int)
    def alone(key, event, state, timers):
        timers.at(5, "x")

    @hf.stateful(state=Visits, returns=int)
    def again(key, event, state, timers):
        timers.at(5, "x")

    @again.on_timer
    def ring(key, name, state, timers):
        timers.at(5, "x")

    for function, reason in (
        (alone, "nothing would happen when 'x' fires"),
        (again, "the time of the timer that fires"),
    ):
        with Driver(built(function)) as d:
            d.pipe("in", "x", key="a", timestamp=7)
            [(_, said)] = letters(d)
            assert reason in said


def test_a_state_ends_when_it_was_not_changed_for_its_time_to_live():
    @hf.stateful(state=Visits, returns=int, ttl="10 ms")
    def f(key, event, state, timers):
        state.n += 1
        return state.n

    with Driver(built(f)) as d:
        for key, time in [("a", 0), ("a", 9), ("b", 18)]:
            d.pipe("in", "x", key=key, timestamp=time)
        assert dict(d.store("states").all()) == {"a": {"n": 2}, "b": {"n": 1}}
        d.pipe("in", "x", key="b", timestamp=19)
        assert dict(d.store("states").all()) == {"b": {"n": 2}}
        d.pipe("in", "x", key="a", timestamp=20)
        d.pipe("in", "x", key="a", timestamp=1)
        assert values(d, "out") == [1, 2, 1, 2, 1, 2]


def test_a_state_that_is_only_looked_at_ends_too_and_keep_counts_as_a_change():
    @hf.stateful(state=Visits, returns=int, ttl="10 ms")
    def f(key, event, state, timers):
        yield state.n
        if event == "change":
            state.n += 1
        if event == "keep":
            yield hf.update_state(state)

    with Driver(built(f)) as d:
        for event, time in [("change", 0), ("x", 9), ("x", 10), ("change", 20), ("keep", 29), ("x", 38), ("x", 39)]:
            d.pipe("in", event, key="a", timestamp=time)
        assert values(d, "out") == [0, 1, 0, 0, 1, 1, 0]


def test_the_store_may_say_the_time_to_live():
    @hf.stateful(state=Visits, returns=int)
    def f(key, event, state, timers):
        state.n += 1

    app = hf.App("timers", tasks=1)
    app.stream("in", str, key=str).process(f, store=hf.Materialized("states", ttl="10 ms"))
    with Driver(app) as d:
        d.pipe("in", "x", key="a", timestamp=0)
        d.pipe("in", "x", key="b", timestamp=10)
        assert dict(d.store("states").all()) == {"b": {"n": 1}}


def mixed(ttl):
    """A function that does everything: states, results, timers, failures."""

    @hf.stateful(state=Visits, returns=str, ttl=ttl)
    def f(key, event, state, timers):
        state.n += 1
        yield f"{event} {state.n}"
        if event == "set":
            timers.at(timers.timestamp + timedelta(milliseconds=7), "one")
        if event == "every":
            timers.every("5 ms", "many")
        if event == "back":
            timers.at(timers.timestamp - timedelta(milliseconds=2), "late")
        if event == "clear":
            timers.cancel("many")
            yield hf.update_state(None)
        if event == "bad":
            raise ValueError

    @f.on_timer
    def ring(key, name, state, timers):
        state.n += 10
        if name == "one" and state.n % 3 == 0:
            timers.at(timers.timestamp + timedelta(milliseconds=1), "other")
        yield f"{name} {state.n}"
        if state.n > 60:
            raise ValueError
        if state.n > 45:
            yield hf.update_state(None)

    return f


EVENTS = st.lists(
    st.tuples(
        st.sampled_from("abc"),
        st.sampled_from(["x", "set", "every", "back", "clear", "bad"]),
        st.integers(0, 40),
    ),
    max_size=25,
)


@settings(max_examples=25, deadline=None)
@given(events=EVENTS, cuts=st.lists(st.integers(1, 6), min_size=1, max_size=10), ttl=st.sampled_from([None, "6 ms"]))
def test_results_do_not_depend_on_batches(events, cuts, ttl):
    def ran(sizes):
        with Driver(built(mixed(ttl))) as d:
            at = 0
            for size in sizes:
                with d.batch():
                    for key, event, time in events[at : at + size]:
                        d.pipe("in", event, key=key, timestamp=time)
                at += size
            return timed(d, "out"), [reason for _, reason in letters(d)], dict(d.store("states").all())

    one_by_one = ran([1] * len(events))
    assert ran([len(events)]) == one_by_one
    with pytest.MonkeyPatch.context() as patch:
        # Many records are first run without copies of their states; here few count as many.
        patch.setattr("holdfast.workers.runners.stateful_runner._MOST_GUARDED_AT_ONCE", 0)
        assert ran([len(events)]) == one_by_one
    assert ran((cuts * len(events))[: len(events)]) == one_by_one
