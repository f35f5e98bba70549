"""Times that nobody can count with, asked for by functions and processors, are dead letters and stop no app."""

from datetime import UTC, datetime, timedelta, timezone

import pytest

import holdfast as hf
from holdfast.testing import Driver
from tests.driver.helpers import letters, stateful_app, values

LAST = 253_402_300_799_999
EVENING = datetime(9999, 12, 31, 23, tzinfo=timezone(timedelta(hours=-12)))
"""A datetime of Python's whose time in UTC is in the year 10000."""


def asking(ask):
    """A function that asks for a timer when "ask" comes, and gives every value."""

    @hf.stateful(state={"n": int}, returns=str)
    def asks(key, value, state, timers):
        state.n += 1
        if value == "ask":
            ask(timers)
        return f"{value}{state.n}"

    @asks.on_timer
    def rings(key, name, state, timers):
        return name

    return asks


@pytest.mark.parametrize("records", [1, 100])
@pytest.mark.parametrize(
    "ask",
    [
        lambda t: t.at(2**63, "never"),
        lambda t: t.at(2**63 - 1, "never"),
        lambda t: t.at(2**200, "never"),
        lambda t: t.at(-(2**63) - 1, "never"),
        lambda t: t.at(LAST + 1, "never"),
        lambda t: t.at(EVENING, "never"),
        lambda t: t.at(2**63, "never", clock="wall"),
        lambda t: t.every("9000 days 9000000 days", "never"),
        lambda t: t.every("3000000 days", "never"),
        lambda t: t.every(timedelta.max, "never"),
        lambda t: t.every("3000000 days", "never", clock="wall"),
        lambda t: t.at(t.timestamp + timedelta(days=3_000_000), "never"),
    ],
)
def test_a_timer_for_an_impossible_time_is_the_dead_letter_of_its_record(ask, records):
    with Driver(stateful_app(asking(ask)), clock="2026-01-01T00:00:00Z") as d:
        with d.batch():
            for _ in range(records):
                d.pipe("in", "a", key="k", timestamp=1_000)
            d.pipe("in", "ask", key="k", timestamp=1_000)
            d.pipe("in", "b", key="k", timestamp=1_000)
        (letter,) = d.dead_letters()
        assert letter.record.value == b"ask"
        assert values(d, "out")[-1] == f"b{records + 1}"
        d.advance(days=1)
        d.pipe("in", "c", key="k", timestamp=2_000)
        assert values(d, "out") == [f"c{records + 2}"]


def test_the_reason_says_what_was_asked_for_and_what_may_be():
    with Driver(stateful_app(asking(lambda t: t.at(2**63, "never")))) as d:
        d.pipe("in", "ask", key="k")
        ((_, reason),) = letters(d)
        assert f"timers.at: the time of 'never' is {2**63} ms, outside of the years 1 to 9999" in reason


def test_a_timer_that_asks_for_an_impossible_time_is_the_dead_letter():
    @hf.stateful(state={"n": int}, returns=str)
    def asks(key, value, state, timers):
        timers.at(2_000, "next")

    @asks.on_timer
    def rings(key, name, state, timers):
        timers.at(2**70, "never")

    with Driver(stateful_app(asks)) as d:
        d.pipe("in", "a", key="k", timestamp=1_000)
        d.pipe("in", "b", key="other", timestamp=3_000)
        reasons = [reason for _, reason in letters(d)]
        assert all("timer 'next'" in reason and "outside of the years 1 to 9999" in reason for reason in reasons)
        assert reasons


@pytest.mark.parametrize("records", [1, 100])
def test_functions_are_called_with_the_last_time_that_there_is(records):
    @hf.stateful(state={"n": int}, returns=str)
    def asks(key, value, state, timers):
        timers.every("1 day", "daily")
        timers.at(timers.timestamp, "now")
        return timers.now.isoformat()

    @asks.on_timer
    def rings(key, name, state, timers):
        return f"{name} {timers.timestamp.year}"

    with Driver(stateful_app(asks)) as d:
        d.pipe("in", "a", key="k", timestamp=LAST - 86_400_000)
        for _ in range(records):
            d.pipe("in", "b", key="k", timestamp=LAST)
        found = values(d, "out")
        assert "daily 9999" in found
        assert found[-2:] == ["9999-12-31T23:59:59.999000+00:00", "now 9999"]


class Repeating(hf.Processor[str, str]):
    returns = str

    def init(self, context):
        context.schedule("1 hour", self.hourly)

    def process(self, record):
        if record.value == "ask":
            self.context.schedule("99999999 days", self.hourly)
        if record.value == "later":
            self.context.forward(record.replace(timestamp=EVENING))
            return
        self.context.forward(record)

    def hourly(self, now):
        pass


def processing():
    app = hf.App("impossible", tasks=1)
    app.stream("in", str, key=str).process(Repeating).process(asking(lambda t: None)).to("out")
    return app


@pytest.mark.parametrize("value", ["ask", "later"])
def test_a_processor_that_asks_for_an_impossible_time_makes_a_dead_letter(value):
    with Driver(processing(), clock=datetime(2026, 1, 1, tzinfo=UTC)) as d:
        for each in ("a", value, "b"):
            d.pipe("in", each, key="k", timestamp=1_000)
        assert [letter.record.value for letter in d.dead_letters()] == [value.encode()]
        assert values(d, "out") == ["a1", "b2"]


def test_a_processor_is_called_with_the_last_time_that_there_is():
    with Driver(processing()) as d:
        d.pipe("in", "a", key="k", timestamp=0)
        d.pipe("in", "b", key="k", timestamp=LAST)
        d.pipe("in", "c", key="k", timestamp=LAST)
        assert letters(d) == []
        assert values(d, "out") == ["a1", "b2", "c3"]
