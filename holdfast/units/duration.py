"""Durations: "5 minutes", "250 ms" or a timedelta, as milliseconds."""

from __future__ import annotations

import re
from datetime import timedelta

from holdfast.errors import DurationError

_PART = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([a-zA-Z]+)\s*")
_UNITS = {
    **dict.fromkeys(("ms", "millisecond", "milliseconds"), 1),
    **dict.fromkeys(("s", "sec", "second", "seconds"), 1_000),
    **dict.fromkeys(("m", "min", "minute", "minutes"), 60_000),
    **dict.fromkeys(("h", "hour", "hours"), 3_600_000),
    **dict.fromkeys(("d", "day", "days"), 86_400_000),
    **dict.fromkeys(("w", "week", "weeks"), 604_800_000),
}
MOST = 3_652_500 * 86_400_000
"""10,000 years: a time and some durations, in microseconds too, fit what the kernel counts with."""

_WORDS = (("day", 86_400_000), ("hour", 3_600_000), ("minute", 60_000), ("second", 1_000))


def milliseconds(duration: str | timedelta, what: str = "duration") -> int:
    """The length of `duration` in whole milliseconds.

    >>> milliseconds("1 hour 30 minutes")
    5400000
    """
    if isinstance(duration, timedelta):
        length = duration / timedelta(milliseconds=1)
    elif isinstance(duration, str):
        length = _parse(duration, what)
    else:
        raise DurationError(f'{what} must be a text such as "5 minutes" or a timedelta, not {duration!r}: say the unit')
    if length > MOST:
        raise DurationError(f"{what} must be at most 10,000 years, not {duration!r}")
    if length < 0 or length != int(length):
        raise DurationError(f"{what} must be whole milliseconds and not negative, not {duration!r}")
    return int(length)


def _parse(text: str, what: str) -> float:
    total, end = 0.0, 0
    while end < len(text):
        part = _PART.match(text, end)
        factor = _UNITS.get(part[2].lower()) if part else None
        if part is None or factor is None:
            raise DurationError(
                f'{what} {text!r} is not a duration; write for example "250 ms", "5 minutes" or "1 day"'
            )
        total += round(float(part[1]) * factor, 6)
        end = part.end()
    if end == 0:
        raise DurationError(f'{what} is empty; write for example "250 ms" or "5 minutes"')
    return total


def in_words(length: int) -> str:
    """The length in the largest unit that gives a whole number.

    >>> in_words(600_000), in_words(1500), in_words(3_600_000)
    ('10 minutes', '1500 ms', '1 hour')
    """
    for unit, size in _WORDS:
        if length and length % size == 0:
            return f"{length // size} {unit}{'' if length == size else 's'}"
    return f"{length} ms"
