"""Encodes values of one type as parts of a column, and decodes them: stored values share nothing with the user's."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from holdfast.types import Array, DataType, Map, Struct, TypeVisitor
from holdfast.types.value_classes import ITEM, Classes
from holdfast.workers.codec.column_decoder import Row, column_decoder
from holdfast.workers.codec.column_encoder import column_encoder

Build = Callable[[Any], object]  # the parts of one type: who has the builder knows which
ENCODING_ERRORS = (pa.ArrowException, ArithmeticError, ValueError, TypeError)


class RowCodec:
    """The values of one type: objects in, their parts out, and back."""

    def __init__(self, type_: DataType, classes: Classes, path: str) -> None:
        self._writer = column_encoder(type_, classes, path)
        self._read = column_decoder(type_, classes)
        self.type = self._writer.type
        self.build = row_decoder(type_, classes)

    def encoder(self, careful: bool) -> Build:
        """A function that encodes a value and refuses one of another type; with care also what only Arrow notices."""
        return self._encode_checked if careful else self._writer.encode

    def _encode_checked(self, value: object) -> object:
        encoded = self._writer.encode(value)
        for wrong in self._writer.array([encoded])[1].values():
            raise wrong
        return encoded

    def column(self, encoded: Sequence[object]) -> pa.Array:
        """Many of them as Arrow."""
        return pa.array(encoded, self.type)

    def parts(self, column: pa.Array) -> list[object]:
        """What came as Arrow."""
        return [self._writer.encode(each) for each in self._read(column)]


def row_decoder(type_: DataType, classes: Classes) -> Build:
    """How parts become an object of its own; those of a record an instance of its class.

    >>> from holdfast.types import LONG
    >>> row_decoder(Array(LONG), Classes())([1, 2])
    [1, 2]
    """
    return _Builder(classes).visit(type_)


@dataclass(frozen=True)
class _Builder(TypeVisitor[Build]):
    classes: Classes

    def array(self, of: Array) -> Build:
        item = row_decoder(of.element, self.classes.part(ITEM))
        return lambda parts: None if parts is None else list(parts if item is same else map(item, parts))

    def map(self, of: Map) -> Build:
        value = row_decoder(of.value, self.classes.part(ITEM))
        return lambda parts: None if parts is None else {key: value(each) for key, each in parts.items()}

    def struct(self, of: Struct) -> Build:
        return _record(of, self.classes)

    def other(self, of: DataType) -> Build:
        return same


def same(parts: object) -> object:
    """What has no parts is what it is."""
    return parts


def _record(type_: Struct, classes: Classes) -> Build:
    names = [each.name for each in type_.fields]
    builders = [row_decoder(each.type, classes.part(each.name)) for each in type_.fields]
    scalar = all(each is same for each in builders)
    make = _maker(classes.cls, names)

    def build(parts: Sequence[object] | None) -> object:
        if parts is None:
            return None
        return make(*parts) if scalar else make(*(one(each) for one, each in zip(builders, parts, strict=True)))

    return build


def _maker(cls: type | None, names: list[str]) -> Callable[..., object]:
    """What makes a record of its fields in order."""
    if cls is None:
        return lambda *parts: Row(zip(names, parts, strict=True))
    parameters = inspect.signature(cls).parameters.values()
    if [each.name for each in parameters if each.kind is each.POSITIONAL_OR_KEYWORD] == names:
        return cls
    return lambda *parts: cls(**dict(zip(names, parts, strict=True)))


def hashable_key(parts: object) -> object:
    """The parts of a key as something that a dict takes for a key.

    >>> hashable_key((1, [2]))
    (1, (2,))
    """
    return tuple(hashable_key(each) for each in parts) if isinstance(parts, (list, tuple)) else parts


def sort_key(parts: object) -> Any:  # tuples and scalars of one type: they can be compared
    """The parts of a key as something that sorts like the keys of a store: nothing comes first.

    >>> sorted([(2,), (None,), (1,)], key=sort_key)
    [(None,), (1,), (2,)]
    """
    return tuple((each is not None, sort_key(each)) for each in parts) if isinstance(parts, (list, tuple)) else parts
