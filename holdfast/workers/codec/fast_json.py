"""Code made for the type of a state: it takes apart what is exactly of that type, and leaves the rest to the checks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from holdfast.topics.types import T
from holdfast.workers.codec.value_classes import ITEM, Classes

Part = Callable[[Any], Any]
_LONG = 1 << 63
_EXACTLY = {
    "long": f"{{x}}.__class__ is int and {-_LONG} <= {{x}} < {_LONG}",
    "string": "{x}.__class__ is str",
    "boolean": "{x}.__class__ is bool",
    # What is not finite is written as text.
    "double": "{x}.__class__ is float and {x} - {x} == 0.0",
}


class Odd(Exception):
    """A value that the checks have to look at."""


def quick(type_: T, classes: Classes) -> Part | None:
    """A function from a value to what JSON has, which raises `Odd` at whatever is not plain; None if no value is.

    >>> quick({"type": "array", "elementType": "long"}, Classes())([1, 2])
    [1, 2]
    """
    if not isinstance(type_, dict):
        return _scalar(type_)
    if type_["type"] == "struct":
        return _record(type_, classes)
    item = quick(type_["elementType" if type_["type"] == "array" else "valueType"], classes.part(ITEM))
    if item is None:
        return None
    return _list(item) if type_["type"] == "array" else _map(item)


def _scalar(type_: str) -> Part | None:
    if type_ not in _EXACTLY:
        return None
    return _made(f"def part(x):\n if {_EXACTLY[type_].format(x='x')}: return x\n raise Odd", {})


def _record(type_: T, classes: Classes) -> Part | None:
    if classes.cls is None or hasattr(classes.cls, "__slots__"):
        return None
    names: dict[str, Any] = {"cls": classes.cls}
    lines = ["def part(v):", " if v.__class__ is not cls: raise Odd", " own = v.__dict__"]
    lines.append(f" if len(own) != {len(type_['fields'])}: raise Odd")
    values = []
    for number, each in enumerate(type_["fields"]):
        x, own = f"x{number}", quick(each["type"], classes.part(each["name"]))
        if own is None:
            return None
        lines.append(f" {x} = own[{each['name']!r}]")
        plain = isinstance(each["type"], str)
        test = f"not ({_EXACTLY[each['type']].format(x=x)})" if plain else ""
        if not plain:
            names[f"part{number}"] = own
        action = "raise Odd" if plain else f"{x} = part{number}({x})"
        condition = [f"{x} is not None"] * each["nullable"] + [test] * plain
        lines.append(f" if {' and '.join(condition)}: {action}" if condition else f" {action}")
        values.append(f"{each['name']!r}: {x}")
    return _made("\n".join([*lines, f" return {{{', '.join(values)}}}"]), names)


def _list(item: Part) -> Part:
    return _made("def part(v):\n if v.__class__ is not list: raise Odd\n return [item(x) for x in v]", {"item": item})


def _map(item: Part) -> Part:
    source = """def part(v):
 if v.__class__ is not dict: raise Odd
 for key in v:
  if key.__class__ is not str: raise Odd
 return {key: item(x) for key, x in v.items()}"""
    return _made(source, {"item": item})


def _made(source: str, names: dict[str, Any]) -> Part:
    space = {"Odd": Odd, **names}
    exec(compile(source, __file__, "exec"), space)
    part: Part = space["part"]
    return part
