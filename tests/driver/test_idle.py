"""Topics to which nothing comes: their time goes on from the last record, and history that comes then is not late."""

from datetime import timedelta

import pytest

import holdfast as hf
from holdfast import functions as F
from holdfast.plan.idle import as_run
from holdfast.plan.planner import plan
from holdfast.testing import Driver
from tests.driver.helpers import values
from tests.driver.test_punctuation import Flushing
from tests.driver.windows import emitted

JANUARY = 1_767_225_600_000  # 2026-01-01
JULY = 1_782_864_000_000  # 2026-07-01, what the clock says
MINUTE = 60_000


def counting(**options):
    app = hf.App("idle", tasks=4)
    stream = app.stream("in", str, key=str, close_on_idle="1 second")
    window = hf.tumbling("1 minute", emit="final")
    stream.group_by_key().windowed_by(window, **options).count(store="counts").to("out")
    return app


def closed(driver):
    return sorted(((start - JANUARY) // 1000, key, value) for key, start, _, value, _ in emitted(driver))


def pipe(driver, *seconds, key="a", topic="in"):
    for second in seconds:
        driver.pipe(topic, "x", key=key, timestamp=JANUARY + second * 1000)


@pytest.mark.parametrize("close_on", ["stream_time", "watermark"])
def test_history_that_comes_after_an_idle_gap_is_not_late(close_on):
    with Driver(counting(close_on=close_on), clock=JULY) as d:
        pipe(d, 10)
        d.advance(seconds=5)
        pipe(d, 40)
        d.advance(seconds=5)
        pipe(d, 70)
        assert d.late() == []
        assert closed(d) == [(0, "a", 2)]


@pytest.mark.parametrize("close_on", ["stream_time", "watermark"])
def test_a_topic_that_never_had_a_record_moves_nothing(close_on):
    with Driver(counting(close_on=close_on), clock=JULY) as d:
        d.advance(hours=1)
        pipe(d, 10, 40)
        assert d.late() == []
        assert d.store("counts").all() != []


def test_time_goes_on_from_the_last_record_at_the_pace_of_the_clock():
    with Driver(counting(), clock=JULY) as d:
        pipe(d, 10)
        d.advance(seconds=49.9)
        assert closed(d) == []
        d.advance(seconds=0.1)
        assert closed(d) == [(0, "a", 1)]
        pipe(d, 59)
        [late] = d.late()
        assert int(late.stream_time.timestamp() * 1000) == JANUARY + MINUTE


def test_a_record_ends_the_idle_time_that_was():
    with Driver(counting(), clock=JULY) as d:
        pipe(d, 10)
        d.advance(seconds=30)
        pipe(d, 11)
        d.advance(seconds=48)
        assert closed(d) == []
        d.advance(seconds=1)
        assert closed(d) == [(0, "a", 2)]


def test_a_crash_does_not_lose_how_far_an_idle_topic_is():
    with Driver(counting(), clock=JULY) as d:
        pipe(d, 10)
        d.advance(seconds=30)
        d.crash()
        d.advance(seconds=20)
        assert closed(d) == [(0, "a", 1)]


def test_a_restart_goes_on_from_the_last_record_of_an_idle_topic():
    with Driver(counting(), clock=JULY) as d:
        pipe(d, 10)
        d.advance(seconds=30)
        d.restart(counting())
        d.advance(seconds=19.9)
        assert closed(d) == []
        d.advance(seconds=0.1)
        assert closed(d) == [(0, "a", 1)]


def joined(close_on_idle="1 second"):
    app = hf.App("both", tasks=2)
    left = app.stream("l", str, key=str, close_on_idle="1 second")
    right = app.stream("r", str, key=str, close_on_idle=close_on_idle)
    left.left_join(right, lambda a, b: dict(a=a, b=b), within="1 minute").to("out")
    return app


def test_an_idle_topic_that_never_had_a_record_does_not_hold_the_other_back():
    with Driver(joined(), clock=JULY) as d:
        pipe(d, 10, topic="l")
        d.advance(seconds=61)
        assert [r.value for r in d.read("out")] == [{"a": "x", "b": None}]


def test_one_that_may_still_get_its_first_record_does():
    with Driver(joined(close_on_idle="1 hour"), clock=JULY) as d:
        pipe(d, 10, topic="l")
        d.advance(seconds=61)
        assert d.read("out") == []


def test_the_topic_that_is_furthest_behind_says_how_far_both_are():
    with Driver(joined(), clock=JULY) as d:
        pipe(d, 10, topic="l")
        pipe(d, -30, key="b", topic="r")
        d.advance(seconds=61)
        assert d.read("out") == []
        d.advance(seconds=40)
        assert [r.value for r in d.read("out")] == [{"a": "x", "b": None}]


def drained(driver):
    """The end of a drain, which on Spark is the end of the topics as they were when it began."""
    kernel = driver._kernel
    driver._took(driver._functions.run(kernel, kernel.drain, kernel.beginDrain))


def test_the_end_of_a_drain_closes_what_is_over_by_the_clock_and_makes_no_later_history_late():
    with Driver(counting(), clock=JULY) as d:
        pipe(d, 10, 70)
        drained(d)
        assert closed(d) == [(0, "a", 1), (60, "a", 1)]
        pipe(d, 130, 250)
        drained(d)
        assert d.late() == []
        assert closed(d) == [(120, "a", 1), (240, "a", 1)]
        pipe(d, 255)
        assert [late.record.value for late in d.late()] == ["x"]


def test_the_end_of_a_drain_leaves_open_what_goes_on_by_the_clock():
    with Driver(counting(), clock=JANUARY + 30_000) as d:
        pipe(d, 10)
        drained(d)
        pipe(d, 40)
        d.advance(seconds=31)
        drained(d)
        assert closed(d) == [(0, "a", 2)]


def sessions(app, stream):
    stream.group_by_key().windowed_by(hf.session("1 minute", emit="final")).count().to("out")


def suppressed(app, stream):
    counts = stream.group_by_key().windowed_by(hf.tumbling("1 minute")).count()
    counts.suppress(hf.until_window_closes()).to("out")


def with_grace(app, stream):
    table = app.table("t", str, key=str, store=hf.Materialized("t", versioned="1 day"))
    stream.left_join(table, lambda a, b: dict(a=a, b=b), grace="1 minute").to("out")


def alone(app, stream):
    stream.left_join(app.stream("t", str, key=str, close_on_idle="1 s"), lambda a, b: b, within="1 minute").to("out")


def unfollowed(app, stream):
    steps = hf.sequence(a=lambda v: v == "x", none=hf.absent(lambda v: v == "y"))
    stream.group_by_key().match(steps, within="1 minute").to("out")


def timers(app, stream):
    @hf.stateful(state={"seen": int}, returns=str)
    def wait(key, value, state, timers):
        timers.at(timers.timestamp + timedelta(minutes=1), "over")
        timers.at(timers.timestamp + timedelta(minutes=2), "long over")

    @wait.on_timer
    def over(key, name, state, timers):
        if name == "long over":
            yield name

    stream.process(wait, store="waits").to("out")


@pytest.mark.parametrize("made", [sessions, suppressed, with_grace, alone, unfollowed, timers])
def test_whatever_waits_is_done_at_the_end_of_each_drain_of_history(made):
    app = hf.App("ends", tasks=2)
    made(app, app.stream("in", str, key=str, close_on_idle="1 s"))
    with Driver(app, clock=JULY) as d:
        for second in (0, 200, 400):
            pipe(d, second)
            assert len(d.read("out")) == 0
            drained(d)
            assert len(d.read("out")) == 1
        assert d.late() == []


def test_a_punctuation_comes_once_at_the_end_of_a_drain():
    app = hf.App("ends", tasks=1)
    app.stream("in", int, key=str, close_on_idle="1 s").process(Flushing).to("out")
    with Driver(app, clock=JULY) as d:
        d.pipe("in", 1, key="a", timestamp=JANUARY)
        d.pipe("in", 2, key="a", timestamp=JANUARY + 1)
        drained(d)
        assert values(d, "out") == [1, 2]
        d.pipe("in", 3, key="a", timestamp=JANUARY + 11)
        d.pipe("in", 4, key="a", timestamp=JANUARY + 20)
        assert values(d, "out") == [7]


def after_a_drain(made, before, after, clock=JULY):
    """What a program gives of (topic, key, value, seconds) around the end of a drain, and what was late."""
    app = hf.App("again", tasks=1)
    made(app, app.stream("in", str, key=str, close_on_idle="1 s"))
    with Driver(app, clock=clock) as d:
        for end, records in ((True, before), (False, after)):
            for topic, key, value, second in records:
                d.pipe(topic, value, key=key, timestamp=JANUARY + int(second * 1000))
            if end:
                drained(d)
        return [r.value for r in d.read("out")], d.late()


def test_a_drain_does_not_move_the_time_of_a_join_for_records_that_have_met():
    def made(app, stream):
        other = app.stream("t", str, key=str, close_on_idle="1 s")
        stream.left_join(other, lambda a, b: dict(a=a, b=b), within="1 minute", late="late").to("out")

    met = [("in", "k", "a", 100), ("t", "k", "b", 101)]
    assert after_a_drain(made, met, [("in", "x", "c", 95)]) == ([{"a": "a", "b": "b"}], [])


def test_a_drain_does_not_move_the_time_of_sessions_for_one_that_goes_on():
    grown = [("in", "k", "a", 0), ("in", "k", "a", 50)]
    older = [("in", "x", "b", -5), ("in", "y", "c", 300)]
    assert after_a_drain(sessions, grown, older, clock=JANUARY + 100_000) == ([1, 2], [])


def test_a_drain_does_not_move_the_time_of_a_table_for_entries_that_are_deleted_or_go_on():
    def made(app, stream):
        stream.to_table(store=hf.Materialized("t", ttl="1 minute")).to_stream().to("out")

    deleted = [("in", "k", "a", 0), ("in", "k", None, 1)]
    assert after_a_drain(made, deleted, [("in", "x", "b", -20)]) == (["a", None, "b"], [])
    updated = [("in", "k", "a", 0), ("in", "k", "b", 50)]
    older = [("in", "x", "c", -2)]
    assert after_a_drain(made, updated, older, clock=JANUARY + 80_000) == (["a", "b", "c"], [])


def test_a_drain_does_not_move_the_time_of_windows_for_one_that_was_deleted():
    def made(app, stream):
        added = hf.python(lambda n, value: None if value == "-" else n + 1, returns=int)
        window = hf.tumbling("1 minute", emit="final")
        stream.group_by_key().windowed_by(window).aggregate(0, added, store="added").to("out")

    deleted = [("in", "k", "+", 0), ("in", "k", "-", 1)]
    assert after_a_drain(made, deleted, [("in", "x", "+", 2), ("in", "y", "+", 100)]) == ([1], [])


def test_a_timer_that_repeats_fires_once_at_the_end_of_a_drain_and_goes_on_from_there():
    def made(app, stream):
        @hf.stateful(state={"seen": int}, returns=int)
        def count(key, value, state, timers):
            state.seen += 1
            timers.every("1 minute", "report")

        @count.on_timer
        def report(key, name, state, timers):
            return int(timers.timestamp.timestamp()) - JANUARY // 1000

        stream.process(count, store="seen").to("out")

    later = [("in", "k", "a", second) for second in (70, 130, 250)]
    assert after_a_drain(made, [("in", "k", "a", 0)], later) == ([60, 120, 180], [])


def held_back(app):
    app.table("t", str, key=str, store="t").suppress(hf.until_time("1 minute")).to_stream().to("out")


def living(app):
    table = app.table("t", str, key=str, store=hf.Materialized("t", ttl="1 minute"))
    table.to_stream().filter(lambda v: F.isnull(v)).to("out")


@pytest.mark.parametrize("made", [held_back, living])
def test_what_waits_in_a_table_is_done_at_the_end_of_a_drain_too(made, monkeypatch):
    monkeypatch.setattr("holdfast.testing.driver.make_plan", lambda topology: as_run(plan(topology), "drain"))
    app = hf.App("tables", tasks=2)
    made(app)
    with Driver(app, clock=JULY) as d:
        for second in (0, 200, 400):
            pipe(d, second, topic="t")
            assert d.read("out") == []
            drained(d)
            assert len(d.read("out")) == 1
        assert d.late() == []
