"""Types of keys and values: from dataclasses, TypedDicts, DDL, Spark types and scalars."""

from __future__ import annotations

import base64
import dataclasses
import decimal
import math
import types
import typing
from collections.abc import Callable, Mapping
from datetime import date, datetime

from holdfast.documents import Json
from holdfast.errors import TypeDeclarationError
from holdfast.position import user_position
from holdfast.types.datatypes import (
    BINARY,
    BOOLEAN,
    DATE,
    DOUBLE,
    LONG,
    STRING,
    TIMESTAMP,
    Array,
    DataType,
    Decimal,
    Field,
    Map,
    Scalar,
    Struct,
)
from holdfast.types.ddl import parse_ddl
from holdfast.types.spark_json import from_json

SCALARS: Mapping[type, Scalar] = {
    int: LONG,
    float: DOUBLE,
    str: STRING,
    bool: BOOLEAN,
    bytes: BINARY,
    datetime: TIMESTAMP,
    date: DATE,
    decimal.Decimal: Decimal(38, 18),
}
_SUPPORTED = (
    "supported are int, float, str, bool, bytes, datetime, date, Decimal, list[...], dict[str, ...], "
    "a dataclass, a TypedDict, and each of them `| None`"
)
_MISSING = dataclasses.MISSING


def type_of(declared: object, where: str) -> DataType:
    """The type that `declared` stands for; `where` names it in errors.

    >>> type_of(list[int], "values")
    Array(element=Scalar(name='long'), contains_null=True)
    """
    try:
        return _type_of(declared, where)
    except TypeDeclarationError as error:
        raise TypeDeclarationError(error.message, at=user_position()) from None


def _type_of(declared: object, where: str) -> DataType:
    if isinstance(declared, DataType):
        return declared
    if isinstance(declared, str):
        return parse_ddl(declared, where)
    if isinstance(declared, SparkType) and not isinstance(declared, type):
        return from_json(declared.jsonValue())
    # A key or a value as a whole may be null in any case.
    return _annotation(_some(declared), where, ())


@typing.runtime_checkable
class SparkType(typing.Protocol):
    """A DataType of PySpark."""

    def jsonValue(self) -> object:
        """The type as Spark's JSON."""


def _annotation(declared: object, where: str, outer: tuple[type, ...]) -> DataType:
    if isinstance(declared, type):
        if declared in SCALARS:
            return SCALARS[declared]
        if dataclasses.is_dataclass(declared):
            return _record(declared, _dataclass_fields, where, outer)
        if typing.is_typeddict(declared):
            return _record(declared, _typed_dict_fields, where, outer)
    origin, arguments = typing.get_origin(declared), typing.get_args(declared)
    if origin is typing.Annotated:
        said = [each for each in arguments[1:] if isinstance(each, SparkType) and not isinstance(each, type)]
        return from_json(said[0].jsonValue()) if said else _annotation(arguments[0], where, outer)
    if origin is list:
        return Array(_annotation(_some(arguments[0]), where, outer))
    if origin is dict and arguments[0] is str:
        return Map(STRING, _annotation(_some(arguments[1]), where, outer))
    raise TypeDeclarationError(f"{where}: {_name(declared)} is not a type for a topic; {_SUPPORTED}")


Hints = Mapping[str, object]
FieldsOf = Callable[[type, Hints, tuple[type, ...]], list[Field]]


def _record(cls: type, fields_of: FieldsOf, where: str, outer: tuple[type, ...]) -> Struct:
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
    return Struct(fields)


def _dataclass_fields(cls: type, hints: Hints, outer: tuple[type, ...]) -> list[Field]:
    result = []
    for each in dataclasses.fields(cls):
        default = each.default if each.default_factory is _MISSING else each.default_factory()
        result.append(_field(cls, each.name, hints[each.name], default, required=default is _MISSING, outer=outer))
    return result


def _typed_dict_fields(cls: type, hints: Hints, outer: tuple[type, ...]) -> list[Field]:
    result = []
    required_keys: frozenset[str] = getattr(cls, "__required_keys__")  # noqa: B009
    for name, hint in hints.items():
        inner = typing.get_args(hint)[0] if typing.get_origin(hint) in (typing.Required, typing.NotRequired) else hint
        result.append(_field(cls, name, inner, _MISSING, required=name in required_keys, outer=outer))
    return result


def _field(cls: type, name: str, hint: object, default: object, *, required: bool, outer: tuple[type, ...]) -> Field:
    where = f"{cls.__name__}.{name}"
    some = _some(hint)
    type_, nullable = _annotation(some, where, outer), not required or some is not hint
    given = {} if default is _MISSING or default is None else {"default": plain_value(default, where)}
    return Field(name, type_, nullable, given)


def _some(hint: object) -> object:
    """`X` of `X | None`; anything else as it is."""
    if typing.get_origin(hint) in (typing.Union, types.UnionType):
        rest = [each for each in typing.get_args(hint) if each is not types.NoneType]
        if len(rest) == 1:
            return rest[0]
    return hint


def plain_value(value: object, where: str) -> Json:
    """`value` as JSON, in the encoding of topics."""
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, bytes):
        return base64.b64encode(value).decode()
    if isinstance(value, (datetime, date)):
        return value.isoformat().replace("+00:00", "Z")
    if isinstance(value, decimal.Decimal):
        number = float(value)
        return number if decimal.Decimal(repr(number)) == value else str(value)
    if isinstance(value, (list, tuple)):
        return [plain_value(each, where) for each in value]
    if isinstance(value, Mapping):
        return {str(name): plain_value(each, where) for name, each in value.items()}
    if dataclasses.is_dataclass(value):
        return {each.name: plain_value(getattr(value, each.name), where) for each in dataclasses.fields(value)}
    raise TypeDeclarationError(f"{where}: the default {value!r} cannot be written as JSON")


def _name(declared: object) -> str:
    return declared.__name__ if isinstance(declared, type) and not typing.get_args(declared) else str(declared)
