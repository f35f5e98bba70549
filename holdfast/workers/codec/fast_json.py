"""Code made for the type of a state: it takes apart what is exactly of that type, and leaves the rest to the checks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from holdfast.documents import Json
from holdfast.types import Array, DataType, Field, Map, Scalar, Struct, TypeVisitor
from holdfast.types.value_classes import ITEM, Classes
from holdfast.workers.codec.generated import FunctionSource, item

Part = Callable[[object], Json]
_LONG = 1 << 63
_EXACTLY = {
    "long": f"{{x}}.__class__ is int and {-_LONG} <= {{x}} < {_LONG}",
    "string": "{x}.__class__ is str",
    "boolean": "{x}.__class__ is bool",
    # What is not finite is written as text.
    "double": "{x}.__class__ is float and {x} - {x} == 0.0",
}


class NotPlain(Exception):
    """A value that the checks have to look at."""


def plain_encoder(type_: DataType, classes: Classes) -> Part | None:
    """A function from a value to what JSON has, which raises `NotPlain` where the checks are needed; None for types
    that have no such values.

    >>> from holdfast.types import LONG, Array
    >>> plain_encoder(Array(LONG), Classes())([1, 2])
    [1, 2]
    """
    return _PlainEncoder(classes).visit(type_)


@dataclass(frozen=True)
class _PlainEncoder(TypeVisitor[Part | None]):
    classes: Classes

    def scalar(self, of: Scalar) -> Part | None:
        if of.name not in _EXACTLY:
            return None
        return _source().function("part", "x", [f" if {_exactly(of, 'x')}: return x", " raise NotPlain"])

    def array(self, of: Array) -> Part | None:
        each = plain_encoder(of.element, self.classes.part(ITEM))
        if each is None:
            return None
        lines = [" if v.__class__ is not list: raise NotPlain", " return [each(x) for x in v]"]
        return _source(each=each).function("part", "v", lines)

    def map(self, of: Map) -> Part | None:
        each = plain_encoder(of.value, self.classes.part(ITEM))
        if each is None:
            return None
        lines = [" if v.__class__ is not dict: raise NotPlain", " for key in v:"]
        lines.append("  if key.__class__ is not str: raise NotPlain")
        lines.append(" return {key: each(x) for key, x in v.items()}")
        return _source(each=each).function("part", "v", lines)

    def struct(self, of: Struct) -> Part | None:
        cls = self.classes.cls
        parts = [plain_encoder(each.type, self.classes.part(each.name)) for each in of.fields]
        if cls is None or hasattr(cls, "__slots__") or None in parts:
            return None
        source = _source(cls=cls)
        lines = [" if v.__class__ is not cls: raise NotPlain", " own = v.__dict__"]
        lines.append(f" if len(own) != {len(of.fields)}: raise NotPlain")
        values = []
        for each, part in zip(of.fields, parts, strict=True):
            x = source.variable()
            lines += [f" {x} = {item('own', each.name)}", _take(each, part, x, source)]
            values.append(f"{each.name!r}: {x}")
        return source.function("part", "v", [*lines, f" return {{{', '.join(values)}}}"])


def _take(field: Field, part: Part | None, x: str, source: FunctionSource) -> str:
    """The line that looks at the value of a field, and makes it what JSON has."""
    some = f"{x} is not None and " if field.nullable else ""
    if isinstance(field.type, Scalar):
        return f" if {some}not ({_exactly(field.type, x)}): raise NotPlain"
    made = f"{x} = {source.bind(part)}({x})"
    return f" if {x} is not None: {made}" if field.nullable else f" {made}"


def _exactly(of: Scalar, x: str) -> str:
    return _EXACTLY[of.name].format(x=x)


def _source(**names: object) -> FunctionSource:
    return FunctionSource(NotPlain=NotPlain, **names)
