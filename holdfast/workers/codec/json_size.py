"""Generated upper bounds of the size of a value as JSON, without encoding it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import orjson

from holdfast.types import BINARY, STRING, Array, DataType, Map, Scalar, Struct, TypeVisitor
from holdfast.types.value_classes import ITEM, Classes
from holdfast.workers.codec.generated import FunctionSource, attribute, item, optional_item

Size = Callable[[object], int]
_SCALAR = 48  # the longest text of a number, a date or a time, with quotes
_NULL = 4


def varies(type_: DataType) -> bool:
    """Whether values of the type may be of any size.

    >>> from holdfast.types import LONG
    >>> varies(LONG), varies(STRING), varies(Array(LONG))
    (False, True, True)
    """
    return _Varies().visit(type_)


class _Varies(TypeVisitor[bool]):
    def scalar(self, of: Scalar) -> bool:
        return of in (STRING, BINARY)

    def array(self, of: Array) -> bool:
        return True

    def map(self, of: Map) -> bool:
        return True

    def struct(self, of: Struct) -> bool:
        return any(self.visit(each.type) for each in of.fields)

    def other(self, of: DataType) -> bool:
        return False


class JsonSize:
    """How many bytes values of a type take as JSON: an upper bound that is quick, and a close one.

    Records are instances of their class, or with `parts` tuples of their fields.

    >>> sizes = JsonSize(STRING)
    >>> sizes.quick("abc"), sizes.close("abc")
    (20, 5)
    >>> sizes.exceeds("abc", 10), sizes.exceeds("abc", 4)
    (False, True)
    """

    def __init__(self, type_: DataType, classes: Classes | None = None, *, parts: bool = False) -> None:
        made = classes or Classes()
        self.quick = _function(type_, made, _quick_text, parts)
        self.close = _function(type_, made, _close_text, parts)

    def exceeds(self, value: object, most: int) -> bool:
        """Whether a value may take more than so many bytes."""
        return self.quick(value) > most and self.close(value) > most


def _function(type_: DataType, classes: Classes, text: Callable[[str], str], parts: bool) -> Size:
    source = FunctionSource(dumps=orjson.dumps)
    return source.expression("x", _Size(classes, source, "x", text, parts).any(type_, classes, "x"))


def _quick_text(x: str) -> str:
    # A control character is written as six; no other takes more.
    return f"2 + 6 * len({x})"


def _close_text(x: str) -> str:
    return f"len(dumps({x}))"


@dataclass(frozen=True)
class _Size(TypeVisitor[str]):
    """An expression for the size of `x`, which is not null; `text` is that for one of a text."""

    classes: Classes
    source: FunctionSource
    x: str
    text: Callable[[str], str]
    parts: bool

    def any(self, of: DataType, classes: Classes, x: str) -> str:
        """An expression for the size of another value, which may be null."""
        if not varies(of):
            return str(_fixed(of))
        first = name = x
        if not x.isidentifier():
            name = self.source.variable()
            first = f"({name} := {x})"
        return f"({_NULL} if {first} is None else {replace(self, classes=classes, x=name).visit(of)})"

    def scalar(self, of: Scalar) -> str:
        return self.text(self.x) if of == STRING else f"6 + 4 * len({self.x}) // 3"

    def array(self, of: Array) -> str:
        return f"2 + {self._all(of.element, self.classes.part(ITEM), self.x)}"

    def map(self, of: Map) -> str:
        keys, values = self._all(of.key, Classes(), self.x), f"{self.x}.values()"
        return f"2 + {keys} + {self._all(of.value, self.classes.part(ITEM), values)}"

    def struct(self, of: Struct) -> str:
        known, sizes = 2, []
        for place, each in enumerate(of.fields):
            known += _named(each.name)
            if varies(each.type):
                sizes.append(self.any(each.type, self.classes.part(each.name), self._field(place, each.name)))
            else:
                known += _fixed(each.type)
        return " + ".join([str(known), *sizes])

    def _field(self, place: int, name: str) -> str:
        if self.parts:
            return item(self.x, place)
        return attribute(self.x, name) if self.classes.cls else optional_item(self.x, name)

    def _all(self, type_: DataType, classes: Classes, x: str) -> str:
        """The size of many, each with what separates it from the next."""
        if not varies(type_):
            return f"{_fixed(type_) + 1} * len({x})"
        each = self.source.variable()
        return f"sum([1 + {self.any(type_, classes, each)} for {each} in {x}])"


def _named(name: str) -> int:
    """The size of a field's name with its quotes, colon and comma."""
    return len(orjson.dumps(name)) + 2


def _fixed(type_: DataType) -> int:
    return _Fixed().visit(type_)


class _Fixed(TypeVisitor[int]):
    """The size of values that do not vary."""

    def struct(self, of: Struct) -> int:
        return 2 + sum(_named(each.name) + self.visit(each.type) for each in of.fields)

    def other(self, of: DataType) -> int:
        return _SCALAR
