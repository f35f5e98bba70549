"""Values of a state as JSON, and back: what a document may hold, in the encoding of topics."""

from __future__ import annotations

import base64
import dataclasses
import math
from collections.abc import Callable
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import orjson

from holdfast.documents import Document, Json
from holdfast.types import Array, DataType, Map, Scalar, Struct, TypeVisitor
from holdfast.types import Decimal as DecimalType
from holdfast.types.value_classes import ITEM, Classes, defaults_of
from holdfast.workers.codec.column_encoder import WrongType

JsonPart = Json | orjson.Fragment
"""What JSON has, or a decimal as it is written there."""

Encode = Callable[[object, str], JsonPart]
Decode = Callable[[Any], object]  # what JSON has for one type: who has the decoder knows which


@dataclasses.dataclass(frozen=True)
class FieldCodec:
    """A field of a record, with what is done to its values; `decode` is None where they are JSON already."""

    name: str
    nullable: bool
    encode: Encode
    decode: Decode | None
    missing: Callable[[], object]


def json_encoder(type_: DataType, classes: Classes) -> Encode:
    """How a value becomes what JSON has; a wrong one is refused with its path.

    >>> from holdfast.types import LONG
    >>> json_encoder(LONG, Classes())(5, "state.n")
    5
    """
    return _Encoder(classes).visit(type_)


@dataclasses.dataclass(frozen=True)
class _Encoder(TypeVisitor[Encode]):
    classes: Classes

    def scalar(self, of: Scalar) -> Encode:
        return _integer(1 << (of.bits - 1)) if of.is_integer else _SCALARS[of.name][0]

    def decimal(self, of: DecimalType) -> Encode:
        return _decimal

    def array(self, of: Array) -> Encode:
        return _list(json_encoder(of.element, self.classes.part(ITEM)))

    def map(self, of: Map) -> Encode:
        return _map(json_encoder(of.value, self.classes.part(ITEM)))

    def struct(self, of: Struct) -> Encode:
        return _record(fields_of(of, self.classes), self.classes.cls)


def json_decoder(type_: DataType, classes: Classes) -> Decode | None:
    """How a value is made of what JSON had; None if it is the same."""
    return _Decoder(classes).visit(type_)


@dataclasses.dataclass(frozen=True)
class _Decoder(TypeVisitor[Decode | None]):
    classes: Classes

    def scalar(self, of: Scalar) -> Decode | None:
        return _SCALARS.get(of.name, (None, None))[1]

    def decimal(self, of: DecimalType) -> Decode | None:
        return Decimal

    def array(self, of: Array) -> Decode | None:
        each = json_decoder(of.element, self.classes.part(ITEM))
        return each and _all(each, listed=True)

    def map(self, of: Map) -> Decode | None:
        each = json_decoder(of.value, self.classes.part(ITEM))
        return each and _all(each, listed=False)

    def struct(self, of: Struct) -> Decode | None:
        return struct_decoder(fields_of(of, self.classes), self.classes.cls)


def _all(each: Decode, *, listed: bool) -> Decode:
    if listed:
        return lambda items: [None if one is None else each(one) for one in items]
    return lambda items: {key: None if one is None else each(one) for key, one in items.items()}


def fields_of(type_: Struct, classes: Classes) -> list[FieldCodec]:
    """The fields of a record, by its type and, if it has one, its class."""
    own = defaults_of(classes.cls)
    made = []
    for each in type_.fields:
        name, inner = each.name, classes.part(each.name)
        encode, decode = json_encoder(each.type, inner), json_decoder(each.type, inner)
        made.append(FieldCodec(name, each.nullable, encode, decode, own.get(name, _nothing)))
    return made


def struct_decoder(fields: list[FieldCodec], cls: type | None) -> Decode:
    """How a record is made of an object of JSON's; fields that it lacks get their defaults."""
    names = [each.name for each in fields]
    busy = [(each.name, each.decode) for each in fields if each.decode is not None]
    new = object.__new__

    def values(found: Document) -> dict[str, object]:
        lacking = [each for each in fields if each.name not in found]
        for name, decode in busy:
            if found.get(name) is not None:
                found[name] = decode(found[name])
        for each in lacking:
            found[each.name] = each.missing()
        return {name: found[name] for name in names}

    if cls is None:
        return values

    def restored(found: Document) -> object:
        made: object = new(cls)
        if busy or [*found] != names:
            found = values(found)
        made.__dict__.update(found)
        return made

    def assigned(found: Document) -> object:
        made: object = new(cls)
        for name, value in values(found).items():
            object.__setattr__(made, name, value)
        return made

    return assigned if hasattr(cls, "__slots__") else restored


def wrong(path: str, wanted: str, value: object) -> WrongType:
    """What to say of a value of the wrong type."""
    return WrongType(f"{path}: {wanted} was wanted, {value!r} ({type(value).__name__}) came")


def _nothing() -> None:
    return None


def _record(fields: list[FieldCodec], cls: type | None) -> Encode:
    kind: type[Any] = cls or dict
    names = {each.name for each in fields}

    def encode(value: Any, path: str) -> JsonPart:  # a dict, or an instance whose fields are those of the program
        if type(value) is not kind:
            raise wrong(path, kind.__name__, value)
        unknown = (value if cls is None else getattr(value, "__dict__", {})).keys() - names
        if unknown:
            has = ", ".join(sorted(names))
            raise WrongType(f"{path} has no field {min(unknown)!r}, which would be lost; it has {has}")
        out = {}
        for each in fields:
            one = value.get(each.name) if cls is None else getattr(value, each.name)
            if one is None and not each.nullable:
                raise wrong(f"{path}.{each.name}", "a value", one)
            out[each.name] = None if one is None else each.encode(one, f"{path}.{each.name}")
        return out

    return encode


def _list(item: Encode) -> Encode:
    def encode(value: object, path: str) -> JsonPart:
        if type(value) is not list:
            raise wrong(path, "list", value)
        return [None if each is None else item(each, path) for each in value]

    return encode


def _map(item: Encode) -> Encode:
    def encode(value: object, path: str) -> JsonPart:
        if type(value) is not dict:
            raise wrong(path, "dict", value)
        for key in value:
            if type(key) is not str:
                raise wrong(f"{path}: a key", "str", key)
        return {key: None if each is None else item(each, path) for key, each in value.items()}

    return encode


def _integer(most: int) -> Encode:
    def encode(value: object, path: str) -> int:
        if type(value) is not int:
            raise wrong(path, "int", value)
        if not -most <= value < most:
            raise WrongType(f"{path}: {value} does not fit {most.bit_length()} bits")
        return value

    return encode


def _number(value: object, path: str) -> float | str:
    if not isinstance(value, (float, int)) or isinstance(value, bool):
        raise wrong(path, "float", value)
    if math.isfinite(value):
        return float(value)
    return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"


def _exactly(kind: type[str] | type[bool]) -> Encode:
    def encode(value: object, path: str) -> JsonPart:
        if type(value) is not kind:
            raise wrong(path, kind.__name__, value)
        return value

    return encode


def _decimal(value: object, path: str) -> orjson.Fragment:
    if not isinstance(value, (Decimal, int)) or isinstance(value, bool) or not Decimal(value).is_finite():
        raise wrong(path, "Decimal", value)
    return orjson.Fragment(format(Decimal(value), "f").encode())


def _bytes(value: object, path: str) -> str:
    if type(value) is not bytes:
        raise wrong(path, "bytes", value)
    return base64.b64encode(value).decode()


def _timestamp(value: object, path: str) -> str:
    if not isinstance(value, datetime):
        raise wrong(path, "datetime", value)
    if value.tzinfo is None:
        raise WrongType(f"{path}: the datetime {value} has no time zone; add one: tzinfo=timezone.utc")
    fraction = "auto" if value.microsecond % 1000 or not value.microsecond else "milliseconds"
    return value.astimezone(UTC).replace(tzinfo=None).isoformat(timespec=fraction) + "Z"


def _date(value: object, path: str) -> str:
    if type(value) is not date:
        raise wrong(path, "date", value)
    return value.isoformat()


_SCALARS: dict[str, tuple[Encode, Decode | None]] = {
    "string": (_exactly(str), None),
    "boolean": (_exactly(bool), None),
    "float": (_number, float),
    "double": (_number, float),
    "binary": (_bytes, base64.b64decode),
    "timestamp": (_timestamp, datetime.fromisoformat),
    "date": (_date, date.fromisoformat),
}
