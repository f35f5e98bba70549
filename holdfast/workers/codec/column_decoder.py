"""Columns of Arrow's as Python objects of the declared types."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from operator import itemgetter

import pyarrow as pa

from holdfast.types import DATE, TIMESTAMP, Array, DataType, Map, Struct, TypeVisitor
from holdfast.types.value_classes import ITEM, Classes, classes_of
from holdfast.workers.codec.generated import FunctionSource

ColumnDecoder = Callable[[pa.Array], list[object]]
_Make = Callable[[list[list[object]]], list[object]]
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_FIRST_DAY = _EPOCH.toordinal()
_BEYOND = "a time outside of the years 1 to 9999, which Python does not have"


class Row(dict[str, object]):
    """A record without a class of its own: its fields are items and attributes."""

    def __getattr__(self, name: str) -> object:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(f"the record has no field {name!r}; it has {', '.join(self)}") from None

    def __reduce__(self) -> tuple[type[Row], tuple[dict[str, object]]]:
        return Row, (dict(self),)


def column_decoder(type_: DataType, cls: object = None) -> ColumnDecoder:
    """How a column of this type becomes a list of objects; records become instances of `cls` if it is a dataclass.

    `cls` is what was declared, or the Classes of it.

    >>> import pyarrow as pa
    >>> from holdfast.types import LONG
    >>> column_decoder(LONG)(pa.array([1, None]))
    [1, None]
    """
    return _Reader(cls).visit(type_)


@dataclass(frozen=True)
class _Reader(TypeVisitor[ColumnDecoder]):
    cls: object

    def array(self, of: Array) -> ColumnDecoder:
        return _lists(column_decoder(of.element, classes_of(self.cls).part(ITEM)))

    def map(self, of: Map) -> ColumnDecoder:
        return _maps(column_decoder(of.key), column_decoder(of.value, classes_of(self.cls).part(ITEM)))

    def struct(self, of: Struct) -> ColumnDecoder:
        return _records(of, classes_of(self.cls))

    def other(self, of: DataType) -> ColumnDecoder:
        return _timestamps if of == TIMESTAMP else _dates if of == DATE else _scalars


def _scalars(column: pa.Array) -> list[object]:
    values: list[object] = column.to_pylist()
    return values


def _timestamps(column: pa.Array) -> list[object]:
    micros = column.view("int64").to_pylist()
    try:
        return [None if at is None else _EPOCH + timedelta(0, 0, at) for at in micros]
    except OverflowError:
        raise ValueError(_BEYOND) from None


def _dates(column: pa.Array) -> list[object]:
    days = column.view("int32").to_pylist()
    try:
        return [None if day is None else date.fromordinal(_FIRST_DAY + day) for day in days]
    except ValueError:
        raise ValueError(_BEYOND) from None


def _records(type_: Struct, classes: Classes) -> ColumnDecoder:
    names = [each.name for each in type_.fields]
    readers = [column_decoder(each.type, classes.part(each.name)) for each in type_.fields]
    make = _instances(classes.cls, names) if classes.cls else _rows(names)

    def read(column: pa.Array) -> list[object]:
        if column.null_count:
            there = iter(read(column.drop_null()))
            return [next(there) if valid else None for valid in column.is_valid().to_pylist()]
        return make([each(part) for each, part in zip(readers, column.flatten(), strict=True)])

    return read


def _instances(cls: type, names: list[str]) -> _Make:
    parameters = inspect.signature(cls).parameters.values()
    in_order = all(each.kind is each.POSITIONAL_OR_KEYWORD for each in parameters)
    if in_order and [each.name for each in parameters] == names:
        return lambda columns: list(map(cls, *columns))
    return lambda columns: [cls(**dict(zip(names, values, strict=True))) for values in zip(*columns, strict=True)]


def _rows(names: list[str]) -> _Make:
    """Records of a class made for these fields: it finds them as attributes without calling Python."""
    fields = {name: property(itemgetter(name)) for name in names if not hasattr(dict, name)}
    source = FunctionSource(record=type("Row", (Row,), fields))
    xs = [source.variable() for _ in names]
    items = ", ".join(f"{name!r}: {x}" for name, x in zip(names, xs, strict=True))
    return source.expression("columns", f"[record({{{items}}}) for {', '.join(xs)}, in zip(*columns)]")


def _lists(items: ColumnDecoder) -> ColumnDecoder:
    if items is _scalars:
        return _scalars

    def read(column: pa.Array) -> list[object]:
        flat, at = items(column.flatten()), 0
        out: list[object] = []
        for length in column.value_lengths().to_pylist():
            out.append(None if length is None else flat[at : at + length])
            at += length or 0
        return out

    return read


def _maps(keys: ColumnDecoder, values: ColumnDecoder) -> ColumnDecoder:
    def read(column: pa.Array) -> list[object]:
        pairs = list(zip(keys(column.keys), values(column.items), strict=True))
        start = column.offsets[0].as_py() if len(column) else 0
        ends = [offset - start for offset in column.offsets.to_pylist()]
        there = column.is_valid().to_pylist()
        return [dict(pairs[ends[i] : ends[i + 1]]) if there[i] else None for i in range(len(column))]

    return read
