"""Which type changes a state survives: new fields with a default, removed fields, wider numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from holdfast.types import Array, DataType, Decimal, Field, Map, Scalar, Struct

Words = Callable[[DataType], str]
_WIDER = {
    "byte": ("short", "integer", "long"),
    "short": ("integer", "long"),
    "integer": ("long",),
    "float": ("double",),
}


def refusals(was: DataType, now: DataType, words: Words, path: str = "") -> Iterator[str]:
    """Say what has changed such that what was written cannot be read any more; `words` writes a type.

    >>> from holdfast.types import LONG, STRING
    >>> [*refusals(LONG, STRING, str, "n")]
    ['n was BIGINT, is STRING']
    """
    if was == now:
        return
    match was, now:
        case Struct(), Struct():
            yield from _fields(was, now, words, path)
        case Array(), Array():
            yield from refusals(was.element, now.element, words, f"{path}[]")
        case Map(), Map():
            yield from refusals(was.value, now.value, words, f"{path}[]")
        case _ if not _widened(was, now):
            yield f"{path or 'it'} was {words(was)}, is {words(now)}"


def allowances(was: DataType, now: DataType, words: Words, path: str = "") -> Iterator[str]:
    """Say what has changed otherwise.

    >>> from holdfast.types import INTEGER, LONG
    >>> [*allowances(INTEGER, LONG, str, "n")]
    ['n was INT, is BIGINT']
    """
    if was == now:
        return
    match was, now:
        case Struct(), Struct():
            before, after = _named(was), _named(now)
            yield from (f"{_at(path, name)} was removed" for name in before if name not in after)
            yield from (f"{_at(path, name)} is new" for name in after if name not in before)
            for name in before.keys() & after.keys():
                yield from allowances(before[name].type, after[name].type, words, _at(path, name))
        case Array(), Array():
            yield from allowances(was.element, now.element, words, f"{path}[]")
        case Map(), Map():
            yield from allowances(was.value, now.value, words, f"{path}[]")
        case _:
            yield f"{path or 'it'} was {words(was)}, is {words(now)}"


def _fields(was: Struct, now: Struct, words: Words, path: str) -> Iterator[str]:
    before, after = _named(was), _named(now)
    for name, field in after.items():
        at = _at(path, name)
        if name not in before and not _may_miss(field):
            yield f"{at} is new and has no default"
        elif name in before:
            yield from refusals(before[name].type, field.type, words, at)
            if _may_miss(before[name]) and not _may_miss(field):
                yield f"{at} could be missing, and now it may not be"


def _may_miss(field: Field) -> bool:
    return field.nullable or "default" in field.metadata


def _widened(was: DataType, now: DataType) -> bool:
    if isinstance(was, Decimal) and isinstance(now, Decimal):
        return now.precision - now.scale >= was.precision - was.scale and now.scale >= was.scale
    return isinstance(was, Scalar) and isinstance(now, Scalar) and now.name in _WIDER.get(was.name, ())


def _named(of: Struct) -> dict[str, Field]:
    return {field.name: field for field in of.fields}


def _at(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name
