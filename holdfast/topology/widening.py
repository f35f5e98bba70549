"""Which types hold the values of others; what only Spark can tell, the kernel checks in the same way."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from holdfast.topics.serde import Serde
from holdfast.topics.types import T
from holdfast.topology import shapes

Paths = tuple[tuple[str, ...], ...]
"""Fields of a state, as paths of names; the empty path is the whole."""

_DECIMAL = re.compile(r"decimal\((\d+), ?(\d+)\)")
_TEXT = ("string", "binary")
_SMALL = ("byte", "short")


@dataclass(frozen=True)
class Mismatch:
    """A part of a type that another type cannot hold."""

    path: tuple[str, ...]
    made: T
    wanted: T

    @property
    def where(self) -> str:
        """In front of a sentence: which field it is about."""
        return f"field {'.'.join(self.path)!r}: " if self.path else ""


def mismatch(made: T, wanted: T, path: tuple[str, ...] = ()) -> Mismatch | None:
    """The first part of `made` that `wanted` cannot hold without losing something; unknown parts fit."""
    if not shapes.is_known(made) or not shapes.is_known(wanted) or made == wanted:
        return None
    kinds = {shapes.kind_of(made), shapes.kind_of(wanted)}
    if kinds == {"struct"}:
        return _of_records(made, wanted, path)
    if kinds == {"array"}:
        return mismatch(made["elementType"], wanted["elementType"], path)
    if kinds == {"map"}:
        parts = [mismatch(made[part], wanted[part], path) for part in ("keyType", "valueType")]
        return parts[0] or parts[1]
    return None if kinds == {"scalar"} and _keeps(made, wanted) else Mismatch(path, made, wanted)


def written_mismatch(made: T, serde: Serde) -> Mismatch | None:
    """What of a value does not fit the type that a topic is declared with; anything can be written as text."""
    return None if serde.type in _TEXT else _unwritable(made, serde.type, ())


def _unwritable(made: T, wanted: T, path: tuple[str, ...]) -> Mismatch | None:
    """Records go by the names of their fields, and one that is not declared, or not made, does no harm."""
    if not shapes.is_record(made) or not shapes.is_record(wanted):
        return mismatch(made, wanted, path)
    both = [name for name in shapes.field_names(wanted) if name in shapes.field_names(made)]
    parts = (_unwritable(shapes.field_type(made, n), shapes.field_type(wanted, n), (*path, n)) for n in both)
    return next(filter(None, parts), None)


def _of_records(made: T, wanted: T, path: tuple[str, ...]) -> Mismatch | None:
    names = shapes.field_names(wanted)
    if set(names) != set(shapes.field_names(made)):
        return Mismatch(path, made, wanted)
    parts = (mismatch(shapes.field_type(made, n), shapes.field_type(wanted, n), (*path, n)) for n in names)
    return next(filter(None, parts), None)


def _keeps(made: str, wanted: str) -> bool:
    """Whether a cast of numbers gives the same or fails, but never drops a fraction or a digit."""
    if not shapes.is_number(made) or not shapes.is_number(wanted):
        return False
    if wanted == "double":
        return True
    if wanted == "float":
        return made in _SMALL
    return made in shapes.INTEGERS or (scale_of(made) is not None and (scale_of(made) or 0) <= (scale_of(wanted) or 0))


def scale_of(type_: T) -> int | None:
    """The digits after the point of a decimal type."""
    found = _DECIMAL.fullmatch(type_) if isinstance(type_, str) else None
    return int(found[2]) if found else None


def common(one: T, other: T) -> T:
    """The type of numbers that holds both, None if only Spark can tell or there is none."""
    if one == other:
        return one
    if one in shapes.INTEGERS and other in shapes.INTEGERS:
        return max(one, other, key=shapes.INTEGERS.index)
    if "double" in (one, other) and shapes.is_number(one) and shapes.is_number(other):
        return "double"
    return None


def widened(state: T, made: T, declared: Paths, path: tuple[str, ...] = ()) -> T:
    """The state's type with the parts wider that a function makes wider; declared parts stay as they are."""
    if path in declared or not shapes.is_known(state) or not shapes.is_known(made):
        return state
    if shapes.is_record(state) and shapes.is_record(made):
        return {**state, "fields": [_widened_field(each, made, declared, path) for each in state["fields"]]}
    if shapes.kind_of(state) == "array" == shapes.kind_of(made):
        return {**state, "elementType": widened(state["elementType"], made["elementType"], declared, (*path, "[]"))}
    return common(state, made) or state


def _widened_field(field: T, made: T, declared: Paths, path: tuple[str, ...]) -> T:
    name = field["name"]
    if name not in shapes.field_names(made):
        return field
    return {**field, "type": widened(field["type"], shapes.field_type(made, name), declared, (*path, name))}


def known(state: T, made: Iterable[T], declared: Paths) -> T:
    """The state's type as far as it is sure: a number may become wider where only Spark knows what is made of it."""
    for each in made:
        state = _known(state, each, declared, ())
    return state


def _known(state: T, made: T, declared: Paths, path: tuple[str, ...]) -> T:
    if path in declared or not shapes.is_known(state):
        return state
    if shapes.is_record(state):
        inner = (
            {name: shapes.field_type(made, name) for name in shapes.field_names(made)} if shapes.is_record(made) else {}
        )
        fields = [
            {**each, "type": _known(each["type"], inner.get(each["name"]), declared, (*path, each["name"]))}
            for each in state["fields"]
        ]
        return {**state, "fields": fields}
    if shapes.kind_of(state) == "array":
        element = made["elementType"] if shapes.kind_of(made) == "array" else None
        return {**state, "elementType": _known(state["elementType"], element, declared, (*path, "[]"))}
    sure = not shapes.is_number(state) or (shapes.is_known(made) and (state == made or common(state, made) == state))
    return state if sure or state == "double" else None
