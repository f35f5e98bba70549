"""Code made for the type of a state: it takes apart what is exactly of that type, and leaves the rest to the checks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from holdfast.types import Array, DataType, Map, Scalar, Struct, TypeVisitor
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


def quick(type_: DataType, classes: Classes) -> Part | None:
    """A function from a value to what JSON has, which raises `Odd` at whatever is not plain; None if no value is.

    >>> from holdfast.types import LONG, Array
    >>> quick(Array(LONG), Classes())([1, 2])
    [1, 2]
    """
    return _Quick(classes).visit(type_)


@dataclass(frozen=True)
class _Quick(TypeVisitor[Part | None]):
    classes: Classes

    def scalar(self, of: Scalar) -> Part | None:
        if of.name not in _EXACTLY:
            return None
        return _made(f"def part(x):\n if {_EXACTLY[of.name].format(x='x')}: return x\n raise Odd", {})

    def array(self, of: Array) -> Part | None:
        item = quick(of.element, self.classes.part(ITEM))
        return item and _list(item)

    def map(self, of: Map) -> Part | None:
        item = quick(of.value, self.classes.part(ITEM))
        return item and _map(item)

    def struct(self, of: Struct) -> Part | None:
        return _record(of, self.classes)


def _record(type_: Struct, classes: Classes) -> Part | None:
    if classes.cls is None or hasattr(classes.cls, "__slots__"):
        return None
    names: dict[str, Any] = {"cls": classes.cls}
    lines = ["def part(v):", " if v.__class__ is not cls: raise Odd", " own = v.__dict__"]
    lines.append(f" if len(own) != {len(type_.fields)}: raise Odd")
    values = []
    for number, each in enumerate(type_.fields):
        x, own = f"x{number}", quick(each.type, classes.part(each.name))
        if own is None:
            return None
        lines.append(f" {x} = own[{each.name!r}]")
        exactly = _EXACTLY[each.type.name].format(x=x) if isinstance(each.type, Scalar) else None
        plain, test = exactly is not None, f"not ({exactly})"
        if not plain:
            names[f"part{number}"] = own
        action = "raise Odd" if plain else f"{x} = part{number}({x})"
        condition = [f"{x} is not None"] * each.nullable + [test] * plain
        lines.append(f" if {' and '.join(condition)}: {action}" if condition else f" {action}")
        values.append(f"{each.name!r}: {x}")
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
