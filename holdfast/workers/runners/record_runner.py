"""Run a function on a batch of records that came as Arrow, and give its results as Arrow."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pyarrow as pa

from holdfast.topology.runner_spec import Ask
from holdfast.types import DataType
from holdfast.workers.codec.arrow_batch import CallTimings, read_batch, write_batch
from holdfast.workers.codec.column_decoder import column_decoder
from holdfast.workers.codec.column_encoder import column_encoder
from holdfast.workers.function_spec import FunctionSpec
from holdfast.workers.process.failures import RAISED, failure_reason

Results = tuple[list[object], dict[int, str]]


class RecordRunner:
    """A function ready to be run; `types` are those of key and value."""

    def __init__(self, call: FunctionSpec, types: dict[str, DataType]) -> None:
        self._call = call
        classes = dict(call.classes)
        self._readers = [(name, column_decoder(types[name], classes.get(name))) for name in call.takes]
        self._writer = column_encoder(call.returns, classes.get("result"))
        encode = self._writer.encode
        self._encode = _discard if call.effect else _from_iterable(encode) if call.many else encode

    def run(self, arguments: bytes, ask: Ask) -> bytes:
        """Results, or for a record that failed the reason, in the order of the records."""
        times = CallTimings()
        encoded, reasons = self._run_batch(read_batch(arguments), times)
        results, refused = self._writer.array(encoded)
        reasons |= {index: failure_reason(self._call, error) for index, error in refused.items()}
        errors = pa.nulls(len(encoded), pa.string())
        if reasons:
            errors = pa.array([reasons.get(index) for index in range(len(encoded))], pa.string())
        return write_batch({"result": results, "error": errors}, times)

    def _run_batch(self, batch: pa.RecordBatch, times: CallTimings) -> Results:
        """The parts of the results, and the reasons of the records that have none."""
        try:
            columns = [read(batch.column(name)) for name, read in self._readers]
        except RAISED as error:
            times.lap("read")
            return (
                self._one_by_one(batch, times)
                if batch.num_rows > 1
                else ([None], {0: failure_reason(self._call, error)})
            )
        times.lap("read")
        encoded = self._results(columns)
        times.lap("call")
        return encoded

    def _one_by_one(self, batch: pa.RecordBatch, times: CallTimings) -> Results:
        """A record that cannot even be made, because its class refuses it, must not take the others with it."""
        results: list[object] = []
        reasons: dict[int, str] = {}
        for index in range(batch.num_rows):
            [one], why = self._run_batch(batch.slice(index, 1), times)
            results.append(one)
            reasons.update((index, reason) for reason in why.values())
        return results, reasons

    def _results(self, columns: list[list[object]]) -> Results:
        """Call the function for each record."""
        results: list[object] = []
        reasons: dict[int, str] = {}
        add, encode = results.append, self._encode
        made = map(self._call.function, *columns)
        for index in range(len(columns[0])):
            try:
                add(encode(next(made)))
            except RAISED as error:
                reasons[index] = failure_reason(self._call, error)
                add(None)
        return results, reasons


def _from_iterable(encode: Callable[[object], object]) -> Callable[[Any], object]:  # another result fails in `list`
    """The same for a list, of what may come one by one."""
    return lambda made: None if made is None else encode(list(made))


def _discard(made: object) -> None:
    """What a function that is called for its effect gives."""
