"""Time: points in time as milliseconds, and where a record's time comes from."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from holdfast.errors import TimeError

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
FIRST = (datetime.min.replace(tzinfo=UTC) - _EPOCH) // timedelta(milliseconds=1)
LAST = (datetime.max.replace(tzinfo=UTC) - _EPOCH) // timedelta(milliseconds=1)
"""The last millisecond of the year 9999: no record has a later time, and no timer is set for one."""


@dataclass(frozen=True)
class TimeSource:
    """Where a record's time comes from when it is not an expression: the record or the wall clock."""

    origin: str


record_time = TimeSource("record")
wall_clock = TimeSource("wall")


def epoch_milliseconds(time: str | datetime | int, what: str = "time") -> int:
    """`time` as milliseconds since 1970.

    >>> epoch_milliseconds("1970-01-01T00:00:01Z")
    1000
    """
    if isinstance(time, bool) or not isinstance(time, (str, datetime, int)):
        raise TimeError(f"{what} must be ISO 8601, an aware datetime or milliseconds since 1970, not {time!r}")
    if isinstance(time, int):
        return time
    moment = _parse(time, what) if isinstance(time, str) else time
    if moment.tzinfo is None:
        raise TimeError(f"{what} {time!s} has no time zone; add one, for example {moment.isoformat()}Z")
    return (moment - _EPOCH) // (_EPOCH.resolution * 1000)


def span_milliseconds(
    start: str | datetime | int | None, end: str | datetime | int | None, what: str
) -> tuple[int | None, int | None]:
    """Two times as milliseconds since 1970; None stays open.

    >>> span_milliseconds(None, "1970-01-01T00:00:01Z", "windows()")
    (None, 1000)
    """
    first, last = (None if time is None else epoch_milliseconds(time, what) for time in (start, end))
    return first, last


def _parse(text: str, what: str) -> datetime:
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        raise TimeError(f'{what} {text!r} is not ISO 8601; write for example "2026-01-01T12:00:00Z"') from None


def check_timezone(name: str, at: str | None = None) -> str:
    """Return `name` if it is a time zone."""
    try:
        ZoneInfo(name)
    except (ValueError, KeyError, OSError, TypeError):
        raise TimeError(f'{name!r} is not a time zone; write for example "UTC" or "Europe/Berlin"', at=at) from None
    return name


def moment(milliseconds: int) -> datetime:
    """A time of Kafka's; one outside of Python's calendar is the first or the last in it.

    >>> moment(1500).isoformat(), moment(2**63 - 1).year, moment(-(2**63)).year
    ('1970-01-01T00:00:01.500000+00:00', 9999, 1)
    """
    return _EPOCH + timedelta(milliseconds=max(FIRST, min(milliseconds, LAST)))


def in_calendar(milliseconds: int, what: str) -> int:
    """Return the time if it is one that there is in Python's calendar.

    >>> in_calendar(1500, "the time")
    1500
    """
    if not FIRST <= milliseconds <= LAST:
        raise TimeError(
            f"{what} is {milliseconds} ms, outside of the years 1 to 9999; milliseconds since 1970 were wanted"
        )
    return milliseconds


def as_text(milliseconds: int) -> str:
    """A time of Kafka's for people; one outside of Python's calendar stays a number.

    >>> as_text(1500), as_text(10**15)
    ('1970-01-01 00:00:01.500Z', '1000000000000000 ms')
    """
    if not FIRST <= milliseconds <= LAST:
        return f"{milliseconds} ms"
    return moment(milliseconds).isoformat(sep=" ", timespec="milliseconds").replace("+00:00", "Z")
