"""Values of one type as the parts that a column is made of: what a store keeps cannot be changed from outside."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pyarrow as pa

from holdfast.calls.classes import ITEM, Classes
from holdfast.calls.reading import Record, reader
from holdfast.calls.writing import writer
from holdfast.topics.types import T

Build = Callable[[Any], Any]
UNWRITABLE = (pa.ArrowException, ArithmeticError, ValueError, TypeError)


class Plain:
    """The values of one type: objects in, their parts out, and back."""

    def __init__(self, type_: T, classes: Classes, path: str) -> None:
        self._writer = writer(type_, classes, path)
        self._read = reader(type_, classes)
        self.type = self._writer.type
        self.build = builder(type_, classes)

    def take(self, value: Any, *, careful: bool = False) -> Any:
        """The parts of a value; one of another type is refused, with care also what only Arrow notices."""
        taken = self._writer.take(value)
        if careful:
            for wrong in self._writer.array([taken])[1].values():
                raise wrong
        return taken

    def column(self, taken: Sequence[Any]) -> pa.Array:
        """Many of them as Arrow."""
        return pa.array(taken, self.type)

    def parts(self, column: pa.Array) -> list[Any]:
        """What came as Arrow."""
        return [self._writer.take(each) for each in self._read(column)]


def builder(type_: T, classes: Classes) -> Build:
    """How parts become an object of its own; those of a record an instance of its class.

    >>> builder({"type": "array", "elementType": "long"}, Classes())([1, 2])
    [1, 2]
    """
    kind = type_.get("type") if isinstance(type_, dict) else type_
    if kind == "struct":
        return _record(type_, classes)
    if kind == "array":
        item = builder(type_["elementType"], classes.part(ITEM))
        return lambda parts: None if parts is None else [item(each) for each in parts]
    if kind == "map":
        value = builder(type_["valueType"], classes.part(ITEM))
        return lambda parts: None if parts is None else {key: value(each) for key, each in parts.items()}
    return lambda parts: parts


def _record(type_: T, classes: Classes) -> Build:
    fields = [(each["name"], builder(each["type"], classes.part(each["name"]))) for each in type_["fields"]]
    make: Any = classes.cls or Record

    def build(parts: Any) -> Any:
        return (
            None
            if parts is None
            else make(**{name: one(each) for (name, one), each in zip(fields, parts, strict=True)})
        )

    return build


def identity(parts: Any) -> Any:
    """The parts of a key as something that a dict takes for a key.

    >>> identity((1, [2]))
    (1, (2,))
    """
    return tuple(identity(each) for each in parts) if isinstance(parts, (list, tuple)) else parts


def rank(parts: Any) -> Any:
    """The parts of a key as something that sorts like the keys of a store: nothing comes first.

    >>> sorted([(2,), (None,), (1,)], key=rank)
    [(None,), (1,), (2,)]
    """
    return tuple((each is not None, rank(each)) for each in parts) if isinstance(parts, (list, tuple)) else parts
