"""The output of a driver: records, dead letters, late records."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from holdfast.topics import header_names
from holdfast.topics.letters import FIRST, Headers
from holdfast.units.time import moment

_WINDOW = (header_names.WINDOW_START, header_names.WINDOW_END, header_names.STREAM_TIME)


@dataclass(frozen=True)
class Record:
    """A record that the app wrote.

    Of several headers of a name `headers` has the last, `all_headers` each. `milliseconds` since 1970 are exact also
    where `timestamp`, outside of Python's calendar, is only the first or the last time in it.
    """

    key: Any  # of the type that the topic has, which only the program knows
    value: Any
    timestamp: datetime
    headers: Mapping[str, bytes] = field(default_factory=dict)
    partition: int = 0
    all_headers: Headers = field(default=(), compare=False, repr=False)
    milliseconds: int = field(default=0, compare=False, repr=False)


@dataclass(frozen=True)
class DeadLetter:
    """A record that could not be processed: as it came, why, and the node that refused it."""

    record: Record
    reason: str
    node: str
    number: int = 0


@dataclass(frozen=True)
class LateRecord:
    """A record that came after its window had closed: as the window saw it, from which topic, and how late."""

    record: Record
    topic: str
    node: str
    start: datetime
    end: datetime
    stream_time: datetime


def dead_letter(record: Record, number: int = 0) -> DeadLetter:
    """A dead letter from its record in the topic; `number` is its place among all."""
    return DeadLetter(
        record, record.headers[header_names.REASON].decode(), record.headers[header_names.NODE].decode(), number
    )


def late_record(record: Record) -> LateRecord:
    """A late record from its record in the topic."""
    first = max(i for i, (name, _) in enumerate(record.all_headers) if name == FIRST)
    own, facts = record.all_headers[:first], {name: (text or b"").decode() for name, text in record.all_headers[first:]}
    times = [moment(int(facts[name])) for name in _WINDOW]
    kept = replace(record, headers=last_headers(own), all_headers=own)
    return LateRecord(kept, facts[FIRST], facts[header_names.NODE], *times)


def last_headers(headers: Headers) -> dict[str, bytes]:
    """The last header of each name; one without a value is empty."""
    return {name: value or b"" for name, value in headers}
