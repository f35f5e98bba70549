"""The visitor of data types: the only switch over their kinds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from holdfast.types.datatypes import Array, DataType, Decimal, Map, Scalar, Struct

R_co = TypeVar("R_co", covariant=True)


class TypeVisitor(Generic[R_co]):
    """What is made of a type, kind by kind; a walker goes into the parts of a type with `visit`.

    >>> from holdfast.types import LONG, STRING, Array, DataType, Scalar, TypeVisitor
    >>> class Depth(TypeVisitor[int]):
    ...     def scalar(self, of: Scalar) -> int:
    ...         return 0
    ...     def array(self, of: Array) -> int:
    ...         return 1 + self.visit(of.element)
    >>> Depth().visit(Array(Array(LONG)))
    2
    """

    def visit(self, of: DataType) -> R_co:
        """What is made of this type."""
        return of.accept(self)

    def scalar(self, of: Scalar) -> R_co:
        """Of a type without parts."""
        return self.other(of)

    def decimal(self, of: Decimal) -> R_co:
        """Of a decimal, which is a scalar with a precision and a scale."""
        return self.scalar(of)

    def array(self, of: Array) -> R_co:
        """Of an array."""
        return self.other(of)

    def map(self, of: Map) -> R_co:
        """Of a map."""
        return self.other(of)

    def struct(self, of: Struct) -> R_co:
        """Of a record."""
        return self.other(of)

    def other(self, of: DataType) -> R_co:
        """Of whatever the walker does not name, and of what only Spark can read."""
        raise NotImplementedError(f"{type(self).__name__} says nothing about {of}")
