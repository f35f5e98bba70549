"""How long the updates of a table are suppressed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal, TypedDict

from holdfast.dsl.windows import Duration, duration
from holdfast.errors import TopologyError
from holdfast.position import user_position
from holdfast.topology.nodes import Node
from holdfast.topology.windowing import window_grace

FULL = ("fail", "emit")


@dataclass(frozen=True)
class SuppressUntil:
    """How long `suppress` buffers updates."""

    until: ClassVar[str]
    max_records: int | None
    on_full: str


@dataclass(frozen=True)
class WindowCloses(SuppressUntil):
    """Until the window closes: made by `hf.until_window_closes`."""

    until: ClassVar[str] = "window_closes"


@dataclass(frozen=True)
class TimeLimit(SuppressUntil):
    """Until a time has passed: made by `hf.until_time`."""

    until: ClassVar[str] = "time"
    limit: int


def until_window_closes(*, max_records: int | None = None, on_full: Literal["fail", "emit"] = "fail") -> WindowCloses:
    """Until the window has closed: one result per window, its last.

    >>> import holdfast as hf
    >>> app = hf.App("clicks")
    >>> clicks = app.stream("clicks", "page STRING", key=str)
    >>> counts = clicks.group_by_key().windowed_by(hf.tumbling("1 hour", grace="1 minute")).count()
    >>> counts.suppress(hf.until_window_closes()).to("counts-of-the-hour")
    """
    return WindowCloses(*_bounds("until_window_closes", max_records, on_full))


def until_time(
    limit: Duration, *, max_records: int | None = None, on_full: Literal["fail", "emit"] = "emit"
) -> TimeLimit:
    """Until stream time is `limit` after the first buffered update of a key: at most one update in that time.

    >>> import holdfast as hf
    >>> app = hf.App("stock")
    >>> stock = app.table("stock", "pieces INT", key=str)
    >>> stock.suppress(hf.until_time("10 seconds")).to("calm-stock")
    """
    most, full = _bounds("until_time", max_records, on_full)
    return TimeLimit(most, full, duration("until_time", "limit", limit))


def _bounds(what: str, max_records: int | None, on_full: str) -> tuple[int | None, str]:
    whole = isinstance(max_records, int) and not isinstance(max_records, bool) and max_records > 0
    if max_records is not None and not whole:
        raise TopologyError(
            f"{what}: max_records must be a whole number from 1, not {max_records!r}", at=user_position()
        )
    if on_full not in FULL:
        raise TopologyError(f'{what}: on_full is {on_full!r}; it may be "fail" or "emit"', at=user_position())
    return max_records, on_full


class SuppressFields(TypedDict):
    """The fields of the node."""

    until: str
    limit: int
    max_records: int | None
    on_full: str


def suppress_fields(table: Node, until: object) -> SuppressFields:
    """The fields of the node, checked."""
    if not isinstance(until, SuppressUntil):
        raise TopologyError(
            f'suppress: {until!r} came; give hf.until_window_closes() or hf.until_time("10 seconds")',
            at=user_position(),
        )
    return {
        "until": until.until,
        "limit": until.limit if isinstance(until, TimeLimit) else _grace(table),
        "max_records": until.max_records,
        "on_full": until.on_full,
    }


def _grace(table: Node) -> int:
    grace = window_grace(table)
    if grace is None:
        raise TopologyError(
            f"suppress: {table.title!r} has no windows that close; make some before: "
            'group_by_key().windowed_by(hf.tumbling("5 minutes")).count(), or use hf.until_time("5 minutes")',
            at=user_position(),
        )
    return grace
