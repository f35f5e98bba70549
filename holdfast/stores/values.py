"""JSON as the changelog holds it, turned into Python values of a type, and back."""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Callable
from datetime import UTC, date, datetime
from decimal import Decimal
from enum import Enum
from typing import Any

import orjson

from holdfast.stores import types
from holdfast.stores.types import Type
from holdfast.topics.windowed import Windowed

Reader = Callable[[bytes], Any]
_PLAIN = {"byte", "short", "integer", "long", "string", "boolean", "null", "void"}
_OPTIONS = orjson.OPT_PASSTHROUGH_DATETIME | orjson.OPT_NON_STR_KEYS


def reader(of: Type) -> Reader:
    """A function from a value's JSON bytes to Python; plain types need nothing but the parser."""
    if _is_plain(of):
        return orjson.loads
    exact = has_decimal(of)
    return lambda data: from_json(of, json.loads(data, parse_float=Decimal) if exact else orjson.loads(data))


def loads(of: Type, data: bytes) -> Any:
    """Parsed JSON; where the type has decimals, with every digit."""
    try:
        return json.loads(data, parse_float=Decimal) if has_decimal(of) else orjson.loads(data)
    except (RecursionError, ArithmeticError):
        raise ValueError("the JSON is nested too deeply, or has a number with too large an exponent") from None


def from_json(of: Type, value: Any) -> Any:
    """A parsed JSON value as Python: timestamps become datetimes, binary becomes bytes."""
    if value is None:
        return None
    match types.kind(of):
        case "struct":
            return _record(of, value)
        case "array":
            return [from_json(of["elementType"], v) for v in _checked(of, value, list)]
        case "map":
            items = _checked(of, value, dict).items()
            return {_map_key(of["keyType"], k): from_json(of["valueType"], v) for k, v in items}
        case _:
            return _scalar(of, value)


def dumps(value: Any) -> bytes:
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


def unbase64(of: Type, text: str) -> bytes:
    """Bytes from base64 in either alphabet, padded or not."""
    try:
        return base64.b64decode(text.replace("-", "+").replace("_", "/") + "=" * (-len(text) % 4), validate=True)
    except (binascii.Error, ValueError):
        raise types.wrong(of, text) from None


def _record(of: Type, value: Any) -> dict[str, Any] | Windowed[Any]:
    fields = _checked(of, value, dict)
    found = {f["name"]: from_json(f["type"], fields.get(f["name"], types.default(f))) for f in of["fields"]}
    return Windowed(**found) if types.is_windowed(of) else found


def _scalar(of: Type, value: Any) -> Any:
    match types.kind(of):
        case "timestamp":
            return types.instant(of, value)
        case "timestamp_ntz":
            return types.local(of, value)
        case "date":
            return types.day(of, value)
        case "binary":
            return unbase64(of, _checked(of, value, str))
        case "decimal":
            return types.decimal(of, value)
        case "double" | "float":
            return _real(of, value)
        case "byte" | "short" | "integer" | "long":
            return types.integer(of, value)
        case "string":
            return _checked(of, value, str)
        case "boolean":
            return _checked(of, value, bool)
    return value


def _real(of: Type, value: Any) -> float:
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        raise types.wrong(of, value) from None


def _map_key(of: Type, key: str) -> Any:
    if of == "string":
        return key
    if types.kind(of) in types.WIDTHS:
        return int(key)
    if of == "boolean":
        return key == "true"
    return from_json(of, key)


def _checked(of: Type, value: Any, wanted: type) -> Any:
    if not isinstance(value, wanted):
        raise types.wrong(of, value)
    return value


def _is_plain(of: Type) -> bool:
    match types.kind(of):
        case "struct":
            return all(_is_plain(f["type"]) and types.default(f) is None for f in of["fields"])
        case "array":
            return _is_plain(of["elementType"])
        case "map":
            return of["keyType"] == "string" and _is_plain(of["valueType"])
        case name:
            return name in _PLAIN


def has_decimal(of: Type) -> bool:
    """Whether numbers of the type must keep every digit."""
    return "decimal" in json.dumps(of)


def _default(value: Any) -> Any:
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
    if hasattr(value, "__iter__"):  # a generator, a store's items()
        return dict(value.items()) if hasattr(value, "keys") else list(value)
    raise TypeError(f"{type(value).__name__} has no JSON form; return a dict, a list, a dataclass or a scalar")


def _with_text_keys(value: Any) -> Any:
    if isinstance(value, dict):
        return {_text_key(k): _with_text_keys(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [_with_text_keys(v) for v in value]
    return value


def _text_key(key: Any) -> Any:
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
