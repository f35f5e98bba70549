from datetime import datetime

import pytest

import holdfast as hf
from holdfast.testing import Driver
from tests.driver.windows import texts


def windows(unit, timezone, *times):
    """The windows of each time, as local ISO texts."""
    with Driver(texts(hf.calendar(unit, timezone=timezone))) as driver:
        for time in times:
            driver.pipe("in", "x", key="k", timestamp=time)
        found = [r.key for r in driver.read("out")]
    return [(key.start.isoformat(), key.end.isoformat()) for key in found]


def hours(window):
    start, end = (datetime.fromisoformat(text) for text in window)
    return (end - start).total_seconds() / 3600


@pytest.mark.parametrize(
    ("unit", "start", "end"),
    [
        ("day", "2026-05-14T00:00:00+00:00", "2026-05-15T00:00:00+00:00"),
        ("week", "2026-05-11T00:00:00+00:00", "2026-05-18T00:00:00+00:00"),
        ("month", "2026-05-01T00:00:00+00:00", "2026-06-01T00:00:00+00:00"),
    ],
)
def test_units(unit, start, end):
    assert windows(unit, "UTC", "2026-05-14T23:59:59.999Z") == [(start, end)]


def test_a_day_begins_at_midnight_of_its_zone():
    found = windows("day", "Europe/Berlin", "2026-01-01T22:59:59Z", "2026-01-01T23:00:00Z")
    assert found == [
        ("2025-12-31T23:00:00+00:00", "2026-01-01T23:00:00+00:00"),
        ("2026-01-01T23:00:00+00:00", "2026-01-02T23:00:00+00:00"),
    ]


def test_days_of_a_clock_change_are_shorter_and_longer():
    days = windows("day", "Europe/Berlin", *(f"2026-{day}T12:00:00Z" for day in ("03-28", "03-29", "10-24", "10-25")))
    assert [hours(day) for day in days] == [24, 23, 24, 25]


def test_a_week_with_a_clock_change():
    (week,) = windows("week", "America/New_York", "2026-03-08T12:00:00Z")
    assert week == ("2026-03-02T05:00:00+00:00", "2026-03-09T04:00:00+00:00")


def test_a_midnight_that_does_not_exist():
    (day,) = windows("day", "America/Sao_Paulo", "2018-11-04T12:00:00Z")
    assert (day[0], hours(day)) == ("2018-11-04T03:00:00+00:00", 23)


def test_months_have_their_own_length():
    months = windows("month", "UTC", "2024-02-10T00:00:00Z", "2024-03-10T00:00:00Z")
    assert [hours(month) / 24 for month in months] == [29, 31]


def test_grace_and_late():
    with Driver(texts(hf.calendar("day", grace="1 hour"))) as driver:
        for text, time in (("1", "2026-01-01T10:00:00Z"), ("2", "2026-01-02T00:59:59Z"), ("3", "2026-01-01T11:00:00Z")):
            driver.pipe("in", text, key="k", timestamp=time)
        driver.pipe("in", "4", key="k", timestamp="2026-01-02T01:00:00Z")
        driver.pipe("in", "late", key="k", timestamp="2026-01-01T12:00:00Z")
        assert [r.value for r in driver.read("out")] == ["0+1", "0+2", "0+1+3", "0+2+4"]
        assert [late.record.value for late in driver.late()] == ["late"]


def test_told_when_the_day_is_over():
    with Driver(texts(hf.calendar("day", timezone="Asia/Tokyo", emit="final"))) as driver:
        for time in ("2026-01-01T14:59:59Z", "2026-01-01T15:00:00Z", "2026-01-03T00:00:00Z"):
            driver.pipe("in", "x", key="k", timestamp=time)
        assert [r.key.start.isoformat() for r in driver.read("out")] == [
            "2025-12-31T15:00:00+00:00",
            "2026-01-01T15:00:00+00:00",
        ]
