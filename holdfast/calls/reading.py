"""Columns of Arrow's as Python objects of the declared types."""

from __future__ import annotations

import dataclasses
import typing
from collections.abc import Callable, Sequence
from typing import Any

from holdfast.topics.types import T

Reader = Callable[[Any], list[Any]]


class Record(dict[str, Any]):
    """A record without a class of its own: its fields are items and attributes."""

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(f"the record has no field {name!r}; it has {', '.join(self)}") from None


def reader(type_: T, cls: type | None = None) -> Reader:
    """How a column of this type becomes a list of objects; records become instances of `cls` if it is a dataclass.

    >>> import pyarrow as pa
    >>> reader("long")(pa.array([1, None]))
    [1, None]
    """
    kind = type_.get("type") if isinstance(type_, dict) else type_
    if kind == "struct":
        return _records(type_, cls if dataclasses.is_dataclass(cls) else None)
    if kind == "array":
        return _lists(reader(type_["elementType"], _inner(cls, 0)))
    if kind == "map":
        return _maps(reader(type_["keyType"]), reader(type_["valueType"], _inner(cls, 1)))
    return lambda column: typing.cast(list[Any], column.to_pylist())


def _inner(cls: Any, index: int) -> type | None:
    arguments = typing.get_args(cls)
    return arguments[index] if len(arguments) > index else None


def _records(type_: T, cls: Any) -> Reader:
    names = [each["name"] for each in type_["fields"]]
    hints = typing.get_type_hints(cls) if cls else {}
    readers = [reader(each["type"], _some(hints.get(each["name"]))) for each in type_["fields"]]

    def read(column: Any) -> list[Any]:
        columns = [each(part) for each, part in zip(readers, column.flatten(), strict=True)]
        if cls is not None:
            made: list[Any] = [cls(**dict(zip(names, values, strict=True))) for values in zip(*columns, strict=True)]
        else:
            made = [Record(zip(names, values, strict=True)) for values in zip(*columns, strict=True)]
        if column.null_count:
            made = [one if there else None for one, there in zip(made, column.is_valid().to_pylist(), strict=True)]
        return made

    return read


def _some(hint: Any) -> Any:
    """`X` of `X | None`."""
    rest = [each for each in typing.get_args(hint) if each is not type(None)]
    return rest[0] if type(None) in typing.get_args(hint) and len(rest) == 1 else hint


def _lists(items: Reader) -> Reader:
    def read(column: Any) -> list[Any]:
        return _cut(items(column.flatten()), column)

    return read


def _maps(keys: Reader, values: Reader) -> Reader:
    def read(column: Any) -> list[Any]:
        pairs = list(zip(keys(column.keys), values(column.items), strict=True))
        start = column.offsets[0].as_py() if len(column) else 0
        ends = [offset - start for offset in column.offsets.to_pylist()]
        there = column.is_valid().to_pylist()
        return [dict(pairs[ends[i] : ends[i + 1]]) if there[i] else None for i in range(len(column))]

    return read


def _cut(flat: Sequence[Any], column: Any) -> list[Any]:
    lengths, out, at = column.value_lengths().to_pylist(), [], 0
    for length in lengths:
        out.append(None if length is None else list(flat[at : at + length]))
        at += length or 0
    return out
