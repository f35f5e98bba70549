"""Answers of queries as JSON, CSV, Arrow and Parquet."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Mapping
from datetime import date, datetime, timedelta
from datetime import time as time_of_day

import pyarrow as pa
import pyarrow.ipc as ipc
import pyarrow.parquet as pq

from holdfast.server.responses import Refusal
from holdfast.server.sql.engine import SqlResult
from holdfast.stores import exact_json, values

JSON, CSV = "application/json", "text/csv"
ARROW, PARQUET = "application/vnd.apache.arrow.stream", "application/vnd.apache.parquet"
Write = Callable[[SqlResult], bytes]


def chosen(accept: str) -> str:
    """The type of content that a client wants: the first of ours that it names."""
    wanted = [each.partition(";")[0].strip().lower() for each in accept.split(",")]
    for each in wanted:
        if each in _FORMATS:
            return each
        if each in ("", "*/*", "application/*"):
            return JSON
        if each == "text/*":
            return CSV
    raise Refusal(406, "not_acceptable", f"there is no answer as {accept[:80]}", f"accept {', '.join(_FORMATS)}")


def written(result: SqlResult, content_type: str) -> bytes:
    """An answer in one of the formats."""
    return _FORMATS[content_type](result)


def _json(result: SqlResult) -> bytes:
    names = zip(result.table.column_names, result.types, strict=True)
    columns = [{"name": name, "type": of} for name, of in names]
    rest = {"rows": rows(result.table), "epoch": result.epoch, "truncated": result.is_truncated}
    return exact_json.dumps({"columns": columns, **rest})


def rows(table: pa.Table) -> list[list[object]]:
    """The rows as values that JSON can be made of."""
    columns = [_values(name, column) for name, column in zip(table.column_names, table.columns, strict=True)]
    return [list(row) for row in zip(*columns, strict=True)] if columns else []


def _values(name: str, column: pa.ChunkedArray) -> list[object]:
    try:
        return [_plain(each) for each in column.to_pylist(maps_as_pydicts="lossy")]
    except (OverflowError, TypeError, ValueError):  # the year 294247, a list as the key of a map
        hint = "cast it to VARCHAR, or ask for Arrow"
        raise Refusal(400, "bad_sql", f"column {name!r} has values that JSON and CSV cannot hold", hint) from None


def _plain(value: object) -> object:
    """A value that JSON can be made of, for those that only DuckDB has."""
    match value:
        case dict():
            return {key if isinstance(key, str) else _text(key): _plain(each) for key, each in value.items()}
        case list():
            return [_plain(each) for each in value]
        case timedelta() | time_of_day() | pa.MonthDayNano():
            return str(value)
    return value


def _text(key: object) -> str:
    return values.dumps(_plain(key)).decode().strip('"')


def _csv(result: SqlResult) -> bytes:
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\r\n")
    writer.writerow(result.table.column_names)
    writer.writerows([_cell(value) for value in row] for row in rows(result.table))
    return file.getvalue().encode(errors="replace")


def _cell(value: object) -> object:
    match value:
        case None | str() | int() | float():
            return str(value).lower() if isinstance(value, bool) else value
        case datetime():
            return values.iso(value)
        case date():
            return value.isoformat()
    return exact_json.dumps(value).decode().strip('"')


def _arrow(result: SqlResult) -> bytes:
    sink = pa.BufferOutputStream()
    with ipc.new_stream(sink, result.table.schema) as stream:
        stream.write_table(result.table)
    return bytes(sink.getvalue())


def _parquet(result: SqlResult) -> bytes:
    sink = pa.BufferOutputStream()
    try:
        pq.write_table(result.table, sink)
    except (pa.ArrowNotImplementedError, pa.ArrowInvalid, ValueError) as error:
        raise Refusal(
            406, "not_acceptable", f"Parquet cannot hold the answer: {error}", "cast it, or ask for JSON"
        ) from None
    return bytes(sink.getvalue())


_FORMATS: Mapping[str, Write] = {JSON: _json, CSV: _csv, ARROW: _arrow, PARQUET: _parquet}
