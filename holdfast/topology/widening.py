"""Which types hold all values of others; expr/Widening.java in the kernel has the same rules."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from holdfast.topics.serde import Serde
from holdfast.types import (
    BINARY,
    BYTE,
    DOUBLE,
    FLOAT,
    INTEGERS,
    SHORT,
    STRING,
    UNKNOWN,
    Array,
    DataType,
    Decimal,
    Field,
    Map,
    Scalar,
    Struct,
)

Paths = tuple[tuple[str, ...], ...]
"""Fields of a state, as paths of names; the empty path is the whole."""

_TEXT = (STRING, BINARY)
_SMALL = (BYTE, SHORT)


@dataclass(frozen=True)
class Mismatch:
    """A part of a type that another type cannot hold."""

    path: tuple[str, ...]
    made: DataType
    wanted: DataType

    @property
    def where(self) -> str:
        """In front of a sentence: which field it is about."""
        return f"field {'.'.join(self.path)!r}: " if self.path else ""


def mismatch(made: DataType, wanted: DataType, path: tuple[str, ...] = ()) -> Mismatch | None:
    """The first part of `made` that `wanted` cannot hold without losing something; unknown parts fit."""
    if not made.is_known or not wanted.is_known or made == wanted:
        return None
    match made, wanted:
        case Struct(), Struct():
            return _of_records(made, wanted, path)
        case Array(), Array():
            return mismatch(made.element, wanted.element, path)
        case Map(), Map():
            return mismatch(made.key, wanted.key, path) or mismatch(made.value, wanted.value, path)
        case Scalar(), Scalar() if _keeps(made, wanted):
            return None
    return Mismatch(path, made, wanted)


def written_mismatch(made: DataType, serde: Serde) -> Mismatch | None:
    """What of a value does not fit the type that a topic is declared with; anything can be written as text."""
    return None if serde.type in _TEXT else _unwritable(made, serde.type, ())


def _unwritable(made: DataType, wanted: DataType, path: tuple[str, ...]) -> Mismatch | None:
    """Records go by the names of their fields, and one that is not declared, or not made, does no harm."""
    if not isinstance(made, Struct) or not isinstance(wanted, Struct):
        return mismatch(made, wanted, path)
    both = [name for name in wanted.names if name in made.names]
    parts = (_unwritable(made.field(n), wanted.field(n), (*path, n)) for n in both)
    return next(filter(None, parts), None)


def _of_records(made: Struct, wanted: Struct, path: tuple[str, ...]) -> Mismatch | None:
    names = wanted.names
    if set(names) != set(made.names):
        return Mismatch(path, made, wanted)
    parts = (mismatch(made.field(n), wanted.field(n), (*path, n)) for n in names)
    return next(filter(None, parts), None)


def _keeps(made: Scalar, wanted: Scalar) -> bool:
    """Whether a cast of numbers gives the same or fails, but never drops a fraction or a digit."""
    if not made.is_number or not wanted.is_number:
        return False
    if wanted == DOUBLE:
        return True
    if wanted == FLOAT:
        return made in _SMALL
    return made.is_integer or (isinstance(made, Decimal) and made.scale <= _scale(wanted))


def _scale(of: Scalar) -> int:
    return of.scale if isinstance(of, Decimal) else 0


def common_type(one: DataType, other: DataType) -> DataType:
    """The type of numbers that holds both, unknown if only Spark knows or there is none."""
    if one == other:
        return one
    if isinstance(one, Scalar) and isinstance(other, Scalar):
        if one.is_integer and other.is_integer:
            return max(one, other, key=INTEGERS.index)
        if DOUBLE in (one, other) and one.is_number and other.is_number:
            return DOUBLE
    return UNKNOWN


def widen(state: DataType, made: DataType, declared: Paths, path: tuple[str, ...] = ()) -> DataType:
    """The state's type with the parts wider that a function makes wider; declared parts stay as they are."""
    if path in declared or not state.is_known or not made.is_known:
        return state
    if isinstance(state, Struct) and isinstance(made, Struct):
        return Struct(_widened_field(each, made, declared, path) for each in state.fields)
    if isinstance(state, Array) and isinstance(made, Array):
        return replace(state, element=widen(state.element, made.element, declared, (*path, "[]")))
    found = common_type(state, made)
    return found if found.is_known else state


def _widened_field(field: Field, made: Struct, declared: Paths, path: tuple[str, ...]) -> Field:
    type_ = made.get(field.name)
    if type_ is None:
        return field
    return replace(field, type=widen(field.type, type_, declared, (*path, field.name)))


def certain_type(state: DataType, made: Iterable[DataType], declared: Paths) -> DataType:
    """The state's type as far as it is sure: a number may become wider where only Spark knows what is made of it."""
    for each in made:
        state = _certain_part(state, each, declared, ())
    return state


def _certain_part(state: DataType, made: DataType, declared: Paths, path: tuple[str, ...]) -> DataType:
    if path in declared or not state.is_known:
        return state
    if isinstance(state, Struct):
        inner = {each.name: each.type for each in made.fields} if isinstance(made, Struct) else {}
        return Struct(
            replace(each, type=_certain_part(each.type, inner.get(each.name, UNKNOWN), declared, (*path, each.name)))
            for each in state.fields
        )
    if isinstance(state, Array):
        element = made.element if isinstance(made, Array) else UNKNOWN
        return replace(state, element=_certain_part(state.element, element, declared, (*path, "[]")))
    sure = not state.is_number or (made.is_known and (state == made or common_type(state, made) == state))
    return state if sure or state == DOUBLE else UNKNOWN
