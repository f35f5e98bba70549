"""Timers of keys: the API for functions, and the queue of due timers."""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Required, TypedDict

import orjson

from holdfast.units.duration import milliseconds
from holdfast.units.time import epoch_milliseconds, in_calendar

NEVER = (1 << 63) - 1
UNKNOWN = -(1 << 63)
_EPOCH = datetime.fromtimestamp(0, UTC)
_CLOCKS = ("event", "wall")


class Timer(TypedDict, total=False):
    """`at`: when, in milliseconds; `clock`: "wall", if it is that one; `every`: after how long again, if it is."""

    at: Required[int]
    clock: str
    every: int


class TimerQueue:
    """The timers of the keys of a call, and those that the call may reach, earliest first.

    At the end of a drain, a timer in event time that repeats fires once and goes on from there: by the clock it would
    pass over all that a later drain brings.
    """

    def __init__(
        self,
        keys: Sequence[object],
        documents: Sequence[bytes | None],
        reach: int,
        wall: int | None,
        *,
        drains: bool = False,
    ) -> None:
        self.reach = {"event": reach, "wall": UNKNOWN if wall is None else wall}
        self.timers: list[dict[str, Timer] | None] = [None] * len(keys)
        self.due: dict[str, list[tuple[int, str, str, int]]] = {"event": [], "wall": []}
        self._keys = keys
        self._drains = drains
        for slot, document in enumerate(documents):
            if document is not None:
                self.timers[slot] = found = orjson.loads(document)
                for name, timer in found.items():
                    self._expect(slot, name, timer)

    def set(self, slot: int, name: str, timer: Timer) -> None:
        """Set a timer; it replaces one of the same name."""
        mine = self.timers[slot]
        if mine is None:
            mine = self.timers[slot] = {}
        mine[name] = timer
        self._expect(slot, name, timer)

    def _expect(self, slot: int, name: str, timer: Timer) -> None:
        clock = timer.get("clock", "event")
        if timer["at"] <= self.reach[clock]:
            # The order of timers of one moment must not depend on what else is in the call.
            heapq.heappush(self.due[clock], (timer["at"], repr(self._keys[slot]), name, slot))

    def pop_due(self, clock: str, to: int) -> tuple[int, int, str] | None:
        """The next timer that is due: time, key, name; one that repeats is set again."""
        due = self.due[clock]
        while due and due[0][0] <= to:
            time, _, name, slot = heapq.heappop(due)
            timer = (self.timers[slot] or {}).get(name)
            if timer is not None and timer["at"] == time and timer.get("clock", "event") == clock:
                self._rearm(slot, name, timer, to)
                return time, slot, name
        return None

    def _rearm(self, slot: int, name: str, timer: Timer, to: int) -> None:
        mine = self.timers[slot]
        assert mine is not None
        if "every" not in timer:
            del mine[name]
            return
        if self._drains and "clock" not in timer:
            mine[name] = {**timer, "at": timer["at"] + timer["every"]}
            return
        missed = (to - timer["at"]) // timer["every"]
        self.set(slot, name, {**timer, "at": timer["at"] + (missed + 1) * timer["every"]})

    def next_times(self, clock: str) -> list[int]:
        """For when the earliest timer of each key is set."""
        return [NEVER if mine is None else _earliest(mine, clock) for mine in self.timers]

    def documents(self) -> list[bytes | None]:
        """The timers of each key as documents."""
        return [orjson.dumps(mine) if mine else None for mine in self.timers]


class Timers:
    """The times of the record or timer at hand, and the timers of its key.

    A timer has a name within its key; setting one of the same name replaces it. When it is due, the function that was
    declared with `on_timer` is called. Times are aware datetimes, milliseconds since 1970 or ISO 8601.

    >>> import holdfast as hf
    >>> from datetime import timedelta
    >>> @hf.stateful(state={"n": int}, returns=int)
    ... def watch(key, event, state, timers: hf.Timers):
    ...     state.n += 1
    ...     timers.at(timers.timestamp + timedelta(minutes=30), "idle")
    >>> @watch.on_timer
    ... def idle(key, name, state, timers: hf.Timers):
    ...     return state.n
    """

    __slots__ = ("_firing", "_handled", "_queue", "_slot", "_stream", "_time", "_wall")

    def __init__(self, board: TimerQueue, wall: int, *, handled: bool) -> None:
        self._queue = board
        self._wall = wall
        self._handled = handled
        self._slot = 0
        self._time = 0
        self._stream = 0
        self._firing: tuple[str, int] | None = None

    @property
    def timestamp(self) -> datetime:
        """The time of the record, or the time for which the timer was set.

        >>> import holdfast as hf
        >>> @hf.stateful(state={"n": int}, returns=int)
        ... def watch(key, event, state, timers):
        ...     return timers.timestamp.hour
        """
        return _to_datetime(self._time)

    @property
    def now(self) -> datetime:
        """Stream time: the latest time of any record that this task has seen here.

        >>> import holdfast as hf
        >>> @hf.stateful(state={"n": int}, returns=int)
        ... def watch(key, event, state, timers):
        ...     return (timers.now - timers.timestamp).seconds
        """
        return _to_datetime(self._stream)

    @property
    def wall(self) -> datetime:
        """The wall clock, read once per batch so that a batch that is repeated sees the same.

        >>> import holdfast as hf
        >>> @hf.stateful(state={"n": int}, returns=int)
        ... def watch(key, event, state, timers):
        ...     timers.at(timers.wall.replace(hour=23), "evening", clock="wall")
        """
        return _to_datetime(self._clock())

    def at(self, time: str | datetime | int, name: str, *, clock: str = "event") -> None:
        """Let a timer fire at this time: when the time of records reaches it, or the wall clock does.

        >>> import holdfast as hf
        >>> @hf.stateful(state={"n": int}, returns=int)
        ... def watch(key, event, state, timers):
        ...     timers.at(timers.timestamp + timedelta(minutes=30), "idle")
        """
        self._set(name, {"at": epoch_milliseconds(time, f"timers.at: the time of {name!r}")}, clock, "at")

    def every(self, interval: str | timedelta, name: str, *, clock: str = "event") -> None:
        """Let a timer fire again and again; where time leaps over several, it fires once and keeps the interval.

        >>> import holdfast as hf
        >>> @hf.stateful(state={"n": int}, returns=int)
        ... def watch(key, event, state, timers):
        ...     timers.every("1 minute", "report", clock="wall")
        """
        length = milliseconds(interval, f"timers.every: the interval of {name!r}")
        if length < 1:
            raise ValueError(f"timers.every: the interval of {name!r} must be longer than nothing")
        mine = (self._queue.timers[self._slot] or {}).get(name)
        if mine is not None and mine.get("every") == length and mine.get("clock", "event") == clock:
            return
        start = self._clock() if clock == "wall" else self._stream
        self._set(name, {"at": start + length, "every": length}, clock, "every")

    def cancel(self, name: str) -> None:
        """Cancel a timer; nothing happens if there is none of that name.

        >>> import holdfast as hf
        >>> @hf.stateful(state={"n": int}, returns=int)
        ... def watch(key, event, state, timers):
        ...     timers.cancel("idle")
        """
        mine = self._queue.timers[self._slot]
        if mine is not None:
            mine.pop(name, None)

    def _set(self, name: str, timer: Timer, clock: str, what: str) -> None:
        if type(name) is not str or not name:
            raise ValueError(f"timers.{what}: {name!r} is no name for a timer; a text was wanted")
        name.encode()  # one that cannot be written fails here, for this record
        if clock not in _CLOCKS:
            raise ValueError(f'timers.{what}: clock is {clock!r}; it may be "event" or "wall"')
        if not self._handled:
            raise ValueError(f"timers.{what}: nothing would happen when {name!r} fires; declare it: @….on_timer")
        in_calendar(timer["at"], f"timers.{what}: the time of {name!r}")
        if self._firing is not None and clock == self._firing[0] and timer["at"] <= self._firing[1]:
            raise ValueError(f"timers.{what}: {name!r} is set for the time of the timer that fires, or before it")
        if clock == "wall":
            self._clock()
            timer["clock"] = "wall"
        self._queue.set(self._slot, name, timer)

    def _clock(self) -> int:
        if self._wall == UNKNOWN:
            raise ValueError("the wall clock is heard only in programs that read a topic")
        return self._wall


def _earliest(timers: dict[str, Timer], clock: str) -> int:
    return min((each["at"] for each in timers.values() if each.get("clock", "event") == clock), default=NEVER)


def _to_datetime(time: int) -> datetime:
    return _EPOCH + timedelta(milliseconds=time)
