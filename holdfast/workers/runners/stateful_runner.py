"""Run a function with state: record by record in the order of the task, each key's state read and written once."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from types import GeneratorType
from typing import Any

from holdfast.topology.runner_spec import Ask
from holdfast.types import Array, DataType
from holdfast.workers.codec.arrow_batch import CallTimings
from holdfast.workers.codec.column_decoder import column_decoder
from holdfast.workers.codec.column_encoder import column_encoder
from holdfast.workers.codec.state_codec import StateCodec
from holdfast.workers.function_spec import FunctionSpec
from holdfast.workers.process.failures import RAISED, failure_reason
from holdfast.workers.process.state_limit import check_with_kernel, headroom, may_outgrow
from holdfast.workers.process.stateful_wire import Failure, StatefulRequest, read_request, write_response
from holdfast.workers.stateful_spec import StatefulSpec, StateUpdate
from holdfast.workers.timers import TimerQueue, Timers

_MOST_GUARDED_AT_ONCE = 64


class StatefulRunner:
    """A function with state, ready to be run; `types` are those of key and value.

    Many records are run without a copy of each state before each record. If one fails, all are run again, and then with
    copies: so that what failed leaves nothing behind, and what does not fail costs nothing.
    """

    def __init__(self, call: StatefulSpec, types: dict[str, DataType]) -> None:
        classes = dict(call.call.classes)
        self.call = call
        self.read_keys = column_decoder(types["key"], classes.get("key"))
        self.read_events = column_decoder(types["value"], classes.get("value"))
        self.states = StateCodec(call.state, call.classes, several=call.several)
        self.results = column_encoder(call.call.returns, classes.get("result"))
        # A list is many results, unless one result is a list.
        one_is_list = isinstance(call.call.returns, Array)
        self.many = (GeneratorType,) if one_is_list else (GeneratorType, list, map, filter)

    def run(self, arguments: bytes, ask: Ask) -> bytes:
        """What came of the records, and what their keys are now."""
        question = read_request(arguments)
        if len(question.owners) > _MOST_GUARDED_AT_ONCE:
            # Which one fails, if one does, and why comes out below.
            with contextlib.suppress(*RAISED):
                return _StatefulCall(self, question, ask).run_unguarded()
        return _StatefulCall(self, question, ask).run_guarded()


class _StatefulCall:
    """One attempt at a call."""

    def __init__(self, runner: StatefulRunner, question: StatefulRequest, ask: Ask) -> None:
        self._runner = runner
        self._question = question
        self._ask = ask
        self._most = question.most
        self._keys = runner.read_keys(question.keys)
        self._events: list[object] = []
        self._documents = [*question.states]
        self._states: list[object] = [None] * len(self._keys)
        self._touched = [*question.touched]
        self._ttl = runner.call.ttl
        wall = question.wall if question.fires_wall else None
        self._queue = TimerQueue(self._keys, question.timers, question.reach, wall, drains=question.drains)
        self._timers = Timers(self._queue, question.wall, handled=runner.call.on_timer is not None)
        self._now = self._timers._stream = question.now
        self._encode = runner.results.encode
        self._results: list[object] = []
        self._records: list[int] = []
        self._fired: list[tuple[int, int, int]] = []
        self._failures: list[Failure] = []
        self._guarded = False
        self._times = CallTimings()

    def run_unguarded(self) -> bytes:
        """Run all records as if none failed; whatever is wrong is raised."""
        function, keys, states, timers = self._runner.call.call.function, self._keys, self._states, self._timers
        touched, ttl, due, many = self._touched, self._ttl, self._queue.due["event"], self._runner.many
        results, records, encode = self._results, self._records, self._encode
        now = self._now
        question = self._question
        watch = self._watch() if may_outgrow(question.most, question.fullest) else None
        self._events = self._runner.read_events(question.events)
        self._times.lap("read")
        for index, (slot, time, event) in enumerate(zip(question.owners, question.times, self._events, strict=True)):
            if time > now:
                if due and due[0][0] <= time:
                    self._fire("event", time, index)
                now = self._now = timers._stream = time
            state = states[slot]
            if state is None or (ttl is not None and touched[slot] + ttl <= now):
                state = self._state(slot, now)
            timers._slot = slot
            timers._time = time
            given = function(keys[slot], event, state, timers)
            if given is not None:
                if type(given) in many:
                    self._collect(slot, given, index)
                elif type(given) is StateUpdate:
                    self._update_state(slot, given.state)
                else:
                    results.append(encode(given))
                    records.append(index)
            if ttl is None:
                touched[slot] = now
            else:
                self._save_state(slot)
            if watch is not None:
                watch(slot, index)
            if due and due[0][0] <= now:
                self._fire("event", now, index)
        return self._finish()

    def _watch(self) -> Callable[[int, int], None]:
        """What measures a state when it may have become too large since it was measured last."""
        most, sizes = self._most, self._question.sizes
        rooms = [headroom(most, 0 if each is None else len(each)) for each in self._documents]

        def watch(slot: int, index: int) -> None:
            rooms[slot] -= sizes[index]
            if rooms[slot] < 0 and (state := self._states[slot]) is not None:
                document = self._runner.states.dump(state)
                self._check(slot, document)
                rooms[slot] = headroom(most, 0 if document is None else len(document))

        return watch

    def run_guarded(self) -> bytes:
        """Run the records with a copy of each state before each; one that fails leaves nothing behind."""
        self._guarded = True
        question = self._question
        if question.owners:
            # Where a class refuses what one of them is made of, each is read by itself.
            with contextlib.suppress(*RAISED):
                self._events = self._runner.read_events(question.events)
        self._times.lap("read")
        for index, (slot, time) in enumerate(zip(question.owners, question.times, strict=True)):
            if time > self._now:
                self._fire("event", time, index)
                self._now = time
            self._call_guarded(self._runner.call.call, slot, time, index, timer=None)
            self._fire("event", self._now, index)
        return self._finish()

    def _state(self, slot: int, now: int) -> object:
        """The key's state, or a new one if it has none or if it is over."""
        document = self._documents[slot]
        over = self._ttl is not None and self._touched[slot] + self._ttl <= now
        states = self._runner.states
        if over:
            self._documents[slot] = document = None
        made = states.fresh() if document is None else states.load(document)
        self._states[slot] = made
        return made

    def _fire(self, clock: str, to: int, index: int) -> None:
        """Let the timers fire that are due, each at its own time."""
        handler = self._runner.call.on_timer
        while (due := self._queue.pop_due(clock, to)) is not None:
            time, slot, name = due
            if handler is None:
                continue
            if clock == "event":
                self._now = max(self._now, time)
            self._timers._firing = (clock, time)
            if self._guarded:
                self._call_guarded(handler, slot, time, index, timer=name)
            else:
                self._call_function(handler, slot, time, index, name)
            self._timers._firing = None

    def _call_guarded(self, call: FunctionSpec, slot: int, time: int, index: int, *, timer: str | None) -> None:
        mine = self._queue.timers[slot]
        before = (self._touched[slot], self._documents[slot], None if mine is None else {**mine})
        results, fired = len(self._results), len(self._fired)
        try:
            self._call_function(call, slot, time, index, timer)
            self._check_results(slot, results)
        except RAISED as error:
            self._states[slot] = None
            self._touched[slot], self._documents[slot], self._queue.timers[slot] = before
            del self._results[results:], self._records[results:], self._fired[fired:]
            self._failures.append(_failure(call, error, slot, time, index, timer))

    def _check_results(self, slot: int, first: int) -> None:
        """Write the state and the results as they are at the end, so that what cannot be written fails here."""
        self._save_state(slot)
        self._states[slot] = None
        for error in self._runner.results.array(self._results[first:])[1].values():
            raise error

    def _save_state(self, slot: int) -> None:
        """Write the state; if it has changed, its time to live begins anew."""
        if self._states[slot] is not None:
            document = self._runner.states.dump(self._states[slot])
            self._check(slot, document)
            if self._ttl is None or document != self._documents[slot]:
                self._touched[slot] = self._now
            self._documents[slot] = document

    def _check(self, slot: int, document: bytes | None) -> None:
        """Raise what the changelog has against a state that has changed."""
        if document is not None and len(document) > self._most and document != self._documents[slot]:
            check_with_kernel(self._ask, slot, document)

    def _call_function(self, call: FunctionSpec, slot: int, time: int, index: int, timer: str | None) -> None:
        """Call the function for a record, or the other one for a timer."""
        now = self._now
        state = self._states[slot]
        if state is None or (self._ttl is not None and self._touched[slot] + self._ttl <= now):
            state = self._state(slot, now)
        timers = self._timers
        timers._slot, timers._time, timers._stream = slot, time, now
        first = len(self._results)
        what = self._event(index) if timer is None else timer
        self._collect(slot, call.function(self._keys[slot], what, state, timers), index)
        if timer is not None:
            self._fired += [(each, slot, max(time, 0)) for each in range(first, len(self._results))]
            if not self._guarded:
                self._save_state(slot)

    def _event(self, index: int) -> object:
        if self._events:
            return self._events[index]
        return self._runner.read_events(self._question.events.slice(index, 1))[0]

    def _collect(self, slot: int, given: Any, index: int) -> None:  # `given` may be a list of results
        if given is None:
            return
        for each in given if type(given) in self._runner.many else (given,):
            if type(each) is StateUpdate:
                self._update_state(slot, each.state)
            else:
                self._results.append(self._encode(each))
                self._records.append(index)

    def _update_state(self, slot: int, state: object) -> None:
        # An update counts as a change, even if it is the same.
        self._states[slot], self._documents[slot] = state, None

    def _finish(self) -> bytes:
        question, queue = self._question, self._queue
        if question.reach > self._now:
            self._fire("event", question.reach, -1)
            self._now = question.reach
        if question.fires_wall:
            self._fire("wall", question.wall, -1)
            self._fire("event", self._now, -1)
        self._times.lap("call")
        slots = range(len(self._keys))
        documents = [self._document(slot) for slot in slots]
        if not self._guarded:
            for slot in slots:
                self._check(slot, documents[slot])
        times = [self._touched, self._ends(documents), queue.next_times("wall")]
        array, wrong = self._runner.results.array(self._results)
        for error in wrong.values():
            raise error
        parts = [documents, queue.documents()]
        return write_response(array, self._records, self._fired, self._failures, times, parts, self._times)

    def _document(self, slot: int) -> bytes | None:
        if self._ttl is not None:
            return None if self._touched[slot] + self._ttl <= self._now else self._documents[slot]
        state = self._states[slot]
        return self._documents[slot] if state is None else self._runner.states.dump(state)

    def _ends(self, documents: list[bytes | None]) -> list[int]:
        """The next wake-up of each key: a timer, or the expiry of its state."""
        first, ttl = self._queue.next_times("event"), self._ttl
        if ttl is None:
            return first
        ends = zip(first, self._touched, documents, strict=True)
        return [due if document is None else min(due, touched + ttl) for due, touched, document in ends]


def _failure(call: FunctionSpec, error: BaseException, slot: int, time: int, index: int, timer: str | None) -> Failure:
    reason = failure_reason(call, error)
    if timer is None:
        return Failure(index, -1, time, reason)
    return Failure(index, slot, time, f"timer {timer!r}: {reason}")
