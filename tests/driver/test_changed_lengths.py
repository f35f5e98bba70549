"""A program whose lengths of time have changed goes on with all that waits in its state."""

from datetime import timedelta

import pytest

import holdfast as hf
from holdfast.testing import Driver

JANUARY = 1_767_225_600_000
HOUR = 3_600


def ends(app, length):
    app.stream("in", int, key=str).to_table(store=hf.Materialized("entries", ttl=length)).to_stream().to("out")


def closes(app, length):
    window = hf.tumbling("1 hour", grace=length, emit="final")
    app.stream("in", int, key=str).group_by_key().windowed_by(window).count(store="windows").to("out")


def closes_sessions(app, length):
    window = hf.session("1 minute", grace=length, emit="final")
    app.stream("in", int, key=str).group_by_key().windowed_by(window).count(store="sessions").to("out")


def holds_back(app, length):
    counts = app.stream("in", int, key=str).group_by_key().count(store="counts")
    counts.suppress(hf.until_time(length), store="held").to("out")


def waits_for_a_partner(app, length):
    other = app.stream("other", int, key=str)
    app.stream("in", int, key=str).left_join(other, lambda a, b: a, within=length, store="waiting").to("out")


def waits_for_a_table(app, length):
    table = app.table("table", int, key=str, store=hf.Materialized("table", versioned="3 days"))
    app.stream("in", int, key=str).left_join(table, lambda a, b: a, grace=length, store="waiting").to("out")


def program(made, length):
    app = hf.App("lengths", tasks=1)
    made(app, timedelta(seconds=length))
    return app


def pipe(driver, key, second):
    driver.pipe("in", 1, key=key, timestamp=JANUARY + int(second * 1000))


def ended(driver):
    """The keys whose time has come."""
    keys = [(r.key.key if isinstance(r.key, hf.Windowed) else r.key, r.value) for r in driver.read("out")]
    deleted = [key for key, value in keys if value is None]
    return sorted(deleted or [key for key, _ in keys])


MADE = [closes, closes_sessions, holds_back, waits_for_a_partner, waits_for_a_table, ends]


@pytest.mark.parametrize("made", MADE)
@pytest.mark.parametrize("lengths", [(HOUR, 2 * HOUR), (2 * HOUR, HOUR), (HOUR, 37 * HOUR + 1), (37 * HOUR, 60)])
def test_what_waited_under_another_length_is_still_done(made, lengths):
    before, after = lengths
    with Driver(program(made, before)) as d:
        pipe(d, "a", 0)
        pipe(d, "b", 1)
        assert d.restart(program(made, after)) == []
        pipe(d, "c", 2)
        if made is not ends:
            assert ended(d) == []
        pipe(d, "end", 100 * HOUR)
        assert ended(d) == ["a", "b", "c"]


@pytest.mark.parametrize("made", MADE)
def test_what_comes_after_a_change_to_a_shorter_length_does_not_wait_for_what_came_before(made):
    with Driver(program(made, 50 * HOUR)) as d:
        pipe(d, "a", 0)
        d.restart(program(made, HOUR))
        pipe(d, "b", 1)
        pipe(d, "end", 10 * HOUR)
        assert "b" in ended(d)


def test_a_window_whose_grace_was_raised_is_told_with_what_came_in_that_time():
    with Driver(program(closes, HOUR)) as d:
        pipe(d, "a", 0)
        d.restart(program(closes, 3 * HOUR))
        pipe(d, "now", 2.5 * HOUR)
        pipe(d, "a", 1)
        assert d.late() == []
        pipe(d, "end", 100 * HOUR)
        assert [(r.key.key, r.value) for r in d.read("out")] == [("a", 2), ("now", 1)]
