"""JSON as the changelog holds it, turned into Python values of a type, and back."""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Callable, Iterable
from datetime import UTC, date, datetime
from decimal import Decimal
from enum import Enum
from typing import TypeVar

import orjson

from holdfast.stores import types
from holdfast.topics.windowed import Windowed, is_windowed
from holdfast.types import BOOLEAN, STRING, TIMESTAMP, Array, DataType, Map, Scalar, Struct, TypeVisitor
from holdfast.types import Decimal as DecimalType
from holdfast.types.comparing import has_decimal

Reader = Callable[[bytes], object]
Convert = Callable[[object], object]
"""What a parsed JSON value is in Python."""
T = TypeVar("T")
_PLAIN = {"byte", "short", "integer", "long", "string", "boolean", "null", "void"}
_OPTIONS = orjson.OPT_PASSTHROUGH_DATETIME | orjson.OPT_NON_STR_KEYS


def reader(of: DataType) -> Reader:
    """A function from a value's JSON bytes to Python; plain types need nothing but the parser."""
    if _IsPlain().visit(of):
        return orjson.loads
    convert = converter(of)
    if has_decimal(of):
        return lambda data: convert(json.loads(data, parse_float=Decimal))
    return lambda data: convert(orjson.loads(data))


def parser(of: DataType) -> Reader:
    """A function that parses JSON; where the type has decimals, with every digit."""
    exact = has_decimal(of)

    def parse(data: bytes) -> object:
        try:
            return json.loads(data, parse_float=Decimal) if exact else orjson.loads(data)
        except (RecursionError, ArithmeticError):
            raise ValueError("the JSON is nested too deeply, or has a number with too large an exponent") from None

    return parse


def converter(of: DataType) -> Convert:
    """A function from a parsed JSON value to Python: timestamps become datetimes, binary becomes bytes."""
    return _Convert().visit(of)


def dumps(value: object) -> bytes:
    """JSON bytes of any answer: datetimes, decimals, bytes, dataclasses, and keys that are no text."""
    try:
        return orjson.dumps(value, _default, _OPTIONS)
    except TypeError:
        return orjson.dumps(_with_text_keys(value), _default, _OPTIONS)


def iso(moment: datetime) -> str:
    """ISO 8601 in UTC with `Z`, the fraction only where there is one; a naive datetime stays without a zone."""
    aware = moment.tzinfo is not None
    plain = moment.astimezone(UTC).replace(tzinfo=None) if aware else moment
    text = plain.isoformat(timespec="seconds")
    if plain.microsecond:
        text += f".{plain.microsecond // 1000:03d}" if plain.microsecond % 1000 == 0 else f".{plain.microsecond:06d}"
    return text + ("Z" if aware else "")


def unbase64(of: DataType, text: str) -> bytes:
    """Bytes from base64 in either alphabet, padded or not."""
    try:
        return base64.b64decode(text.replace("-", "+").replace("_", "/") + "=" * (-len(text) % 4), validate=True)
    except (binascii.Error, ValueError):
        raise types.wrong(of, text) from None


class _Convert(TypeVisitor[Convert]):
    """A function that makes values of a type of parsed JSON; made once for a type."""

    def visit(self, of: DataType) -> Convert:
        """Nothing becomes of null."""
        convert: Convert = of.accept(self)
        return lambda value: None if value is None else convert(value)

    def scalar(self, of: Scalar) -> Convert:
        make = types.integer if of.is_integer else _SCALARS.get(of.name)
        return self.other(of) if make is None else lambda value: make(of, value)

    def decimal(self, of: DecimalType) -> Convert:
        return lambda value: types.decimal(of, value)

    def array(self, of: Array) -> Convert:
        element = self.visit(of.element)
        return lambda value: [element(each) for each in _checked(of, value, list)]

    def map(self, of: Map) -> Convert:
        key, each = _map_key(of.key), self.visit(of.value)
        return lambda value: {key(k): each(v) for k, v in _checked(of, value, dict).items()}

    def struct(self, of: Struct) -> Convert:
        if is_windowed(of):
            return self._windowed(of)
        parts = [(each.name, each.default, self.visit(each.type)) for each in of.fields]

        def convert(value: object) -> dict[str, object]:
            fields = _checked(of, value, dict)
            return {name: part(fields.get(name, default)) for name, default, part in parts}

        return convert

    def _windowed(self, of: Struct) -> Convert:
        key = self.visit(of.field("key"))

        def convert(value: object) -> Windowed[object]:
            fields = _checked(of, value, dict)
            start, end = (types.instant(TIMESTAMP, fields.get(name)) for name in ("start", "end"))
            return Windowed(key(fields.get("key")), start, end)

        return convert

    def other(self, of: DataType) -> Convert:
        return lambda value: value


def _real(of: Scalar, value: object) -> float:
    if not isinstance(value, int | float | str | Decimal):
        raise types.wrong(of, value)
    try:
        return float(value)
    except (ValueError, OverflowError):
        raise types.wrong(of, value) from None


_SCALARS: dict[str, Callable[[Scalar, object], object]] = {
    "timestamp": types.instant,
    "timestamp_ntz": types.local,
    "date": types.day,
    "binary": lambda of, value: unbase64(of, _checked(of, value, str)),
    "double": _real,
    "float": _real,
    "string": lambda of, value: _checked(of, value, str),
    "boolean": lambda of, value: _checked(of, value, bool),
}


def _map_key(of: DataType) -> Callable[[str], object]:
    if of == STRING:
        return str
    if of.is_integer:
        return int
    if of == BOOLEAN:
        return lambda key: key == "true"
    return _Convert().visit(of)


def _checked(of: DataType, value: object, wanted: type[T]) -> T:
    if not isinstance(value, wanted):
        raise types.wrong(of, value)
    return value


class _IsPlain(TypeVisitor[bool]):
    def scalar(self, of: Scalar) -> bool:
        return of.name in _PLAIN

    def array(self, of: Array) -> bool:
        return self.visit(of.element)

    def map(self, of: Map) -> bool:
        return of.key == STRING and self.visit(of.value)

    def struct(self, of: Struct) -> bool:
        return all(self.visit(each.type) and each.default is None for each in of.fields)

    def other(self, of: DataType) -> bool:
        return False


def _default(value: object) -> object:
    match value:
        case Windowed():
            return value.to_json()
        case datetime():
            return iso(value)
        case date():
            return value.isoformat()
        case Decimal():
            return orjson.Fragment(format(value, "f")) if value.is_finite() else str(value)
        case bytes() | bytearray() | memoryview():
            return base64.b64encode(value).decode()
        case set() | frozenset():
            return list(value)
    if isinstance(value, Iterable):  # a generator, a store's items()
        return dict(value.items()) if hasattr(value, "items") else list(value)
    raise TypeError(f"{type(value).__name__} has no JSON form; return a dict, a list, a dataclass or a scalar")


def _with_text_keys(value: object) -> object:
    if isinstance(value, dict):
        return {_text_key(k): _with_text_keys(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [_with_text_keys(v) for v in value]
    return value


def _text_key(key: object) -> object:
    match key:
        case datetime():
            return iso(key)
        case Enum() | str() | int() | float() | None | date():
            return key
        case Decimal():
            return format(key, "f")
        case bytes():
            return base64.b64encode(key).decode()
        case _:
            return orjson.dumps(key, _default, _OPTIONS).decode()
