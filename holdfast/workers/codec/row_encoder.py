"""A generated encoder of rows for one type: values of other types are left to the checks."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from datetime import UTC, date, datetime
from decimal import Decimal

from holdfast.types import Array, DataType, Field, Map, Scalar, Struct, TypeVisitor
from holdfast.types import Decimal as DecimalType
from holdfast.types.value_classes import ITEM, Classes
from holdfast.workers.codec.column_decoder import Row
from holdfast.workers.codec.generated import FunctionSource, attribute, optional_item

Encode = Callable[[object], object]
MISS = object()
_INTEGER = "{x}.__class__ is int"
_NUMBER = "({x}.__class__ is float or {x}.__class__ is int)"
_TYPE_TESTS = {
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
_NEVER = "False"


def row_encoder(type_: DataType, classes: Classes, leave: Encode) -> Encode:
    """A function that returns the parts of a value of this type, and what `leave` returns for every other value.

    A record becomes a tuple, a list and a dict become new ones: what is changed later does not change them.

    >>> from holdfast.types import LONG
    >>> encode = row_encoder(LONG, Classes(), leave=str)
    >>> encode(5), encode(True)
    (5, 'True')
    """
    return _Encoder(classes, leave).visit(type_)


@dataclasses.dataclass(frozen=True)
class _Encoder(TypeVisitor[Encode]):
    classes: Classes
    leave: Encode

    def scalar(self, of: Scalar) -> Encode:
        return self._source().function(
            "encode", "v", [f" if v is None or {_condition(of, 'v')}: return v", " return leave(v)"]
        )

    def array(self, of: Array) -> Encode:
        source = self._source()
        condition = _inside(of.element, self.classes.part(ITEM), "x", source)
        lines = [" if v is None: return None", " if v.__class__ is not list: return leave(v)", " out = []"]
        lines += [
            " for x in v:",
            f"  if not (x is None or {condition}): return leave(v)",
            "  out.append(x)",
            " return out",
        ]
        return source.function("encode", "v", lines)

    def map(self, of: Map) -> Encode:
        source = self._source()
        key, condition = _condition(of.key, "k"), _inside(of.value, self.classes.part(ITEM), "x", source)
        lines = [" if v is None: return None", " if v.__class__ is not dict: return leave(v)", " out = {}"]
        lines += [" for k, x in v.items():", f"  if not ({key} and (x is None or {condition})): return leave(v)"]
        return source.function("encode", "v", [*lines, "  out[k] = x", " return out"])

    def struct(self, of: Struct) -> Encode:
        source = self._source()
        xs = [source.variable() for _ in of.fields]
        lines = [*_fields(of.fields, xs, self.classes, source), f" if {self._conditions(of.fields, xs, source)}:"]
        return source.function("encode", "v", [*lines, f"  return ({', '.join(xs)},)", " return leave(v)"])

    def _conditions(self, fields: Sequence[Field], xs: Sequence[str], source: FunctionSource) -> str:
        conditions = []
        for x, each in zip(xs, fields, strict=True):
            condition = _inside(each.type, self.classes.part(each.name), x, source)
            conditions.append(f"({x} is None or {condition})" if each.nullable else f"{x} is not None and {condition}")
        return " and ".join(conditions)

    def _source(self) -> FunctionSource:
        return FunctionSource(
            UTC=UTC, date=date, datetime=datetime, Decimal=Decimal, Row=Row, MISS=MISS, leave=self.leave
        )


def _fields(fields: Sequence[Field], xs: Sequence[str], classes: Classes, source: FunctionSource) -> list[str]:
    """Lines that read the fields of a record `v` into `xs`: of a dataclass, a Row, a dict or a tuple."""
    lines, begin = [" kind = v.__class__"], "if"
    if _has_all(classes.cls, fields):
        lines.append(f" if kind is {source.bind(classes.cls)}:")
        lines += [f"  {x} = {attribute('v', each.name)}" for x, each in zip(xs, fields, strict=True)]
        begin = "elif"
    lines.append(f" {begin} kind is dict or issubclass(kind, Row):")
    lines += [f"  {x} = {optional_item('v', each.name)}" for x, each in zip(xs, fields, strict=True)]
    # Null may be what is missing, because it has a default or is misspelt.
    lines.append(f"  if kind is dict and ({' or '.join(f'{x} is None' for x in xs)}): return leave(v)")
    lines += [f" elif kind is tuple and len(v) == {len(xs)}:", f"  {', '.join(xs)}, = v"]
    return [*lines, " elif v is None: return None", " else: return leave(v)"]


def _has_all(cls: type | None, fields: Sequence[Field]) -> bool:
    there = {each.name for each in dataclasses.fields(cls)} if cls else set()
    return bool(fields) and there >= {each.name for each in fields}


def _inside(type_: DataType, classes: Classes, x: str, source: FunctionSource) -> str:
    """The condition for a value inside another one, which may replace it by its parts."""
    if isinstance(type_, Scalar):
        return _condition(type_, x)
    part = source.bind(row_encoder(type_, classes, _missed))
    return f"({x} := {part}({x})) is not MISS"


def _missed(value: object) -> object:
    return MISS


def _condition(type_: DataType, x: str) -> str:
    return _Condition(x).visit(type_)


@dataclasses.dataclass(frozen=True)
class _Condition(TypeVisitor[str]):
    """Whether `x` is of a scalar type; other types need the checks."""

    x: str

    def scalar(self, of: Scalar) -> str:
        return _TYPE_TESTS.get(of.name, _NEVER).format(x=self.x)

    def decimal(self, of: DecimalType) -> str:
        return f"{self.x}.__class__ is Decimal"

    def other(self, of: DataType) -> str:
        return _NEVER
