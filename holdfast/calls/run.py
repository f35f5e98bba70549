"""Run a function on a batch of records that came as Arrow, and give its results as Arrow."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from holdfast.calls.call import Call
from holdfast.calls.failures import failure
from holdfast.calls.reading import reader
from holdfast.calls.types import arrow_type
from holdfast.calls.writing import checker
from holdfast.topics.types import T
from holdfast.topology.maker import Ask


class Runner:
    """A function ready to be run; `types` are those of key and value."""

    def __init__(self, call: Call, types: dict[str, T]) -> None:
        self._call = call
        classes = dict(call.classes)
        self._readers = [(name, reader(types[name], classes.get(name))) for name in call.takes]
        self._check = _forget if call.effect else checker(call.returns)
        self._type = pa.struct([("result", arrow_type(call.returns)), ("error", pa.string())])

    def run(self, arguments: bytes, ask: Ask) -> bytes:
        """Results, or for a record that failed the reason, in the order of the records."""
        with pa.ipc.open_stream(arguments) as stream:
            batch = stream.read_all().combine_chunks().to_batches()[0]
        columns = [read(batch.column(name)) for name, read in self._readers]
        answers = self._answers(list(zip(*columns, strict=True)))
        made = pa.RecordBatch.from_struct_array(pa.array(answers, type=self._type))
        out = pa.BufferOutputStream()
        with pa.ipc.new_stream(out, made.schema) as writer:
            writer.write_batch(made)
        return bytes(out.getvalue())

    def _answers(self, records: Sequence[tuple[Any, ...]]) -> list[dict[str, Any]]:
        return [self._one(record) for record in records]

    def _one(self, record: tuple[Any, ...]) -> dict[str, Any]:
        try:
            return self._checked(self._call.function(*record))
        except Exception as error:
            return {"result": None, "error": failure(self._call, error)}

    def _checked(self, made: Any) -> dict[str, Any]:
        if self._call.many and made is not None:
            made = list(made)
        return {"result": self._check(made, "result"), "error": None}


def _forget(made: Any, path: str) -> None:
    """What a function that is called for its effect gives."""
