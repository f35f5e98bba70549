"""Bodies of an app's own routes: JSON that is checked against the annotation of a parameter."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import MISSING, fields, is_dataclass
from decimal import Decimal

import msgspec
from msgspec import inspect

from holdfast.errors import HoldfastError
from holdfast.stores.types import WrongType, is_short, shown

_DEPTH = 200
_TOKENS = re.compile(rb'"(?:[^"\\]|\\.)*"|[\[\]{}]|(?<![0-9.eE+-])-?[0-9]{19,}[0-9.eE+-]*')
_LONGS = range(-(2**63), 2**63)
_RECORDS = (inspect.DataclassType, inspect.TypedDictType, inspect.StructType)


class JsonBody:
    """Reads the bodies of one route: dataclasses, typed dicts, lists and dicts of them, or any JSON.

    >>> JsonBody("numbers", list[int], "here").read(b"[1, 2]")
    [1, 2]
    """

    def __init__(self, name: str, wanted: object, at: str) -> None:
        try:
            msgspec.json.schema_components([wanted])  # which refuses types that JSON knows nothing of
            self._type = inspect.type_info(wanted)
            self._decoder: msgspec.json.Decoder[object] = msgspec.json.Decoder(wanted)
        except (TypeError, NameError) as error:
            reason = str(error).splitlines()[-1]
            raise HoldfastError(f"parameter {name!r}: {wanted!r} cannot be read from JSON: {reason}", at=at) from None

    def read(self, body: bytes) -> object:
        """The value that a body stands for."""
        _check_tokens(body)
        try:
            value = self._decoder.decode(body)
            _check(self._type, msgspec.json.decode(body), "$")
        except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError) as error:
            raise WrongType(
                f"{error}" if isinstance(error, msgspec.ValidationError) else f"wanted JSON; {error}"
            ) from None
        _set_defaults(value)
        return value


def is_record(wanted: object) -> bool:
    """Whether an annotation stands for JSON objects with fields, or for a list or a dict of anything."""
    try:
        found = inspect.type_info(wanted)
    except (TypeError, NameError):
        return False
    kinds = found.types if isinstance(found, inspect.UnionType) else (found,)
    return any(
        isinstance(each, (*_RECORDS, inspect.DictType))
        or (isinstance(each, inspect.ListType) and isinstance(each.item_type, _RECORDS))
        for each in kinds
    )


def _check_tokens(body: bytes) -> None:
    """Refuse what could be read, and not be written as JSON again: deep nesting, and whole numbers beyond 64 bits."""
    depth = 0
    for token in _TOKENS.findall(body):
        depth += {b"[": 1, b"{": 1, b"]": -1, b"}": -1}.get(token, 0)
        if depth > _DEPTH:
            raise WrongType(f"wanted JSON that is nested at most {_DEPTH} deep")
        if token.lstrip(b"-").isdigit() and (len(token) > 20 or int(token) not in _LONGS):
            raise WrongType(f"wanted whole numbers of at most 64 bits; got {token[:40].decode()}…")


def _check(wanted: inspect.Type, given: object, path: str) -> None:
    """Refuse fields that a record does not have, which the decoder passes over, and decimals that fill the memory."""
    match wanted, given:
        case (inspect.DataclassType() | inspect.TypedDictType() | inspect.StructType(), dict()):
            known = {field.encode_name: field.type for field in wanted.fields}
            if unknown := given.keys() - known:
                raise WrongType(f"unknown field {shown(min(unknown))} - at `{path}`; there are {', '.join(known)}")
            _check_all((known[name], each, f"{path}.{name}") for name, each in given.items())
        case (inspect.DictType(), dict()):
            _check_all((wanted.value_type, each, f"{path}[…]") for each in given.values())
        case (inspect.ListType() | inspect.SetType() | inspect.VarTupleType(), list()):
            _check_all((wanted.item_type, each, f"{path}[{n}]") for n, each in enumerate(given))
        case (inspect.TupleType() | inspect.NamedTupleType(), list()):
            types = wanted.item_types if isinstance(wanted, inspect.TupleType) else [f.type for f in wanted.fields]
            _check_all((of, each, f"{path}[{n}]") for n, (of, each) in enumerate(zip(types, given, strict=False)))
        case (inspect.UnionType(), _):
            _check_all((each, given, path) for each in wanted.types)
        case (inspect.DecimalType(), str() | int()):
            number = Decimal(given)
            if number.is_finite() and not is_short(number):
                raise WrongType(f"wanted a decimal number of at most 200 digits - at `{path}`")


def _set_defaults(value: object) -> None:
    """Set the fields that a body left out: msgspec leaves them to the class, where vars() and orjson do not look."""
    if isinstance(value, dict | list | tuple | set | frozenset):
        for each in value.values() if isinstance(value, dict) else value:
            _set_defaults(each)
    elif is_dataclass(value) and hasattr(value, "__dict__"):
        for each in fields(value):
            if each.name not in value.__dict__ and each.default is not MISSING:
                object.__setattr__(value, each.name, each.default)
            _set_defaults(value.__dict__.get(each.name))


def _check_all(found: Iterable[tuple[inspect.Type, object, str]]) -> None:
    for wanted, given, path in found:
        _check(wanted, given, path)
