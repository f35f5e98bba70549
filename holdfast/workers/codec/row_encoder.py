"""Code made for a type: it takes apart values that are exactly of that type, and leaves the others to the checks."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

from holdfast.types import Array, DataType, Field, Map, Scalar, Struct, TypeVisitor
from holdfast.types import Decimal as DecimalType
from holdfast.workers.codec.column_decoder import Row
from holdfast.workers.codec.value_classes import ITEM, Classes

Take = Callable[[Any], Any]
MISS = object()
_INTEGER = "{x}.__class__ is int"
_NUMBER = "({x}.__class__ is float or {x}.__class__ is int)"
_EXACTLY = {
    "byte": _INTEGER,
    "short": _INTEGER,
    "integer": _INTEGER,
    "long": _INTEGER,
    "float": _NUMBER,
    "double": _NUMBER,
    "boolean": "{x}.__class__ is bool",
    "string": "{x}.__class__ is str",
    "binary": "{x}.__class__ is bytes",
    "date": "{x}.__class__ is date",
    "timestamp": "({x}.__class__ is datetime and {x}.tzinfo is UTC)",
}
_NAMES = {"UTC": UTC, "date": date, "datetime": datetime, "Decimal": Decimal, "Row": Row, "MISS": MISS}
_ALWAYS_LEFT = "False"


def taker(type_: DataType, classes: Classes, leave: Take) -> Take:
    """A function that gives the parts of a value exactly of this type, and what `leave` gives for every other one.

    A record becomes a tuple, a list and a dict become new ones: what is changed later does not change them.

    >>> from holdfast.types import LONG
    >>> take = taker(LONG, Classes(), leave=str)
    >>> take(5), take(True)
    (5, 'True')
    """
    return _Taker(classes, leave).visit(type_)


@dataclasses.dataclass(frozen=True)
class _Taker(TypeVisitor[Take]):
    classes: Classes
    leave: Take

    def scalar(self, of: Scalar) -> Take:
        exact = _condition(of, "v")
        return _made(f"def take(v):\n if v is None or {exact}: return v\n return leave(v)", self.leave, {})

    def array(self, of: Array) -> Take:
        return _list(of, self.classes, self.leave)

    def map(self, of: Map) -> Take:
        return _map(of, self.classes, self.leave)

    def struct(self, of: Struct) -> Take:
        return _record(of, self.classes, self.leave)


def _made(source: str, leave: Take, names: dict[str, Any]) -> Take:
    space = {**_NAMES, "leave": leave, **names}
    exec(compile(source, __file__, "exec"), space)
    take: Take = space["take"]
    return take


def _condition(type_: DataType, x: str) -> str:
    if isinstance(type_, DecimalType):
        return f"{x}.__class__ is Decimal"
    return (_EXACTLY.get(type_.name, _ALWAYS_LEFT) if isinstance(type_, Scalar) else _ALWAYS_LEFT).format(x=x)


def _missed(value: object) -> Any:
    return MISS


def _inside(type_: DataType, classes: Classes, x: str, part: str, names: dict[str, Any]) -> str:
    """The condition for a value inside another one, which may replace it by its parts."""
    if isinstance(type_, Scalar):
        return _condition(type_, x)
    names[part] = taker(type_, classes, _missed)
    return f"({x} := {part}({x})) is not MISS"


def _record(type_: Struct, classes: Classes, leave: Take) -> Take:
    fields = type_.fields
    names: dict[str, Any] = {"cls": classes.cls}
    xs = [f"x{i}" for i in range(len(fields))]
    conditions = []
    for x, each in zip(xs, fields, strict=True):
        exact = _inside(each.type, classes.part(each.name), x, f"take_{x}", names)
        conditions.append(f"({x} is None or {exact})" if each.nullable else f"{x} is not None and {exact}")
    lines = ["def take(v):", " kind = v.__class__", " if kind is dict or issubclass(kind, Row):"]
    lines += [f"  {x} = v.get({each.name!r})" for x, each in zip(xs, fields, strict=True)]
    # Null may be what is missing, because it has a default or is misspelt.
    lines += [f"  if kind is dict and ({' or '.join(f'{x} is None' for x in xs)}): return leave(v)"]
    lines += [f" elif kind is tuple and len(v) == {len(xs)}:", f"  {', '.join(xs)}, = v"]
    if _has_all(classes.cls, fields):
        lines[2:2] = [" if kind is cls:", *(f"  {x} = v.{each.name}" for x, each in zip(xs, fields, strict=True))]
        lines[3 + len(xs)] = " elif kind is dict or issubclass(kind, Row):"
    lines += [" elif v is None: return None", " else: return leave(v)"]
    lines += [f" if {' and '.join(conditions)}:", f"  return ({', '.join(xs)},)", " return leave(v)"]
    return _made("\n".join(lines), leave, names)


def _has_all(cls: Any, fields: Sequence[Field]) -> bool:
    there = {each.name for each in dataclasses.fields(cls)} if cls else set()
    return bool(fields) and there >= {each.name for each in fields}


def _list(type_: Array, classes: Classes, leave: Take) -> Take:
    names: dict[str, Any] = {}
    exact = _inside(type_.element, classes.part(ITEM), "x", "part", names)
    lines = ["def take(v):", " if v is None: return None", " if v.__class__ is not list: return leave(v)", " out = []"]
    lines += [" for x in v:", f"  if not (x is None or {exact}): return leave(v)", "  out.append(x)", " return out"]
    return _made("\n".join(lines), leave, names)


def _map(type_: Map, classes: Classes, leave: Take) -> Take:
    names: dict[str, Any] = {}
    key = _condition(type_.key, "k")
    exact = _inside(type_.value, classes.part(ITEM), "x", "part", names)
    lines = ["def take(v):", " if v is None: return None", " if v.__class__ is not dict: return leave(v)", " out = {}"]
    lines += [" for k, x in v.items():", f"  if not ({key} and (x is None or {exact})): return leave(v)"]
    lines += ["  out[k] = x", " return out"]
    return _made("\n".join(lines), leave, names)
