"""The states of an aggregate that one call makes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa

from holdfast.workers.codec.column_decoder import ColumnDecoder
from holdfast.workers.function_spec import FunctionSpec
from holdfast.workers.process.failures import RAISED, failure_reason
from holdfast.workers.process.tape import ADD, FAILED, KIND, MADE, MERGE, NOTHING, PORTS, REQUESTED, Tape

if TYPE_CHECKING:
    from holdfast.workers.runners.fold_limit import FoldLimit
    from holdfast.workers.runners.fold_runner import FoldRunner


class _UndecodableValue:
    """Stands for a value that its class refused to decode."""

    def __init__(self, error: BaseException) -> None:
        self.error = error


def _read(read: ColumnDecoder, column: pa.Array | None) -> list[object]:
    """The values of a column; one that its class refuses must not encode the others with it."""
    if column is None:
        return []
    try:
        return read(column)
    except RAISED as error:
        if len(column) == 1:
            return [_UndecodableValue(error)]
        return [each for index in range(len(column)) for each in _read(read, column.slice(index, 1))]


class FoldCall:
    """Makes one state after the other.

    `slots` are those that were given and those that were made, `requested` the parts of those that the kernel
    asks for.
    """

    def __init__(self, folder: FoldRunner, tape: Tape, limit: FoldLimit | None) -> None:
        self._check_each = limit.check if limit is not None and limit.each else None
        self._check_requested = limit.check if limit is not None and not limit.each else None
        self._folder, self._tape = folder, tape
        self._fold, self._shape, self._encode = folder.fold, folder.shape, folder.writer.encode
        self._slots: list[object] = [None, *_read(folder.read_state, tape.states)]
        self._base = len(self._slots)
        self._keys = _read(folder.read_key, tape.keys)
        self._values = [_read(read, part) for read, part in zip(folder.read_values, tape.values, strict=True)]
        self._last = {} if self._shape.immutable else self._last_uses()
        self._snapshots: dict[int, object] = {}
        self._places: list[int] | None = None
        self.outcomes = bytearray([MADE]) * len(tape)
        self.reasons: list[str] = []
        self.requested: list[object] = []

    def _last_uses(self) -> dict[int, int]:
        """The last use of each state, if one is used more than once: before it, functions get a copy."""
        lefts, rights = self._tape.lefts, self._tape.rights
        uses = [each for each in (*lefts, *rights) if each]
        if len(uses) == len(set(uses)):
            return {}
        last = dict(zip(lefts, range(len(lefts)), strict=True))
        for at, right in enumerate(rights):
            last[right] = max(at, last.get(right, at))
        return last

    def go(self) -> None:
        """Make all."""
        if self._only_adds():
            self._adds()
        else:
            for i in range(len(self._tape)):
                self._one(i)

    def _only_adds(self) -> bool:
        """Whether each state is used once, and every step adds a value that could be decoded."""
        if self._last or "key" in self._fold.adds[0].takes or set(self._tape.words) - {ADD, ADD + REQUESTED}:
            return False
        read = self._slots if self._base > 1 else []
        return not any(type(each) is _UndecodableValue for each in (*read, *self._values[0]))

    def _adds(self) -> None:
        function, is_canonical, stored = self._fold.adds[0].function, self._shape.is_canonical, self._shape.stored
        fresh, begins, slots = self._folder.fresh, self._fold.begins, self._slots
        add, request, encode = slots.append, self.requested.append, self._encode
        check, check_requested = self._check_each, self._check_requested
        for i, (word, left, value) in enumerate(zip(self._tape.words, self._tape.lefts, self._values[0], strict=True)):
            state = slots[left]
            try:
                if state is None:
                    made = function(fresh(), value) if begins else value
                else:
                    made = function(state, value)
                if not is_canonical(made):
                    made = stored(made)
                if made is None:
                    self.outcomes[i] = NOTHING
                elif check is not None:
                    check(i, made)
                add(made)
            except RAISED as error:
                self._failed(i, self._fold.adds[0], error, left)
            if word:
                if check_requested is not None and self.outcomes[i] == MADE:
                    check_requested(i, slots[-1])
                request(encode(slots[-1]))

    def _one(self, i: int) -> None:
        word, left = self._tape.words[i], self._tape.lefts[i]
        call = self._call(word)
        try:
            other = self._use(self._tape.rights[i], i) if word & KIND == MERGE else self._value(i)
            made = self._apply(i, call, self._use(left, i), other)
            if made is None:
                self.outcomes[i] = NOTHING
            elif self._check_each is not None:
                self._check_each(i, made)
            self._slots.append(made)
        except RAISED as error:
            self._failed(i, call, error, left)
        if word & REQUESTED:
            self._add_requested(i)

    def _add_requested(self, i: int) -> None:
        """The kernel asks for the state that was made last."""
        state = self._slots[-1]
        if type(state) is _UndecodableValue:
            self.requested.append(None)
            return
        if self._check_requested is not None and self.outcomes[i] == MADE:
            self._check_requested(i, state)
        self.requested.append(self._encode(state))

    def _call(self, word: int) -> FunctionSpec:
        if word & KIND == ADD:
            return self._fold.adds[word // PORTS]
        return (self._fold.merge if word & KIND == MERGE else self._fold.subtract) or self._fold.adds[0]

    def _use(self, slot: int, i: int) -> object:
        """A state that the function may change: a copy if somebody needs it later."""
        state = self._slots[slot]
        return self._shape.copy(state) if self._last.get(slot, i) != i else state

    def _apply(self, i: int, call: FunctionSpec, state: object, other: object) -> object:
        """What the function makes of a state and a value, or of two states."""
        for each in (state, other):
            if type(each) is _UndecodableValue:
                raise each.error
        if state is None:
            if not self._fold.begins:
                return other
            state = self._folder.fresh()
        made = call.function(self._keys[i], state, other) if call.takes[0] == "key" else call.function(state, other)
        return made if self._shape.is_canonical(made) else self._shape.stored(made)

    def _value(self, i: int) -> object:
        return self._values[self._tape.words[i] // PORTS][self._place(i)]

    def _place(self, i: int) -> int:
        """Which of its input's values belongs to a step."""
        if self._places is None:
            counts = [0] * len(self._values)
            self._places = []
            for word in self._tape.words:
                port = word // PORTS
                self._places.append(counts[port])
                counts[port] += word & KIND != MERGE
        return self._places[i]

    def _failed(self, i: int, call: FunctionSpec, error: BaseException, left: int) -> None:
        """The state is as before, whatever the function has done to it."""
        self.outcomes[i] = FAILED
        self.reasons.append(failure_reason(call, error))
        before = self._slots[left] if self._shape.immutable else self._state_before(left)
        self._slots.append(before)
        if not self._shape.immutable and type(before) is not _UndecodableValue:
            self._snapshots[self._base + i] = self._shape.copy(before)

    def _state_before(self, slot: int) -> object:
        """A state as it was made, made again because the function that failed may have changed it."""
        steps = []
        while slot >= self._base and slot not in self._snapshots:
            steps.append(slot - self._base)
            slot = self._tape.lefts[slot - self._base]
        state = self._shape.copy(self._snapshots[slot]) if slot in self._snapshots else self._state_from_kernel(slot)
        for i in reversed(steps):
            state = self._redo(i, state)
        return state

    def _state_from_kernel(self, slot: int) -> object:
        return None if slot == 0 else _read(self._folder.read_state, self._tape.states.slice(slot - 1, 1))[0]

    def _redo(self, i: int, state: object) -> object:
        word = self._tape.words[i]
        if word & KIND == MERGE:
            return self._apply(i, self._call(word), state, self._state_before(self._tape.rights[i]))
        port = word // PORTS
        value = self._folder.read_values[port](self._tape.values[port].slice(self._place(i), 1))[0]
        return self._apply(i, self._call(word), state, value)
