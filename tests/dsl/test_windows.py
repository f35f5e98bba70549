from datetime import UTC, datetime, timedelta

import pytest

import holdfast as hf
from holdfast.errors import DurationError, TimeError, TopologyError


@pytest.mark.parametrize(
    ("window", "made"),
    [
        (
            hf.tumbling("1 minute"),
            {"kind": "tumbling", "size": 60_000, "advance": 60_000, "grace": 0, "emit": "latest", "retention": 60_000},
        ),
        (
            hf.tumbling(timedelta(seconds=1), grace="5 ms", emit="final", retention="1 hour"),
            {"kind": "tumbling", "size": 1000, "advance": 1000, "grace": 5, "emit": "final", "retention": 3_600_000},
        ),
        (
            hf.hopping("5 s", advance="2 s", grace="1 s", emit="every"),
            {"kind": "hopping", "size": 5000, "advance": 2000, "grace": 1000, "emit": "every", "retention": 6000},
        ),
        (
            hf.sliding("5 s", grace="1 s"),
            {"kind": "sliding", "difference": 5000, "grace": 1000, "emit": "latest", "retention": 11_000},
        ),
        (
            hf.calendar("week", timezone="Europe/Berlin"),
            {"kind": "calendar", "unit": "week", "timezone": "Europe/Berlin", "grace": 0, "emit": "latest"},
        ),
    ],
)
def test_windows_are_values(window, made):
    assert window.to_json() == made
    assert isinstance(window, hf.Window)
    assert hash(window) == hash(window)


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: hf.tumbling(5), DurationError, "tumbling: size must be a text such as .* not 5: say the unit"),
        (lambda: hf.tumbling("0 ms"), TopologyError, "tumbling: size is '0 ms'; it must be longer than nothing"),
        (lambda: hf.tumbling("1 s", grace=3), DurationError, "tumbling: grace must be a text"),
        (lambda: hf.tumbling("1 s", emit="last"), TopologyError, 'emit is \'last\'; it may be "latest", "every" or'),
        (
            lambda: hf.tumbling("10 s", grace="5 s", retention="12 s"),
            TopologyError,
            "retention is 12000 ms; it must be at least the size and the grace, 15000 ms",
        ),
        (lambda: hf.hopping("1 s", advance="2 s"), TopologyError, "hopping: advance is 2000 ms, the size only 1000 ms"),
        (lambda: hf.hopping("1 s", advance="0 s"), TopologyError, "advance is '0 s'; it must be longer"),
        (
            lambda: hf.sliding("1 s", retention="1 s"),
            TopologyError,
            "at least twice the difference and the grace",
        ),
        (lambda: hf.calendar("year"), TopologyError, "calendar: the unit is 'year'; it may be"),
        (lambda: hf.calendar("day", timezone="Mars"), TimeError, "'Mars' is not a time zone"),
    ],
)
def test_what_makes_no_sense_is_refused(make, error, message):
    with pytest.raises(error, match=rf"test_windows.py:\d+: .*{message}"):
        make()


def test_a_windowed_key_is_a_value_in_utc():
    key = hf.Windowed("a", 0, datetime.fromisoformat("1970-01-01T01:00:10+01:00"))
    assert (key.key, key.start, key.end) == (
        "a",
        datetime(1970, 1, 1, tzinfo=UTC),
        datetime(1970, 1, 1, 0, 0, 10, 0, UTC),
    )
    assert key == hf.Windowed("a", "1970-01-01T00:00:00Z", 10_000)
    assert {key: 1}[hf.Windowed("a", 0, 10_000)] == 1
    assert sorted([hf.Windowed("b", 0, 1), hf.Windowed("a", 5, 6), key]) == [
        key,
        hf.Windowed("a", 5, 6),
        hf.Windowed("b", 0, 1),
    ]
    assert key.to_json() == {"key": "a", "start": 0, "end": 10_000}
    with pytest.raises(AttributeError, match="cannot be changed"):
        key.start = 3


def test_a_windowed_key_wants_times_with_a_zone():
    with pytest.raises(TimeError, match="Windowed start .* has no time zone"):
        hf.Windowed("a", datetime(2026, 1, 1), 5)
