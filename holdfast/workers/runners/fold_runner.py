"""Run the functions of an aggregate on many records with one call."""

from __future__ import annotations

from collections.abc import Callable

from holdfast.errors import StateRefused
from holdfast.topology.runner_spec import Ask
from holdfast.types import DataType
from holdfast.workers.codec.arrow_batch import CallTimings, write_batch
from holdfast.workers.codec.canonical import canonical_form
from holdfast.workers.codec.column_decoder import column_decoder
from holdfast.workers.codec.column_encoder import column_encoder
from holdfast.workers.codec.json_size import JsonSize, varies
from holdfast.workers.fold_spec import FoldSpec
from holdfast.workers.process.tape import Tape, answer
from holdfast.workers.runners.fold_call import FoldCall
from holdfast.workers.runners.fold_limit import FoldLimit


class FoldRunner:
    """The functions of an aggregate, ready to be run on keys, states and values of each input of these types."""

    def __init__(self, fold: FoldSpec, key: DataType, state: DataType, values: list[DataType]) -> None:
        self.fold = fold
        self.shape = canonical_form(state, fold.state)
        self.writer = column_encoder(state, fold.state)
        self.sizes = JsonSize(state, fold.state) if varies(state) else None
        self.read_state = column_decoder(state, fold.state)
        self.read_key = column_decoder(key, dict(fold.adds[0].classes).get("key"))
        self.read_values = [
            column_decoder(each, dict(add.classes).get("value")) for each, add in zip(values, fold.adds, strict=True)
        ]
        self.fresh = self._fresh()

    def _fresh(self) -> Callable[[], object]:
        """What makes a state to begin with."""
        if not self.fold.begins:
            return lambda: None
        begin, copy = self.shape.stored(self.fold.begin), self.shape.copy
        return (lambda: begin) if self.shape.immutable else (lambda: copy(begin))

    def run(self, arguments: bytes, ask: Ask) -> bytes:
        """Make the states that the kernel asks for."""
        times, tape = CallTimings(), Tape(arguments)
        try:
            run = self._run(tape, FoldLimit.of(self, tape, ask), times)
        except StateRefused:
            # Which records made it so comes out if each state is measured.
            run = self._run(tape, FoldLimit(self, tape.most, ask, each=True), times)
        states, _ = self.writer.array(run.requested)
        return answer(run.outcomes, write_batch({"state": states}, times), run.reasons)

    def _run(self, tape: Tape, limit: FoldLimit | None, times: CallTimings) -> FoldCall:
        run = FoldCall(self, tape, limit)
        times.lap("read")
        run.go()
        times.lap("call")
        return run
