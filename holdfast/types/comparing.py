"""Whether keys of two types can be equal, whether all of a type is known, and what is in it."""

from __future__ import annotations

from holdfast.types.datatypes import Array, DataType, Decimal, Map, Scalar, Struct
from holdfast.types.visitor import TypeVisitor


def same_shape(one: DataType, other: DataType) -> bool:
    """Whether keys of both types can be equal: integers of any width are one, unknown fits everything.

    >>> from holdfast.types import BYTE, LONG, STRING
    >>> same_shape(BYTE, LONG), same_shape(LONG, STRING)
    (True, False)
    """
    if not one.is_known or not other.is_known:
        return True
    match one, other:
        case Array(), Array():
            return same_shape(one.element, other.element)
        case Map(), Map():
            return same_shape(one.key, other.key) and same_shape(one.value, other.value)
        case Struct(), Struct():
            pairs = zip(one.fields, other.fields, strict=False)
            return one.names == other.names and all(same_shape(left.type, right.type) for left, right in pairs)
    return one == other or (one.is_integer and other.is_integer)


class _IsResolved(TypeVisitor[bool]):
    def scalar(self, of: Scalar) -> bool:
        return True

    def array(self, of: Array) -> bool:
        return self.visit(of.element)

    def map(self, of: Map) -> bool:
        return self.visit(of.key) and self.visit(of.value)

    def struct(self, of: Struct) -> bool:
        return all(self.visit(each.type) for each in of.fields)

    def other(self, of: DataType) -> bool:
        return of.is_known


def is_resolved(of: DataType) -> bool:
    """Whether no part of the type is left to Spark."""
    return _IsResolved().visit(of)


class _HasDecimal(TypeVisitor[bool]):
    def scalar(self, of: Scalar) -> bool:
        return False

    def decimal(self, of: Decimal) -> bool:
        return True

    def array(self, of: Array) -> bool:
        return self.visit(of.element)

    def map(self, of: Map) -> bool:
        return self.visit(of.key) or self.visit(of.value)

    def struct(self, of: Struct) -> bool:
        return any(self.visit(each.type) for each in of.fields)

    def other(self, of: DataType) -> bool:
        return "decimal" in str(of.to_json())


def has_decimal(of: DataType) -> bool:
    """Whether numbers of the type must keep every digit."""
    return _HasDecimal().visit(of)
