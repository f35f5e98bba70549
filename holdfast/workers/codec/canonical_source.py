"""Generated code for values of one type in canonical form: test, copy and build them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import Decimal

from holdfast.types import BINARY, FLOAT, STRING, TIMESTAMP, Array, DataType, Field, Map, Scalar, Struct, TypeVisitor
from holdfast.types import Decimal as DecimalType
from holdfast.types.value_classes import ITEM, Classes
from holdfast.workers.codec.column_decoder import Row
from holdfast.workers.codec.generated import FunctionSource, attribute, item, optional_item
from holdfast.workers.codec.scalar_forms import encodes, is_single, scaled, single, text

_BUILT = {"string": "text", "float": "single"}
_TYPES: dict[str, type] = {"double": float, "boolean": bool, "binary": bytes, "date": date}


def canonical_source() -> FunctionSource:
    """A source that knows what the expressions below name."""
    return FunctionSource(
        encodes=encodes,
        is_single=is_single,
        text=text,
        single=single,
        scaled=scaled,
        datetime=datetime,
        UTC=UTC,
        Decimal=Decimal,
        Row=Row,
    )


def canonical_test(type_: DataType, classes: Classes, x: str, source: FunctionSource, *, nullable: bool = True) -> str:
    """An expression that is true if `x` is canonical, or null."""
    first = name = x
    if not x.isidentifier():
        name = source.variable()
        first = f"({name} := {x})"
    test = _Test(classes, source, first, name).visit(type_)
    return f"({test} or {name} is None)" if nullable else test


@dataclass(frozen=True)
class _Test(TypeVisitor[str]):
    """The same for values that are not null; `first` stands for `x` at its first use, and may assign it."""

    classes: Classes
    source: FunctionSource
    first: str
    x: str

    def scalar(self, of: Scalar) -> str:
        first, x = self.first, self.x
        if of.is_integer:
            most = 1 << (of.bits - 1)
            return f"(type({first}) is int and {-most} <= {x} <= {most - 1})"
        if of.name in _TYPES:
            return f"(type({first}) is {self.source.bind(_TYPES[of.name])})"
        if of == STRING:
            return f"(type({first}) is str and ({x}.isascii() or encodes({x})))"
        if of == FLOAT:
            return f"(type({first}) is float and is_single({x}))"
        if of == TIMESTAMP:
            return f"(type({first}) is datetime and {x}.tzinfo is UTC)"
        return self.other(of)

    def decimal(self, of: DecimalType) -> str:
        fits = f"{self.x}.as_tuple()[2] == {-of.scale} and {self.x}.adjusted() < {of.precision - of.scale}"
        return f"(type({self.first}) is Decimal and {fits})"

    def array(self, of: Array) -> str:
        test = canonical_test(of.element, self.classes.part(ITEM), "y", self.source)
        return f"(type({self.first}) is list and {self._all('y', test)}({self.x}))"

    def map(self, of: Map) -> str:
        key = canonical_test(of.key, Classes(), "k", self.source, nullable=False)
        value = canonical_test(of.value, self.classes.part(ITEM), "y", self.source)
        return f"(type({self.first}) is dict and {self._all('k, y', f'{key} and {value}')}({self.x}.items()))"

    def struct(self, of: Struct) -> str:
        cls = self.classes.cls
        if cls:
            tests = [f"type({self.first}) is {self.source.bind(cls)}"]
        else:
            tests = [f"isinstance({self.first}, Row)", f"len({self.x}) == {len(of.fields)}"]
        field = attribute if cls else optional_item
        for each in of.fields:
            part = self.classes.part(each.name)
            tests.append(canonical_test(each.type, part, field(self.x, each.name), self.source, nullable=each.nullable))
        return f"({' and '.join(tests)})"

    def other(self, of: DataType) -> str:
        return f"({self.first} and False)"

    def _all(self, each: str, test: str) -> str:
        """The name of a function that says whether all elements are canonical."""
        lines = [f" for {each} in x:", f"  if not ({test}): return False", " return True"]
        return self.source.bind(self.source.function("test", "x", lines))


def copy_of(type_: DataType, classes: Classes, x: str, source: FunctionSource) -> str:
    """An expression that is a copy of `x`, which is canonical."""
    if is_immutable(type_, classes):
        return x
    field = attribute if classes.cls else item
    return _Parts(classes, source, x, copy_of, lambda _, name: field(x, name)).visit(type_)


def build_of(type_: DataType, classes: Classes, x: str, source: FunctionSource) -> str:
    """An expression that makes a canonical value of the parts `x` that a check returns."""
    return _Parts(classes, source, x, build_of, lambda place, _: item(x, place)).visit(type_)


@dataclass(frozen=True)
class _Parts(TypeVisitor[str]):
    """A new value of the parts of `x`: `part` makes each, `field` says where that of a record is."""

    classes: Classes
    source: FunctionSource
    x: str
    part: Callable[[DataType, Classes, str, FunctionSource], str]
    field: Callable[[int, str], str]

    def scalar(self, of: Scalar) -> str:
        if of == BINARY:
            return f"(None if {self.x} is None else bytes({self.x}))"
        return f"{_BUILT[of.name]}({self.x})" if of.name in _BUILT else self.x

    def decimal(self, of: DecimalType) -> str:
        return f"scaled({self.x}, {of.precision}, {of.scale})"

    def array(self, of: Array) -> str:
        return self._unless_null(f"[{self._part(of.element, ITEM, 'y')} for y in {self.x}]")

    def map(self, of: Map) -> str:
        key = self.part(of.key, Classes(), "k", self.source)
        return self._unless_null(f"{{{key}: {self._part(of.value, ITEM, 'y')} for k, y in {self.x}.items()}}")

    def struct(self, of: Struct) -> str:
        parts = self._fields(of.fields)
        if self.classes.cls:
            named = ", ".join(f"{name}={made}" for name, made in parts)
            return self._unless_null(f"{self.source.bind(self.classes.cls)}({named})")
        return self._unless_null(f"Row({{{', '.join(f'{name!r}: {made}' for name, made in parts)}}})")

    def _fields(self, fields: Sequence[Field]) -> list[tuple[str, str]]:
        places = [self.field(place, each.name) for place, each in enumerate(fields)]
        return [(each.name, self._part(each.type, each.name, x)) for each, x in zip(fields, places, strict=True)]

    def _part(self, type_: DataType, name: str, x: str) -> str:
        return self.part(type_, self.classes.part(name), x, self.source)

    def _unless_null(self, made: str) -> str:
        return f"(None if {self.x} is None else {made})"


def is_immutable(type_: DataType, classes: Classes) -> bool:
    """Whether nobody can change a value of the type, so that it needs no copy."""
    if isinstance(type_, Scalar):
        return True
    if not isinstance(type_, Struct) or not _is_frozen(classes.cls):
        return False
    return all(is_immutable(each.type, classes.part(each.name)) for each in type_.fields)


def _is_frozen(cls: type | None) -> bool:
    return bool(getattr(getattr(cls, "__dataclass_params__", None), "frozen", False))
