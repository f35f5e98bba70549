"""Windows: how the records of a key are cut into pieces, by time or by number."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import ClassVar, Literal, TypedDict

from holdfast.errors import DurationError, TopologyError
from holdfast.position import user_position
from holdfast.topology.windowing import W
from holdfast.units.duration import milliseconds
from holdfast.units.time import check_timezone

Duration = str | timedelta
Emit = Literal["latest", "every", "final"]
CloseOn = Literal["stream_time", "watermark"]
EMITS = ("latest", "every", "final")
UNITS = ("day", "week", "month")
NONE = "0 ms"


@dataclass(frozen=True)
class Window:
    """What `windowed_by` takes: made by `hf.tumbling`, `hf.hopping`, `hf.sliding` or `hf.calendar`."""

    kind: ClassVar[str]

    def to_json(self) -> W:
        """The window as the plan carries it.

        >>> import holdfast as hf
        >>> hf.tumbling("1 second").to_json()["size"]
        1000
        """
        return {"kind": self.kind, **vars(self)}


@dataclass(frozen=True)
class RecordWindow(Window):
    """A window that a record or a number of records make: results have the key alone."""


@dataclass(frozen=True)
class ClosingWindow(Window):
    """A window that closes when stream time passes its end and the grace."""

    grace: int
    emit: str


@dataclass(frozen=True)
class RetainedWindow(ClosingWindow):
    """A closing window whose results stay for a while."""

    retention: int


@dataclass(frozen=True)
class Tumbling(RetainedWindow):
    """Windows of one size, one after the other."""

    kind: ClassVar[str] = "tumbling"
    size: int
    advance: int


@dataclass(frozen=True)
class Hopping(Tumbling):
    """Windows of one size that begin every so often."""

    kind: ClassVar[str] = "hopping"


@dataclass(frozen=True)
class Sliding(RetainedWindow):
    """Windows around records that are at most a difference apart."""

    kind: ClassVar[str] = "sliding"
    difference: int


@dataclass(frozen=True)
class Calendar(ClosingWindow):
    """Days, weeks or months of a time zone."""

    kind: ClassVar[str] = "calendar"
    unit: str
    timezone: str


def tumbling(
    size: Duration, *, grace: Duration = NONE, emit: Emit = "latest", retention: Duration | None = None
) -> ClosingWindow:
    """Windows of one size, one after the other; the end is not part of a window.

    >>> import holdfast as hf
    >>> clicks = hf.App("clicks").stream("clicks", "page STRING", key=str)
    >>> per_minute = clicks.group_by_key().windowed_by(hf.tumbling("1 minute")).count(store="per-minute")
    """
    length = positive("tumbling", "size", size)
    return Tumbling(**retention_fields("tumbling", length, grace, emit, retention), size=length, advance=length)


def hopping(
    size: Duration,
    *,
    advance: Duration,
    grace: Duration = NONE,
    emit: Emit = "latest",
    retention: Duration | None = None,
) -> ClosingWindow:
    """Windows of one size that begin every `advance`, so that a record is in several of them.

    >>> import holdfast as hf
    >>> last_hour = hf.hopping("1 hour", advance="5 minutes", grace="10 seconds")
    """
    length, step = positive("hopping", "size", size), positive("hopping", "advance", advance)
    if step > length:
        raise refused("hopping", f"advance is {step} ms, the size only {length} ms; what lies between windows is lost")
    return Hopping(**retention_fields("hopping", length, grace, emit, retention), size=length, advance=step)


def sliding(
    difference: Duration, *, grace: Duration = NONE, emit: Emit = "latest", retention: Duration | None = None
) -> ClosingWindow:
    """A window for every set of records of a key that are at most `difference` apart; both ends are part of it.

    >>> import holdfast as hf
    >>> bursts = hf.sliding("30 seconds", grace="5 seconds")
    """
    length = duration("sliding", "difference", difference)
    least = "twice the difference and the grace"
    # Kept for no time at all, a window would be gone before the second record of the same moment.
    return Sliding(**retention_fields("sliding", max(2 * length, 1), grace, emit, retention, least), difference=length)


def calendar(
    unit: Literal["day", "week", "month"], *, timezone: str = "UTC", grace: Duration = NONE, emit: Emit = "latest"
) -> ClosingWindow:
    """Days, weeks (from Monday) or months as the clocks of a time zone have them, daylight saving included.

    >>> import holdfast as hf
    >>> per_day = hf.calendar("day", timezone="Europe/Berlin")
    """
    if unit not in UNITS:
        raise refused("calendar", f'the unit is {unit!r}; it may be "day", "week" or "month"')
    zone = check_timezone(timezone, at=user_position())
    return Calendar(duration("calendar", "grace", grace), emission("calendar", emit), unit, zone)


class RetentionFields(TypedDict):
    """What every window with a retention has."""

    grace: int
    emit: str
    retention: int


def retention_fields(
    kind: str,
    length: int,
    grace: Duration,
    emit: str,
    retention: Duration | None,
    least: str = "the size and the grace",
) -> RetentionFields:
    """The fields of windows that have a retention; `length` is what a window needs without its grace."""
    after = duration(kind, "grace", grace)
    stay = length + after if retention is None else duration(kind, "retention", retention)
    if stay < length + after:
        raise refused(kind, f"retention is {stay} ms; it must be at least {least}, {length + after} ms")
    return {"grace": after, "emit": emission(kind, emit), "retention": stay}


def positive(kind: str, what: str, given: Duration) -> int:
    """A duration that is longer than nothing, in milliseconds."""
    length = duration(kind, what, given)
    if length == 0:
        raise refused(kind, f"{what} is {given!r}; it must be longer than nothing")
    return length


def duration(kind: str, what: str, given: Duration) -> int:
    """A duration in milliseconds; the error names the window and the line."""
    try:
        return milliseconds(given, what)
    except DurationError as problem:
        raise DurationError(f"{kind}: {problem.message}", at=user_position()) from None


def emission(kind: str, emit: str) -> str:
    """When results are emitted, if it is one of the three."""
    if emit not in EMITS:
        raise refused(kind, f'emit is {emit!r}; it may be "latest", "every" or "final"')
    return emit


def refused(kind: str, message: str) -> TopologyError:
    """The error for a window that makes no sense, with the user's line."""
    return TopologyError(f"{kind}: {message}", at=user_position())
