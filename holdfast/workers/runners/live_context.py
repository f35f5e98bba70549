"""The context of a processor while it runs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from typing import Protocol

from holdfast.topology.processor_nodes import Member
from holdfast.units.duration import milliseconds
from holdfast.workers.codec.timestamps import to_datetime
from holdfast.workers.processor_api import Clock, ProcessorContext, Record, Schedule
from holdfast.workers.runners.forwarding import ChildCodecs
from holdfast.workers.runners.punctuations import Punctuation, Punctuations


class CallInProgress(Protocol):
    """The call in which processors run."""

    now: int | None
    wall: int
    beginning: bool
    schedules: Punctuations

    def send(self, child: ChildCodecs, record: Record[object, object]) -> None:
        """Forward a record to a child."""


class LiveContext(ProcessorContext):
    """The context of one processor in one call."""

    def __init__(self, running: CallInProgress, member: Member, children: Sequence[ChildCodecs]) -> None:
        self._running, self._member, self._children = running, member, children
        self._shared_children = [child for child in children if not child.has_own_types]
        self.processor: object = None

    @property
    def stream_time(self) -> datetime | None:
        """The latest time of a record."""
        return None if self._running.now is None else to_datetime(self._running.now)

    @property
    def wall_time(self) -> datetime:
        """The time on the clock."""
        return to_datetime(self._running.wall)

    def forward(self, record: Record[object, object], to: str | None = None) -> None:
        """Forward a record to one child, or to all that have no types of their own."""
        if not isinstance(record, Record):
            raise TypeError(f"forward wants an hf.Record, {record!r} came; use record.replace(value=...)")
        for child in self._shared_children if to is None else [self._child(to)]:
            self._running.send(child, record)

    def _child(self, name: str) -> ChildCodecs:
        found = next((child for child in self._children if child.name == name), None)
        if found is None:
            known = ", ".join(repr(child.name) for child in self._children if child.name) or "none"
            raise LookupError(f"there is no child {name!r}; children of {self._member.name}: {known}")
        return found

    def schedule(
        self, interval: str | timedelta, callback: Callable[[datetime], object], clock: Clock = "event"
    ) -> Schedule:
        """Ask for a punctuation."""
        if clock not in ("event", "wall"):
            raise ValueError(f'clock is {clock!r}; it may be "event" or "wall"')
        every = milliseconds(interval, "schedule: the interval")
        if every < 1:
            raise ValueError("schedule: the interval must be longer than nothing")
        method = self._method(callback)
        if method is None and not self._running.beginning:
            raise TypeError(
                f"schedule: outside of init the callback must be a method of the processor, not {callback!r}"
            )
        due = 0 if clock == "event" else self._running.wall + every
        named = method or str(getattr(callback, "__qualname__", type(callback)))
        planned = Punctuation(self._member.id, named, every, clock, self._running.beginning, due)
        return self._running.schedules.add(planned, callback)

    def cancel(self, callback: Callable[[datetime], object]) -> None:
        """Cancel the punctuations of a method."""
        method = self._method(callback)
        if method is None:
            raise TypeError(f"cancel wants a method of the processor, not {callback!r}; or use what schedule gave")
        self._running.schedules.cancel_all(self._member.id, method)

    def _method(self, callback: Callable[[datetime], object]) -> str | None:
        """The name of the callback, if it is a method of the processor."""
        own = getattr(callback, "__self__", None) is self.processor
        return str(callback.__name__) if own else None
