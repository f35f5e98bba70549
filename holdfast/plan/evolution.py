"""Which changes of a type the documents of a state survive: fields may come with a default, go, and grow wider."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

Type = Any
Words = Callable[[Type], str]
_WIDER = {
    "byte": ("short", "integer", "long"),
    "short": ("integer", "long"),
    "integer": ("long",),
    "float": ("double",),
}
_DECIMAL = re.compile(r"decimal\((\d+),\s*(-?\d+)\)")


def refusals(was: Type, now: Type, words: Words, path: str = "") -> Iterator[str]:
    """Say what has changed such that what was written cannot be read any more; `words` writes a type.

    >>> [*refusals("long", "string", str, "n")]
    ['n was long, is string']
    """
    if was == now:
        return
    if _kind(was) == _kind(now) == "struct":
        yield from _fields(was, now, words, path)
    elif _kind(was) == _kind(now) and _kind(was) in ("array", "map"):
        part = "elementType" if _kind(was) == "array" else "valueType"
        yield from refusals(was[part], now[part], words, f"{path}[]")
    elif not _widened(was, now):
        yield f"{path or 'it'} was {words(was)}, is {words(now)}"


def allowances(was: Type, now: Type, words: Words, path: str = "") -> Iterator[str]:
    """Say what has changed otherwise.

    >>> [*allowances("integer", "long", str, "n")]
    ['n was integer, is long']
    """
    if _kind(was) != _kind(now) or was == now:
        if was != now:
            yield f"{path or 'it'} was {words(was)}, is {words(now)}"
    elif _kind(was) == "struct":
        before, after = _named(was), _named(now)
        yield from (f"{_at(path, name)} is gone" for name in before if name not in after)
        yield from (f"{_at(path, name)} is new" for name in after if name not in before)
        for name in before.keys() & after.keys():
            yield from allowances(before[name]["type"], after[name]["type"], words, _at(path, name))
    else:
        part = "elementType" if _kind(was) == "array" else "valueType"
        yield from allowances(was[part], now[part], words, f"{path}[]")


def _fields(was: Type, now: Type, words: Words, path: str) -> Iterator[str]:
    before, after = _named(was), _named(now)
    for name, field in after.items():
        at = _at(path, name)
        if name not in before and not _may_miss(field):
            yield f"{at} is new and has no default"
        elif name in before:
            yield from refusals(before[name]["type"], field["type"], words, at)
            if _may_miss(before[name]) and not _may_miss(field):
                yield f"{at} could be missing, and now it may not be"


def _may_miss(field: dict[str, Any]) -> bool:
    return bool(field.get("nullable", True) or "default" in field.get("metadata", {}))


def _widened(was: Type, now: Type) -> bool:
    before, after = _DECIMAL.fullmatch(str(was)), _DECIMAL.fullmatch(str(now))
    if before and after:
        whole = int(after[1]) - int(after[2]) >= int(before[1]) - int(before[2])
        return whole and int(after[2]) >= int(before[2])
    return not isinstance(was, dict) and now in _WIDER.get(was, ())


def _kind(type_: Type) -> Any:
    return type_["type"] if isinstance(type_, dict) else type_


def _named(type_: Type) -> dict[str, dict[str, Any]]:
    return {field["name"]: field for field in type_["fields"]}


def _at(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name
