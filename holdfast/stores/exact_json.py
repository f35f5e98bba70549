"""JSON of which nothing is lost on the way through Python: every digit of a number, and numbers that are not finite."""

from __future__ import annotations

import dataclasses
import json
import math
from typing import Any, NoReturn

import orjson

from holdfast.stores import values

_LARGEST, _SMALLEST = 2**64 - 1, -(2**63)  # what orjson writes


class ExactFloat(float):
    """A float that knows how it was written, so that it is written so again."""

    text: str

    def __new__(cls, text: str) -> ExactFloat:
        """The nearest float, and the text."""
        made = super().__new__(cls, text)
        made.text = text
        return made


def loads(data: bytes | str) -> Any:  # as of json.loads: who wrote it decides
    """Parse JSON; numbers with a fraction are floats that keep their digits, whole ones are as long as they are.

    >>> loads("1.00000000000000000001")
    1.0
    >>> dumps({"price": loads("1.00000000000000000001")})
    b'{"price":1.00000000000000000001}'
    """
    try:
        return json.loads(data, parse_float=ExactFloat, parse_constant=_refused)
    except RecursionError:
        raise ValueError("the JSON is nested too deeply") from None


def dumps(value: object) -> bytes:
    """JSON of a value as topics hold it: with every digit, and NaN and the infinities as text.

    >>> dumps([10**20, float("nan"), float("-inf")])
    b'[100000000000000000000,"NaN","-Infinity"]'
    """
    return values.dumps(_plain(value))


def indented(value: object) -> str:
    """The same of what `loads` gave, in lines for people."""
    return orjson.dumps(_plain(value), option=orjson.OPT_INDENT_2).decode()


def _plain(value: object) -> object:
    match value:
        case ExactFloat():
            return orjson.Fragment(value.text)
        case float() if not math.isfinite(value):
            return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
        case int() if not _SMALLEST <= value <= _LARGEST:
            return orjson.Fragment(str(value))
        case dict():
            return {key: _plain(each) for key, each in value.items()}
        case list() | tuple() | set() | frozenset():
            return [_plain(each) for each in value]
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: _plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
    return value


def _refused(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON; write it in quotes")
