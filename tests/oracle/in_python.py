"""Functions of generated programs in Python: the lambdas that the judge reads as expressions, called with real values.

A value computes as in SQL: what is made of null is null, and a condition that is null does not hold.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

import holdfast as hf

TYPES: Mapping[str, Any] = {
    "int": int,
    "str": str,
    "float": float,
    "rec": "a BIGINT, b STRING",
    "pair": "c BIGINT, d STRING",
}


def in_python(function: Callable[..., Any], kind: str) -> Any:
    """The function as one of `hf.python`; its first parameter are the functions of SQL."""
    count = function.__code__.co_argcount - 1

    def called(*arguments: Any) -> Any:
        return plain(function(Sql, *map(Value, arguments)))

    shapes = {2: lambda a, b: called(a, b), 3: lambda a, b, c: called(a, b, c)}
    return hf.python(shapes[count], returns=TYPES[kind])


def plain(value: Any) -> Any:
    """What a value holds."""
    if isinstance(value, Value):
        return value.held
    return {name: plain(each) for name, each in value.items()} if type(value) is dict else value


class Value:
    """A value that computes as in SQL."""

    def __init__(self, held: Any) -> None:
        self.held = held

    def _with(self, other: Any, make: Callable[[Any, Any], Any]) -> Value:
        other = plain(other)
        return Value(None if self.held is None or other is None else make(self.held, other))

    def __getattr__(self, name: str) -> Value:
        return Value(None if self.held is None else self.held[name])

    def __getitem__(self, index: int) -> Value:
        return Value(None if self.held is None else self.held[index])

    def __add__(self, other: Any) -> Value:
        return self._with(other, operator.add)

    def __sub__(self, other: Any) -> Value:
        return self._with(other, operator.sub)

    def __mul__(self, other: Any) -> Value:
        return self._with(other, operator.mul)

    def __floordiv__(self, other: Any) -> Value:
        return self._with(other, operator.floordiv)

    def __rfloordiv__(self, other: Any) -> Value:
        return self._with(other, lambda mine, its: its // mine)

    def __mod__(self, other: Any) -> Value:
        return self._with(other, operator.mod)

    def __rmod__(self, other: Any) -> Value:
        return self._with(other, lambda mine, its: its % mine)

    def __lt__(self, other: Any) -> Value:
        return self._with(other, operator.lt)

    def __gt__(self, other: Any) -> Value:
        return self._with(other, operator.gt)

    def __ne__(self, other: object) -> Value:  # type: ignore[override]
        return self._with(other, operator.ne)

    __hash__ = None  # type: ignore[assignment]


class When(Value):
    """A value that hangs on a condition."""

    def __init__(self, condition: Any, then: Any) -> None:
        self._holds = plain(condition) is True
        super().__init__(plain(then) if self._holds else None)

    def otherwise(self, other: Any) -> Value:
        return self if self._holds else Value(plain(other))


class Sql:
    """The functions of SQL that generated folds use."""

    when = When

    @staticmethod
    def lit(value: Any) -> Value:
        return Value(value)

    @staticmethod
    def isnull(value: Any) -> Value:
        return Value(plain(value) is None)

    @staticmethod
    def coalesce(*values: Any) -> Value:
        return Value(next((plain(each) for each in values if plain(each) is not None), None))

    @staticmethod
    def concat(*values: Any) -> Value:
        parts = [plain(each) for each in values]
        return Value(None if None in parts else "".join(parts))

    @staticmethod
    def cast(value: Any, to: str) -> Value:
        assert to == "string"
        return Value(None if plain(value) is None else str(plain(value)))

    @staticmethod
    def upper(value: Any) -> Value:
        return Value(None if plain(value) is None else plain(value).upper())

    @staticmethod
    def unix_millis(value: Any) -> Value:
        at: datetime | None = plain(value)
        return Value(None if at is None else round(at.timestamp() * 1000))
