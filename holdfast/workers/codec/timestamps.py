"""Timestamps: milliseconds in the kernel, datetimes for users."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from holdfast.units.time import LAST
from holdfast.workers.codec.column_encoder import WrongType

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND = timedelta(milliseconds=1)


def to_datetime(milliseconds: int) -> datetime:
    """A time as users see it.

    >>> to_datetime(0).isoformat()
    '1970-01-01T00:00:00+00:00'
    """
    return _EPOCH + timedelta(0, 0, milliseconds * 1000)


def to_milliseconds(time: object) -> int:
    """A datetime of the user as milliseconds.

    >>> to_milliseconds(to_datetime(5))
    5
    """
    if not isinstance(time, datetime) or time.tzinfo is None:
        raise WrongType(f"timestamp: a datetime with a time zone was wanted, {time!r} came")
    if time < _EPOCH:
        raise WrongType(f"timestamp: {time} is before 1970, and Kafka has no such times")
    found = (time - _EPOCH) // _MILLISECOND
    if found > LAST:
        raise WrongType(f"timestamp: {time} is in UTC after the year 9999, and records have no such times")
    return found
