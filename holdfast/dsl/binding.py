"""Binding a tree to its scope: field names become slots, and every field is looked up where the type is known."""

from __future__ import annotations

from holdfast.documents import Json
from holdfast.dsl.columns import no_such_field
from holdfast.errors import ExpressionError, UnknownField
from holdfast.position import user_position
from holdfast.topology.infer import E, Slots
from holdfast.types import DataType, Struct


def bind(tree: E, slots: Slots) -> E:
    """`tree` with plain field names resolved and all fields checked."""
    if "col" in tree:
        return _column(tree["col"], slots)
    if "slot" in tree:
        return _checked(tree, slots)
    return {name: _inside(part, slots) if name not in ("lit", "type", "to") else part for name, part in tree.items()}


def _inside(part: Json, slots: Slots) -> Json:
    if isinstance(part, dict):
        return bind(part, slots)
    return [_inside(each, slots) for each in part] if isinstance(part, list) else part


def _column(name: str, slots: Slots) -> E:
    """A plain name is a field of the value; what can be read has names of its own: `value.score`, `key`."""
    path = name.split(".")
    sides = [slot for slot in slots if slot != "key"]
    holding = [slot for slot in sides if _has(slots[slot], path[0])]
    # Of the values of one kind, old and new or those of a pattern's steps, the first is meant.
    if len(holding) == 1 or (holding and sides[0] in ("old", "value")):
        return _checked({"slot": holding[0], "path": path}, slots)
    if holding:
        raise ExpressionError(
            f"field {name!r} is on both sides ({', '.join(holding)}); use a lambda that says which", at=user_position()
        )
    unknown = [slot for slot in sides if not slots[slot].is_known]
    if path[0] in slots and (len(path) > 1 or not unknown):
        return _checked({"slot": path[0], "path": path[1:]}, slots)
    if unknown:
        return {"slot": unknown[0], "path": path}
    raise _unknown(name, sides, slots)


def _has(type_: DataType, name: str) -> bool:
    return isinstance(type_, Struct) and name in type_.names


def _unknown(name: str, sides: list[str], slots: Slots) -> ExpressionError:
    records = (slots[slot] for slot in sides)
    known = [name for each in records if isinstance(each, Struct) for name in each.names]
    if known:
        error = no_such_field(" and ".join(sides), name, known, at=user_position())
        if error.message.endswith("?"):
            return error  # it is a misspelt field
        return UnknownField(f"{error.message}; for the text itself write F.lit({name!r})", at=user_position())
    kinds = ", ".join(f"{slot} is {slots[slot].in_words()}" for slot in sides)
    return ExpressionError(
        f"no field {name!r}: {kinds}; name it {sides[0]!r}, or write F.lit({name!r}) for the text itself",
        at=user_position(),
    )


def _checked(tree: E, slots: Slots) -> E:
    slot = tree["slot"]
    if slot not in slots:
        raise ExpressionError(
            f"{slot!r} of another lambda is used here, where only {', '.join(slots)} can be read", at=user_position()
        )
    type_, seen = slots[slot], slot
    for name in tree["path"]:
        if not type_.is_known:
            break
        if not isinstance(type_, Struct):
            raise ExpressionError(f"{seen} is {type_.in_words()} and has no field {name!r}", at=user_position())
        if name not in type_.names:
            raise no_such_field(seen, name, type_.names, at=user_position())
        type_, seen = type_.field(name), f"{seen}.{name}"
    return tree
