"""Types of keys and values, as Spark's JSON: from dataclasses, TypedDicts, DDL, Spark types and scalars."""

from __future__ import annotations

import base64
import dataclasses
import math
import types
import typing
from collections.abc import Mapping
from datetime import date, datetime
from decimal import Decimal
from typing import Any

from holdfast.errors import TypeDeclarationError
from holdfast.position import user_position
from holdfast.topics.ddl import parse_ddl

T = Any
"""A type as Spark's JSON: "long", {"type": "struct", ...}; None where only Spark can tell."""

SCALARS: Mapping[Any, str] = {
    int: "long",
    float: "double",
    str: "string",
    bool: "boolean",
    bytes: "binary",
    datetime: "timestamp",
    date: "date",
    Decimal: "decimal(38,18)",
}
_SUPPORTED = (
    "supported are int, float, str, bool, bytes, datetime, date, Decimal, list[...], dict[str, ...], "
    "a dataclass, a TypedDict, and each of them `| None`"
)
_MISSING = dataclasses.MISSING


def type_of(declared: Any, where: str) -> T:
    """The type that `declared` stands for; `where` names it in errors.

    >>> type_of(list[int], "values")
    {'type': 'array', 'elementType': 'long', 'containsNull': True}
    """
    try:
        return _type_of(declared, where)
    except TypeDeclarationError as error:
        raise TypeDeclarationError(error.message, at=user_position()) from None


def _type_of(declared: Any, where: str) -> T:
    if isinstance(declared, str):
        return parse_ddl(declared, where)
    if _is_spark_type(declared):
        return declared.jsonValue()
    # A key or a value as a whole may be null in any case.
    return _annotation(_some(declared), where, ())


def _is_spark_type(declared: Any) -> bool:
    return not isinstance(declared, type) and hasattr(declared, "jsonValue")


def struct(fields: list[dict[str, Any]]) -> T:
    """A record type."""
    return {"type": "struct", "fields": fields}


def field(name: str, type_: T, *, nullable: bool = True) -> dict[str, Any]:
    """A field of a record type."""
    return {"name": name, "type": type_, "nullable": nullable, "metadata": {}}


def _annotation(declared: Any, where: str, outer: tuple[type, ...]) -> T:
    if isinstance(declared, type) and declared in SCALARS:
        return SCALARS[declared]
    if isinstance(declared, type) and dataclasses.is_dataclass(declared):
        return _record(declared, _dataclass_fields, where, outer)
    if typing.is_typeddict(declared):
        return _record(declared, _typed_dict_fields, where, outer)
    origin, arguments = typing.get_origin(declared), typing.get_args(declared)
    if origin is typing.Annotated:
        said = [each.jsonValue() for each in arguments[1:] if _is_spark_type(each)]
        return said[0] if said else _annotation(arguments[0], where, outer)
    if origin is list:
        return {"type": "array", "elementType": _annotation(_some(arguments[0]), where, outer), "containsNull": True}
    if origin is dict and arguments[0] is str:
        value = _annotation(_some(arguments[1]), where, outer)
        return {"type": "map", "keyType": "string", "valueType": value, "valueContainsNull": True}
    raise TypeDeclarationError(f"{where}: {_name(declared)} is not a type for a topic; {_SUPPORTED}")


def _record(cls: Any, fields_of: Any, where: str, outer: tuple[type, ...]) -> T:
    if cls in outer:
        raise TypeDeclarationError(f"{where}: {cls.__name__} contains itself; a type of a topic has a fixed depth")
    try:
        hints = typing.get_type_hints(cls, include_extras=True)
    except NameError as error:
        raise TypeDeclarationError(
            f"{where}: {cls.__name__}: {error}; define that class at the top of a module, before {cls.__name__} is used"
        ) from None
    fields = fields_of(cls, hints, (*outer, cls))
    if not fields:
        raise TypeDeclarationError(f"{where}: {cls.__name__} has no fields")
    return struct(fields)


def _dataclass_fields(cls: Any, hints: Mapping[str, Any], outer: tuple[type, ...]) -> list[dict[str, Any]]:
    result = []
    for each in dataclasses.fields(cls):
        default = each.default if each.default_factory is _MISSING else each.default_factory()
        result.append(_field(cls, each.name, hints[each.name], default, required=default is _MISSING, outer=outer))
    return result


def _typed_dict_fields(cls: Any, hints: Mapping[str, Any], outer: tuple[type, ...]) -> list[dict[str, Any]]:
    result = []
    for name, hint in hints.items():
        inner = typing.get_args(hint)[0] if typing.get_origin(hint) in (typing.Required, typing.NotRequired) else hint
        required = name in cls.__required_keys__
        result.append(_field(cls, name, inner, _MISSING, required=required, outer=outer))
    return result


def _field(cls: Any, name: str, hint: Any, default: Any, *, required: bool, outer: tuple[type, ...]) -> dict[str, Any]:
    where = f"{cls.__name__}.{name}"
    some = _some(hint)
    made = field(name, _annotation(some, where, outer), nullable=not required or some is not hint)
    if default is not _MISSING and default is not None:
        made["metadata"] = {"default": plain_value(default, where)}
    return made


def _some(hint: Any) -> Any:
    """`X` of `X | None`; anything else as it is."""
    if typing.get_origin(hint) in (typing.Union, types.UnionType):
        rest = [each for each in typing.get_args(hint) if each is not types.NoneType]
        if len(rest) == 1:
            return rest[0]
    return hint


def plain_value(value: Any, where: str) -> Any:
    """`value` as JSON, in the encoding of topics."""
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, bytes):
        return base64.b64encode(value).decode()
    if isinstance(value, (datetime, date)):
        return value.isoformat().replace("+00:00", "Z")
    if isinstance(value, Decimal):
        number = float(value)
        return number if Decimal(repr(number)) == value else str(value)
    if isinstance(value, (list, tuple)):
        return [plain_value(each, where) for each in value]
    if isinstance(value, Mapping):
        return {str(name): plain_value(each, where) for name, each in value.items()}
    if dataclasses.is_dataclass(value):
        return {each.name: plain_value(getattr(value, each.name), where) for each in dataclasses.fields(value)}
    raise TypeDeclarationError(f"{where}: the default {value!r} cannot be written as JSON")


def _name(declared: Any) -> str:
    return declared.__name__ if isinstance(declared, type) and not typing.get_args(declared) else str(declared)
