"""Punctuations of a processor: callback, interval and next due time; the kernel stores them between batches."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from datetime import datetime

from holdfast.documents import Document, Json
from holdfast.workers.processor_api import Schedule
from holdfast.workers.runners.undo_log import UndoLog

Callback = Callable[[datetime], object]


@dataclass(eq=False)
class Punctuation:
    """One punctuation: whose it is, which method, how often, and when it is due next; None if it was cancelled."""

    member: str
    method: str
    interval: int
    clock: str
    first: bool
    """Whether `init` has asked for it, as it does again in each batch."""
    due: int | None

    def move(self, now: int) -> None:
        """To the next time after now, as Kafka Streams: a multiple of the interval from the first."""
        assert self.due is not None
        self.due += ((now - self.due) // self.interval + 1) * self.interval


class Punctuations:
    """The punctuations of processors that run as one."""

    def __init__(self, kept: Document | None, undo: UndoLog) -> None:
        self._all = [Punctuation(**each) for each in (kept or {}).get("all", ())]
        self._unclaimed = [each for each in self._all if each.first]
        self._callbacks: dict[int, Callback] = {}
        self._undo = undo

    def add(self, wanted: Punctuation, callback: Callback) -> PunctuationHandle:
        """Ask for a punctuation; what `init` asks for is known from the batch before."""
        found = next((each for each in self._unclaimed if _same(each, wanted)), None) if wanted.first else None
        if found is None:
            found = wanted
            self._all.append(wanted)
            self._undo.add(self._remove, wanted)
        else:
            self._unclaimed.remove(found)
        self._callbacks[id(found)] = callback
        return PunctuationHandle(self, found)

    def _remove(self, planned: Punctuation) -> None:
        self._all.remove(planned)

    def initialized(self) -> None:
        """After `init`: what it has not asked for again is dropped."""
        self._all = [each for each in self._all if each not in self._unclaimed]

    def cancel(self, planned: Punctuation) -> None:
        """No more of it."""
        self._undo.add(setattr, planned, "due", planned.due)
        planned.due = None

    def cancel_all(self, member: str, method: str) -> None:
        """No more of any that calls a method."""
        for each in self._all:
            if each.member == member and each.method == method and each.due is not None:
                self.cancel(each)

    def first(self, clock: str) -> int | None:
        """When the next one is due."""
        if not self._all:
            return None
        return min((each.due for each in self._of(clock) if each.due is not None), default=None)

    def due(self, clock: str, now: int) -> Punctuation | None:
        """The one that is due first, if any is."""
        ready = [each for each in self._of(clock) if each.due is not None and each.due <= now]
        return min(ready, key=lambda each: each.due or 0, default=None)

    def callback(self, planned: Punctuation) -> Callback | None:
        """What to call; None if it is a method of the processor by name."""
        return self._callbacks.get(id(planned))

    def to_json(self) -> dict[str, Json]:
        """The document that the kernel stores until the next batch."""
        kept = [asdict(each) for each in self._all if each.first or each.due is not None]
        return {"all": kept, "first": {clock: self.first(clock) for clock in ("event", "wall")}}

    def _of(self, clock: str) -> Iterable[Punctuation]:
        return (each for each in self._all if each.clock == clock)


def _same(one: Punctuation, other: Punctuation) -> bool:
    return (one.member, one.method, one.interval, one.clock) == (
        other.member,
        other.method,
        other.interval,
        other.clock,
    )


class PunctuationHandle(Schedule):
    """The handle of a scheduled punctuation: cancels it."""

    def __init__(self, schedules: Punctuations, planned: Punctuation) -> None:
        self._schedules, self._planned = schedules, planned

    def cancel(self) -> None:
        """Ask for no more of it."""
        self._schedules.cancel(self._planned)
