"""What may be a state: a dataclass that can be made without arguments, or several values by name."""

from __future__ import annotations

import dataclasses
import types
import typing
from collections.abc import Callable, Mapping

from holdfast.errors import ExpressionError
from holdfast.types import Array, DataType, Field, Map, Struct

_EMPTY: Mapping[object, Callable[[], object]] = {int: int, float: float, str: str, bool: bool, bytes: bytes}
_WAYS = (
    "give a dataclass whose fields have defaults, or several values by name: "
    'state={"visits": Visits, "seen": list[str]}'
)


def checked_state(state: object, where: str, at: str) -> tuple[type, bool]:
    """The class of the states, and whether its fields are states of their own."""
    if isinstance(state, Mapping):
        return _several(state, where, at), True
    if not isinstance(state, type) or not dataclasses.is_dataclass(state):
        raise ExpressionError(f"{where}: state={_name(state)} is not a dataclass; {_WAYS}", at=at)
    _want_fresh(state, where, at)
    return state, False


def _several(states: Mapping[str, object], where: str, at: str) -> type:
    """A class with a field for each state; one that is None gets its first value again."""
    wrong = [name for name in states if not isinstance(name, str) or not name.isidentifier()]
    if wrong or not states:
        raise ExpressionError(f"{where}: state={states!r}: names were wanted that can be attributes; {_WAYS}", at=at)
    fields = []
    for name, kind in states.items():
        fresh = _fresh(kind)
        if isinstance(kind, type) and dataclasses.is_dataclass(kind):
            _want_fresh(kind, where, at)
        fields.append((name, typing.Optional[kind], dataclasses.field(default_factory=fresh)))  # noqa: UP045
    return dataclasses.make_dataclass("State", fields)


def _fresh(kind: object) -> Callable[[], object]:
    """The first value of a state: nothing, zero or empty."""
    origin = typing.get_origin(kind)
    if origin is list or origin is dict:
        return origin
    if isinstance(kind, type) and dataclasses.is_dataclass(kind):
        return kind
    return _EMPTY.get(kind, types.NoneType)


def _want_fresh(state: type, where: str, at: str) -> None:
    try:
        state()
    except Exception as error:
        raise ExpressionError(
            f"{where}: the first state of a key is {state.__name__}(), which fails: {error}; give each field a default",
            at=at,
        ) from None
    if any(not each.init for each in dataclasses.fields(state)):
        raise ExpressionError(
            f"{where}: {state.__name__} has a field with init=False; a state has only plain fields", at=at
        )


def with_declared_nulls(type_: DataType, hint: object) -> DataType:
    """The type of a state in which only fields with an optional annotation may be null."""
    arguments = typing.get_args(some(hint))
    if isinstance(type_, Array):
        return dataclasses.replace(type_, element=with_declared_nulls(type_.element, arguments[0]))
    if isinstance(type_, Map):
        return dataclasses.replace(type_, value=with_declared_nulls(type_.value, arguments[1]))
    if not isinstance(type_, Struct):
        return type_
    hints = typing.get_type_hints(some(hint))
    return Struct(_with_declared_null(each, hints[each.name]) for each in type_.fields)


def _with_declared_null(field: Field, hint: object) -> Field:
    return dataclasses.replace(field, type=with_declared_nulls(field.type, hint), nullable=some(hint) is not hint)


def some(hint: object) -> object:
    """`X` of `X | None`; anything else as it is."""
    if typing.get_origin(hint) in (typing.Union, types.UnionType):
        rest = [each for each in typing.get_args(hint) if each is not types.NoneType]
        return rest[0] if len(rest) == 1 else hint
    return hint


def _name(state: object) -> str:
    return state.__name__ if isinstance(state, type) and not typing.get_args(state) else repr(state)
