"""Values of a type as they come out of a store: whether one is already such a value, and copies of it.

A state goes from one call to the next without being stored in between. It must not matter whether it was.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import Decimal, InvalidOperation, localcontext
from typing import Any

from holdfast.types import BINARY, FLOAT, STRING, TIMESTAMP, Array, DataType, Map, Scalar, Struct
from holdfast.types import Decimal as DecimalType
from holdfast.workers.codec.column_decoder import Row
from holdfast.workers.codec.column_encoder import WrongType, value_checker
from holdfast.workers.codec.value_classes import ITEM, Classes, classes_of

_MADE = {"string": "text", "float": "single"}
_TYPES: dict[str, type] = {"double": float, "boolean": bool, "binary": bytes, "date": date}


@dataclass(frozen=True)
class CanonicalForm:
    """Values of one type: `exact` says whether one is as a store gives it, `copy` makes another one of such a value.

    `stored` gives any value as it comes back from a store, and raises what is wrong with it.
    """

    exact: Callable[[Any], bool]
    copy: Callable[[Any], Any]
    stored: Callable[[Any], Any]
    immutable: bool


def canonical_form(type_: DataType, cls: object = None) -> CanonicalForm:
    """What is to be known of values of a type; records are instances of `cls` if it is a dataclass.

    >>> from holdfast.types import DOUBLE, LONG
    >>> number = canonical_form(LONG)
    >>> number.exact(5), number.exact(True), number.exact(2**63)
    (True, False, False)
    >>> canonical_form(DOUBLE).stored(3)
    3.0
    """
    code, classes = _Code(), classes_of(cls)
    check = value_checker(type_, classes)
    exact = code.function(code.test(type_, classes, "x"))
    copy = code.function(code.copy(type_, classes, "x"))
    build = code.function(code.build(type_, classes, "x"))
    return CanonicalForm(exact, copy, lambda value: build(check(value, "result")), _immutable(type_, classes))


Write = Callable[[DataType, Classes, str], str]
"""Gives the source that makes one part."""


class _Code:
    """Source of functions that know one type and look nothing up."""

    def __init__(self) -> None:
        self._names: dict[str, Any] = {
            "encodes": _encodes,
            "is_single": _is_single,
            "text": _text,
            "single": _single,
            "scaled": _scaled,
            "datetime": datetime,
            "UTC": UTC,
            "Decimal": Decimal,
            "Row": Row,
        }
        self._bound = 0

    def function(self, body: str) -> Callable[[Any], Any]:
        made: Callable[[Any], Any] = eval(f"lambda x: {body}", self._names)
        return made

    def _name(self, value: object) -> str:
        name = f"n{len(self._names)}"
        self._names[name] = value
        return name

    def test(self, type_: DataType, classes: Classes, x: str, *, nullable: bool = True) -> str:
        """An expression that is true if `x` is exact; what is there is looked at first."""
        if x.isidentifier():
            test = self._test(type_, classes, x, x)
            return f"({test} or {x} is None)" if nullable else test
        self._bound += 1
        here = f"t{self._bound}"
        test = self._test(type_, classes, f"({here} := {x})", here)
        return f"({test} or {here} is None)" if nullable else test

    def _test(self, type_: DataType, classes: Classes, first: str, x: str) -> str:
        """The same if it is not null; `first` is what the expression says where it looks at `x` for the first time."""
        match type_:
            case Struct():
                return self._test_record(type_, classes, first, x)
            case Array():
                return self._test_list(type_, classes, first, x)
            case Map():
                return self._test_map(type_, classes, first, x)
            case Scalar() if type_.is_integer:
                most = 1 << (type_.bits - 1)
                return f"(type({first}) is int and {-most} <= {x} <= {most - 1})"
            case Scalar() if type_.name in _TYPES:
                return f"(type({first}) is {self._name(_TYPES[type_.name])})"
        return _test_other(type_, first, x)

    def _test_record(self, type_: Struct, classes: Classes, first: str, x: str) -> str:
        cls = classes.cls
        tests = [f"type({first}) is {self._name(cls)}"] if cls else [f"isinstance({first}, Row)"]
        if not cls:
            tests.append(f"len({x}) == {len(type_.fields)}")
        for each in type_.fields:
            at = f"{x}.{each.name}" if cls else f"{x}.get({each.name!r})"
            tests.append(self.test(each.type, classes.part(each.name), at, nullable=each.nullable))
        return f"({' and '.join(tests)})"

    def _test_list(self, type_: Array, classes: Classes, first: str, x: str) -> str:
        item = self.test(type_.element, classes.part(ITEM), "y")
        return f"(type({first}) is list and {self._all('y', item)}({x}))"

    def _test_map(self, type_: Map, classes: Classes, first: str, x: str) -> str:
        key = self.test(type_.key, Classes(), "k", nullable=False)
        item = self.test(type_.value, classes.part(ITEM), "y")
        return f"(type({first}) is dict and {self._all('k, y', f'{key} and {item}')}({x}.items()))"

    def _all(self, each: str, test: str) -> str:
        """The name of a function that says whether all of many are exact."""
        space: dict[str, Any] = {}
        exec(f"def test(x):\n for {each} in x:\n  if not ({test}): return False\n return True", self._names, space)
        return self._name(space["test"])

    def copy(self, type_: DataType, classes: Classes, x: str) -> str:
        """An expression that is a copy of `x`, which is exact."""
        if _immutable(type_, classes):
            return x
        at = f"{x}.{{}}" if classes.cls else f"{x}[{{!r}}]"
        return self._made(type_, classes, x, at, self.copy)

    def build(self, type_: DataType, classes: Classes, x: str) -> str:
        """An expression that makes an exact value of the parts `x` that a check has left of one."""
        if not isinstance(type_, Scalar):
            return self._made(type_, classes, x, None, self.build)
        if type_ == BINARY:
            return f"(None if {x} is None else bytes({x}))"
        if isinstance(type_, DecimalType):
            return f"scaled({x}, {type_.precision}, {type_.scale})"
        return f"{_MADE[type_.name]}({x})" if type_.name in _MADE else x

    def _made(self, type_: DataType, classes: Classes, x: str, at: str | None, part: Write) -> str:
        if isinstance(type_, Array):
            made = f"[{part(type_.element, classes.part(ITEM), 'y')} for y in {x}]"
        elif isinstance(type_, Map):
            key = part(type_.key, Classes(), "k")
            made = f"{{{key}: {part(type_.value, classes.part(ITEM), 'y')} for k, y in {x}.items()}}"
        else:
            assert isinstance(type_, Struct)
            made = self._made_record(type_, classes, x, at, part)
        return f"(None if {x} is None else {made})"

    def _made_record(self, type_: Struct, classes: Classes, x: str, at: str | None, part: Write) -> str:
        parts = []
        for place, each in enumerate(type_.fields):
            name = each.name
            inner = f"{x}[{place}]" if at is None else at.format(name)
            parts.append((name, part(each.type, classes.part(name), inner)))
        if classes.cls:
            return f"{self._name(classes.cls)}({', '.join(f'{name}={made}' for name, made in parts)})"
        return f"Row({{{', '.join(f'{name!r}: {made}' for name, made in parts)}}})"


def _test_other(type_: DataType, first: str, x: str) -> str:
    if type_ == STRING:
        return f"(type({first}) is str and ({x}.isascii() or encodes({x})))"
    if type_ == FLOAT:
        return f"(type({first}) is float and is_single({x}))"
    if type_ == TIMESTAMP:
        return f"(type({first}) is datetime and {x}.tzinfo is UTC)"
    if isinstance(type_, DecimalType):
        scaled = f"{x}.as_tuple()[2] == {-type_.scale} and {x}.adjusted() < {type_.precision - type_.scale}"
        return f"(type({first}) is Decimal and {scaled})"
    return f"({first} and False)"


def _immutable(type_: DataType, classes: Classes) -> bool:
    if isinstance(type_, Scalar):
        return True
    if not isinstance(type_, Struct) or not classes.cls or not classes.cls.__dataclass_params__.frozen:
        return False
    return all(_immutable(each.type, classes.part(each.name)) for each in type_.fields)


def _encodes(text: str) -> bool:
    try:
        text.encode()
    except UnicodeError:
        return False
    return True


def _text(text: str | None) -> str | None:
    if text is not None and not _encodes(text):
        raise WrongType(f"result: {text!r} holds half of a character, which UTF-8 has no place for")
    return text


def _is_single(number: float) -> bool:
    """Whether four bytes hold the number."""
    return _single(number) == number or number != number


def _single(number: float | None) -> float | None:
    """The number as four bytes hold it."""
    try:
        return None if number is None else float(struct.unpack("f", struct.pack("f", number))[0])
    except OverflowError:
        return float("inf") if number is not None and number > 0 else float("-inf")


def _scaled(number: Decimal | int | None, precision: int, scale: int) -> Decimal | None:
    if number is None:
        return None
    with localcontext() as context:
        context.prec = 2 * precision
        try:
            made = Decimal(number).quantize(Decimal(1).scaleb(-scale))
        except InvalidOperation:
            raise WrongType(f"result: {number} does not fit decimal({precision},{scale})") from None
    if made != number or made.adjusted() >= precision - scale:
        raise WrongType(f"result: {number} does not fit decimal({precision},{scale})")
    return made
