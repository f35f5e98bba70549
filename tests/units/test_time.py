from datetime import UTC, datetime, timedelta, timezone

import pytest

from holdfast.errors import TimeError
from holdfast.units.time import check_timezone, epoch_milliseconds


@pytest.mark.parametrize(
    ("given", "ms"),
    [
        (0, 0),
        (-5, -5),
        ("1970-01-01T00:00:01Z", 1000),
        ("1970-01-01T01:00:00+01:00", 0),
        ("1970-01-01T00:00:00.250Z", 250),
        ("1969-12-31T23:59:59.999Z", -1),
        (datetime(1970, 1, 1, 0, 0, 0, 1500, tzinfo=UTC), 1),
        (datetime(1970, 1, 1, 2, tzinfo=timezone(timedelta(hours=2))), 0),
    ],
)
def test_points_in_time(given, ms):
    assert epoch_milliseconds(given) == ms


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("1970-01-01T00:00:00", "has no time zone; add one, for example 1970-01-01T00:00:00Z"),
        (datetime(1970, 1, 1), "has no time zone"),
        ("yesterday", "time 'yesterday' is not ISO 8601"),
        (1.5, "must be ISO 8601"),
        (True, "must be ISO 8601"),
        (None, "must be ISO 8601"),
    ],
)
def test_what_is_no_point_in_time_is_refused(given, message):
    with pytest.raises(TimeError, match=message):
        epoch_milliseconds(given)


def test_time_zones():
    assert check_timezone("Europe/Berlin") == "Europe/Berlin"
    for wrong in ("Mars", "", "../etc", 3):
        with pytest.raises(TimeError, match="is not a time zone"):
            check_timezone(wrong)
