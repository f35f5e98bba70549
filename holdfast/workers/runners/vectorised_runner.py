"""Run a function that takes a whole batch of records at once and gives a column, or several, with as many rows."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping

import pyarrow as pa

from holdfast.topology.runner_spec import Ask
from holdfast.types import DataType, Struct
from holdfast.workers.codec.arrow_types import arrow_type
from holdfast.workers.codec.column_cast import as_array, column_cast
from holdfast.workers.codec.column_encoder import WrongType
from holdfast.workers.function_spec import FunctionSpec
from holdfast.workers.process import event_loop
from holdfast.workers.process.failures import RAISED, failure_reason


class VectorisedRunner:
    """A function of batches, ready to be run.

    A batch for which it fails is halved, and each half tried, so that in the end only those records fail for which it
    fails when it gets them alone.
    """

    def __init__(self, call: FunctionSpec, types: dict[str, DataType]) -> None:
        self._call = call
        self._type = arrow_type(call.returns)
        self._fields = call.returns.fields if isinstance(call.returns, Struct) else None
        self._fit = column_cast(call.returns)
        self._takes = {name: arrow_type(types[name]) for name in call.takes}

    def run(self, arguments: bytes, ask: Ask) -> bytes:
        """Results, or for a record that failed the reason, in the order of the records."""
        with pa.ipc.open_stream(arguments) as stream:
            came = stream.read_all().combine_chunks().to_batches()[0]
        # The kernel sends wide types for texts, which many functions of Arrow's do not take with the usual ones.
        batch = pa.record_batch({name: came.column(name).cast(type_) for name, type_ in self._takes.items()})
        parts = [*self._parts(batch)]
        results = pa.concat_arrays([result for result, _ in parts])
        errors = pa.concat_arrays([error for _, error in parts])
        made = pa.record_batch([results, errors], names=["result", "error"])
        out = pa.BufferOutputStream()
        with pa.ipc.new_stream(out, made.schema) as writer:
            writer.write_batch(made)
        return bytes(out.getvalue())

    def _parts(self, batch: pa.RecordBatch) -> Iterator[tuple[pa.Array, pa.Array]]:
        try:
            yield self._result(batch), pa.nulls(batch.num_rows, pa.string())
        except RAISED as error:
            if batch.num_rows == 1:
                yield pa.nulls(1, self._type), pa.array([failure_reason(self._call, error)])
            else:
                half = batch.num_rows // 2
                yield from self._parts(batch.slice(0, half))
                yield from self._parts(batch.slice(half))

    def _result(self, batch: pa.RecordBatch) -> pa.Array:
        keys = [batch.column("key")] if "key" in self._takes else []
        given = self._call.function(*keys, _fields_of(batch.column("value")))
        if inspect.isawaitable(given):
            given = event_loop.run(event_loop.answer_of(given))
        if self._call.effect:
            return pa.nulls(batch.num_rows, self._type)
        made = self._fit(self._column(given), "result")
        if len(made) != batch.num_rows:
            raise WrongType(f"result: {_rows(batch.num_rows)} wanted, {len(made)} came; give one for each that you get")
        return made

    def _column(self, given: object) -> pa.Array:
        """One array of what came: columns by name or in the order of the declared fields are put together."""
        if self._fields and isinstance(given, tuple) and len(given) == len(self._fields):
            given = dict(zip([each.name for each in self._fields], given, strict=True))
        if isinstance(given, Mapping):
            columns = {str(name): self._single(each) for name, each in given.items()}
            _want_equal_lengths(columns)
            return pa.StructArray.from_arrays([*columns.values()], names=[*columns])
        made = self._single(given)
        if self._fields is None and pa.types.is_struct(made.type) and made.type.num_fields == 1:
            return made.flatten()[0]
        return made

    def _single(self, given: object) -> pa.Array:
        made = as_array(given)
        if made is None:
            raise WrongType(f"result: {self._expected()} was wanted, {type(given).__name__} came")
        return made

    def _expected(self) -> str:
        return "an array" if self._fields is None else f"a batch({', '.join(each.name for each in self._fields)})"


def _rows(count: int) -> str:
    return "1 row was" if count == 1 else f"{count} rows were"


def _fields_of(values: pa.Array) -> pa.RecordBatch:
    """The values as a batch: a column for each field, or the column `value` if they are not records."""
    if pa.types.is_struct(values.type):
        return pa.RecordBatch.from_arrays(values.flatten(), names=[field.name for field in values.type])
    return pa.RecordBatch.from_arrays([values], names=["value"])


def _want_equal_lengths(columns: Mapping[str, pa.Array]) -> None:
    lengths = {name: len(each) for name, each in columns.items()}
    if len(set(lengths.values())) > 1:
        rows = ", ".join(f"{name} has {length}" for name, length in lengths.items())
        raise WrongType(f"result: the columns have different numbers of rows: {rows}")
