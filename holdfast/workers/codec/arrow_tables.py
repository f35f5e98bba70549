"""Entries of a store as a table of Arrow's."""

from __future__ import annotations

from collections.abc import Iterable

import pyarrow as pa

from holdfast.topics.windowed import Windowed
from holdfast.types import DataType
from holdfast.workers.codec.arrow_types import arrow_type

_ROWS = 50_000


def table(key: DataType, value: DataType, entries: Iterable[tuple[object, object]]) -> pa.Table:
    """A table with the columns key and value; without entries it has its columns all the same.

    >>> from holdfast.types import LONG, STRING
    >>> table(STRING, LONG, [("ann", 1)]).to_pylist()
    [{'key': 'ann', 'value': 1}]
    """
    schema = pa.schema([("key", arrow_type(key)), ("value", arrow_type(value))])
    batches: list[pa.RecordBatch] = []
    keys: list[object] = []
    values: list[object] = []

    def full() -> None:
        columns = [pa.array(each, type_) for each, type_ in zip((keys, values), schema.types, strict=True)]
        batches.append(pa.record_batch(columns, schema))
        keys.clear()
        values.clear()

    for one, other in entries:
        keys.append(_columns(one))
        values.append(other)
        if len(keys) == _ROWS:
            full()
    full()
    return pa.Table.from_batches(batches, schema)


def _columns(key: object) -> object:
    """A key as Arrow takes it: one in a window is a record."""
    return {"key": key.key, "start": key.start, "end": key.end} if isinstance(key, Windowed) else key
