"""Windows that follow the records of a key: sessions, a time before each record, counts of records."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from holdfast.dsl.windows import (
    NONE,
    ClosingWindow,
    Duration,
    Emit,
    RecordWindow,
    RetainedWindow,
    duration,
    positive,
    refused,
    retention_fields,
)


@dataclass(frozen=True)
class Session(RetainedWindow):
    """Windows of records that follow each other within a gap."""

    kind: ClassVar[str] = "session"
    gap: int


@dataclass(frozen=True)
class Trailing(RecordWindow):
    """The time before each record."""

    kind: ClassVar[str] = "trailing"
    size: int
    grace: int


@dataclass(frozen=True)
class SlidingCount(RecordWindow):
    """The last records of a key."""

    kind: ClassVar[str] = "last"
    n: int


@dataclass(frozen=True)
class TumblingCount(RecordWindow):
    """So many records of a key, one window after the other."""

    kind: ClassVar[str] = "every"
    n: int


def session(
    gap: Duration, *, grace: Duration = NONE, emit: Emit = "latest", retention: Duration | None = None
) -> ClosingWindow:
    """Windows of records that follow each other within `gap`; a record between two makes one of them.

    A session begins with its first record and ends with its last. When it grows, the old window is deleted.

    >>> import holdfast as hf
    >>> visits = hf.App("site").stream("clicks", "page STRING", key=str)
    >>> pages = visits.group_by_key().windowed_by(hf.session("30 minutes")).count(store="visits")
    """
    length = positive("session", "gap", gap)
    return Session(**retention_fields("session", length, grace, emit, retention, "the gap and the grace"), gap=length)


def trailing(size: Duration, *, grace: Duration = NONE) -> RecordWindow:
    """The time before each record: one result per record, over what came within `size` up to it.

    The window of a record at t is (t - size, t]. A record that is more than `grace` behind the latest is late.

    >>> import holdfast as hf
    >>> from holdfast import functions as F
    >>> prices = hf.App("stocks").stream("prices", "price DOUBLE", key=str)
    >>> smooth = prices.group_by_key().windowed_by(hf.trailing("5 minutes")).agg(mean=F.avg("price"))
    """
    return Trailing(positive("trailing", "size", size), duration("trailing", "grace", grace))


def sliding_count(n: int) -> RecordWindow:
    """Windows of the last `n` records of a key: one result per record, over it and those before it.

    >>> import holdfast as hf
    >>> from holdfast import functions as F
    >>> prices = hf.App("stocks").stream("prices", "price DOUBLE", key=str)
    >>> smooth = prices.group_by_key().windowed_by(hf.sliding_count(20)).agg(mean=F.avg("price"))
    """
    return SlidingCount(_number("sliding_count", n))


def tumbling_count(n: int) -> RecordWindow:
    """Windows of `n` records of a key, one after the other: one result for each full window.

    >>> import holdfast as hf
    >>> from holdfast import functions as F
    >>> parts = hf.App("plant").stream("parts", "weight DOUBLE", key=str)
    >>> boxes = parts.group_by_key().windowed_by(hf.tumbling_count(12)).agg(weight=F.sum("weight"))
    """
    return TumblingCount(_number("tumbling_count", n))


def _number(kind: str, n: int) -> int:
    if isinstance(n, bool) or not isinstance(n, int) or n < 1:
        raise refused(kind, f"n is {n!r}; it must be a whole number from 1")
    return n
