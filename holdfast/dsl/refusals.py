"""Operators and built-ins of Python that need a value: fields refuse them and say what to write instead."""

from __future__ import annotations

from typing import NoReturn

from holdfast.errors import ExpressionError
from holdfast.position import user_operation, user_position

_IN_PYTHON = "or run it in Python: hf.python(f, returns=...)"


def refuse(what: str, instead: str) -> NoReturn:
    """Raise the error that names what was tried and what to write instead."""
    raise ExpressionError(
        f"{what} cannot be used on a field: while the program is read it has no value yet; "
        f"write {instead}, {_IN_PYTHON}",
        at=user_position(),
    )


class Refusals:
    """The operations of Python that need a value."""

    __slots__ = ()

    def __bool__(self) -> NoReturn:
        if user_operation() == "CONTAINS_OP":
            refuse("`in`", "F.isin(x, a, b), F.array_contains(array, x)")
        refuse(
            "`and`, `or`, `not` and `if`", "`&`, `|`, `~` (each side in parentheses), F.when(condition, a).otherwise(b)"
        )

    def __contains__(self, item: object) -> NoReturn:
        refuse("`in`", "F.array_contains(array, x), F.contains(text, part), F.isin(x, a, b)")

    def __len__(self) -> NoReturn:
        refuse("`len`", "F.length(text), F.size(array)")

    def __iter__(self) -> NoReturn:
        refuse("`for` and unpacking", "F.transform(array, lambda x: ...), flat_map_values")

    def __str__(self) -> NoReturn:
        refuse("`str` and f-strings", 'F.cast(x, "string"), F.concat(a, b), F.format_string("%s", x)')

    def __format__(self, spec: str) -> NoReturn:
        refuse("f-strings and `format`", 'F.concat(a, b), F.format_string("%s", x)')

    def __int__(self) -> NoReturn:
        refuse("`int`", 'F.cast(x, "bigint")')

    def __float__(self) -> NoReturn:
        refuse("`float`", 'F.cast(x, "double")')

    def __index__(self) -> NoReturn:
        refuse("a position in a list or `range`", "F.element_at(array, x), F.sequence(a, b)")
