"""How many bytes of JSON a value takes at most, without writing it: code made for its type."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import orjson

from holdfast.types import BINARY, STRING, Array, DataType, Map, Struct
from holdfast.workers.codec.value_classes import ITEM, Classes

Size = Callable[[Any], int]
_SCALAR = 48  # the longest text of a number, a date or a time, with quotes
_NULL = 4


def varies(type_: DataType) -> bool:
    """Whether values of the type may be of any size.

    >>> from holdfast.types import LONG
    >>> varies(LONG), varies(STRING), varies(Array(LONG))
    (False, True, True)
    """
    if isinstance(type_, Struct):
        return any(varies(each.type) for each in type_.fields)
    return isinstance(type_, (Array, Map)) or type_ in (STRING, BINARY)


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
        self.quick = _Code(_quick_text, parts).function(type_, made)
        self.close = _Code(_close_text, parts).function(type_, made)

    def exceeds(self, value: object, most: int) -> bool:
        """Whether a value may take more than so many bytes."""
        return self.quick(value) > most and self.close(value) > most


def _quick_text(x: str) -> str:
    # A control character is written as six; no other takes more.
    return f"2 + 6 * len({x})"


def _close_text(x: str) -> str:
    return f"len(dumps({x}))"


class _Code:
    """Source of functions that know one type and look nothing up."""

    def __init__(self, text: Callable[[str], str], parts: bool) -> None:
        self._text, self._parts = text, parts
        self._bound = 0

    def function(self, type_: DataType, classes: Classes) -> Size:
        size: Size = eval(f"lambda x: {self._any(type_, classes, 'x')}", {"dumps": orjson.dumps})
        return size

    def _name(self) -> str:
        self._bound += 1
        return f"x{self._bound}"

    def _any(self, type_: DataType, classes: Classes, x: str) -> str:
        """An expression for the size of `x`, which may be null."""
        if not varies(type_):
            return str(_fixed(type_))
        if x.isidentifier():
            return f"({_NULL} if {x} is None else {self._some(type_, classes, x)})"
        here = self._name()
        return f"({_NULL} if ({here} := {x}) is None else {self._some(type_, classes, here)})"

    def _some(self, type_: DataType, classes: Classes, x: str) -> str:
        match type_:
            case Struct():
                return self._record(type_, classes, x)
            case Array(element):
                return f"2 + {self._all(element, classes.part(ITEM), x)}"
            case Map(key, value):
                keys = self._all(key, Classes(), x)
                return f"2 + {keys} + {self._all(value, classes.part(ITEM), f'{x}.values()')}"
        return self._text(x) if type_ == STRING else f"6 + 4 * len({x}) // 3"

    def _all(self, type_: DataType, classes: Classes, x: str) -> str:
        """The size of many, each with what separates it from the next."""
        if not varies(type_):
            return f"{_fixed(type_) + 1} * len({x})"
        each = self._name()
        return f"sum([1 + {self._any(type_, classes, each)} for {each} in {x}])"

    def _record(self, type_: Struct, classes: Classes, x: str) -> str:
        known, sizes = 2, []
        for place, each in enumerate(type_.fields):
            name = each.name
            known += _named(name)
            at = f"{x}[{place}]" if self._parts else f"{x}.{name}" if classes.cls else f"{x}.get({name!r})"
            if varies(each.type):
                sizes.append(self._any(each.type, classes.part(name), at))
            else:
                known += _fixed(each.type)
        return " + ".join([str(known), *sizes])


def _named(name: str) -> int:
    """What the name of a field takes, with what is around it."""
    return len(orjson.dumps(name)) + 2


def _fixed(type_: DataType) -> int:
    if not isinstance(type_, Struct):
        return _SCALAR
    return 2 + sum(_named(each.name) + _fixed(each.type) for each in type_.fields)
