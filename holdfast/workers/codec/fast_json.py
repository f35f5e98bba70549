"""A generated JSON encoder for the type of a state: values of other types are left to the checks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from holdfast.documents import Json
from holdfast.types import Array, DataType, Field, Map, Scalar, Struct, TypeVisitor
from holdfast.types.value_classes import ITEM, Classes
from holdfast.workers.codec.generated import FunctionSource, item

Part = Callable[[object], Json]
_LONG = 1 << 63
_TYPE_TESTS = {
    "long": f"{{x}}.__class__ is int and {-_LONG} <= {{x}} < {_LONG}",
    "string": "{x}.__class__ is str",
    "boolean": "{x}.__class__ is bool",
    # What is not finite is written as text.
    "double": "{x}.__class__ is float and {x} - {x} == 0.0",
}


class NeedsCheck(Exception):
    """The value is not of the expected types: the checking encoder must encode or refuse it."""


def fast_encoder(type_: DataType, classes: Classes) -> Part | None:
    """A function that makes JSON of a value of the type, and raises `NeedsCheck` for others; None for other types.

    >>> from holdfast.types import LONG, Array
    >>> fast_encoder(Array(LONG), Classes())([1, 2])
    [1, 2]
    """
    return _FastEncoder(classes).visit(type_)


@dataclass(frozen=True)
class _FastEncoder(TypeVisitor[Part | None]):
    classes: Classes

    def scalar(self, of: Scalar) -> Part | None:
        if of.name not in _TYPE_TESTS:
            return None
        return _source().function("part", "x", [f" if {_type_test(of, 'x')}: return x", " raise NeedsCheck"])

    def array(self, of: Array) -> Part | None:
        each = fast_encoder(of.element, self.classes.part(ITEM))
        if each is None:
            return None
        lines = [" if v.__class__ is not list: raise NeedsCheck", " return [each(x) for x in v]"]
        return _source(each=each).function("part", "v", lines)

    def map(self, of: Map) -> Part | None:
        each = fast_encoder(of.value, self.classes.part(ITEM))
        if each is None:
            return None
        lines = [" if v.__class__ is not dict: raise NeedsCheck", " for key in v:"]
        lines.append("  if key.__class__ is not str: raise NeedsCheck")
        lines.append(" return {key: each(x) for key, x in v.items()}")
        return _source(each=each).function("part", "v", lines)

    def struct(self, of: Struct) -> Part | None:
        cls = self.classes.cls
        parts = [fast_encoder(each.type, self.classes.part(each.name)) for each in of.fields]
        if cls is None or hasattr(cls, "__slots__") or None in parts:
            return None
        source = _source(cls=cls)
        lines = [" if v.__class__ is not cls: raise NeedsCheck", " own = v.__dict__"]
        lines.append(f" if len(own) != {len(of.fields)}: raise NeedsCheck")
        values = []
        for each, part in zip(of.fields, parts, strict=True):
            x = source.variable()
            lines += [f" {x} = {item('own', each.name)}", _take(each, part, x, source)]
            values.append(f"{each.name!r}: {x}")
        return source.function("part", "v", [*lines, f" return {{{', '.join(values)}}}"])


def _take(field: Field, part: Part | None, x: str, source: FunctionSource) -> str:
    """The line that tests the value of a field and encodes it."""
    some = f"{x} is not None and " if field.nullable else ""
    if isinstance(field.type, Scalar):
        return f" if {some}not ({_type_test(field.type, x)}): raise NeedsCheck"
    made = f"{x} = {source.bind(part)}({x})"
    return f" if {x} is not None: {made}" if field.nullable else f" {made}"


def _type_test(of: Scalar, x: str) -> str:
    return _TYPE_TESTS[of.name].format(x=x)


def _source(**names: object) -> FunctionSource:
    return FunctionSource(NeedsCheck=NeedsCheck, **names)
