"""Types as people read them: as Spark's DDL, and in the words of error messages."""

from __future__ import annotations

from holdfast.types.datatypes import Array, DataType, Field, Foreign, Map, Scalar, Struct, Unknown, Unread
from holdfast.types.visitor import TypeVisitor

_DDL = {"long": "BIGINT", "integer": "INT", "short": "SMALLINT", "byte": "TINYINT"}
_WORDS = {
    **dict.fromkeys(("byte", "short", "integer", "long"), "int"),
    **dict.fromkeys(("float", "double"), "float"),
    "boolean": "bool",
    "binary": "bytes",
}


class _Ddl(TypeVisitor[str]):
    def scalar(self, of: Scalar) -> str:
        return _DDL.get(of.name, of.name.upper())

    def array(self, of: Array) -> str:
        return f"ARRAY<{self.visit(of.element)}>"

    def map(self, of: Map) -> str:
        return f"MAP<{self.visit(of.key)}, {self.visit(of.value)}>"

    def struct(self, of: Struct) -> str:
        return f"STRUCT<{', '.join(map(self._field, of.fields))}>"

    def _field(self, field: Field) -> str:
        return f"{field.name}: {self.visit(field.type)}{'' if field.nullable else ' NOT NULL'}"

    def other(self, of: DataType) -> str:
        return of.ddl if isinstance(of, Unread) else "?"


class _Words(TypeVisitor[str]):
    def scalar(self, of: Scalar) -> str:
        return _WORDS.get(of.name, of.name)

    def array(self, of: Array) -> str:
        return f"array of {self.visit(of.element)}"

    def map(self, of: Map) -> str:
        return f"map of {self.visit(of.key)} to {self.visit(of.value)}"

    def struct(self, of: Struct) -> str:
        return f"record({', '.join(of.names)})"

    def other(self, of: DataType) -> str:
        if isinstance(of, Unknown):
            return "unknown"
        return of.ddl if isinstance(of, Unread) else str(of.document if isinstance(of, Foreign) else of)


def ddl(of: DataType) -> str:
    """The type as Spark's DDL, `?` where only Spark knows it.

    >>> from holdfast.types import LONG, Array
    >>> ddl(Array(LONG))
    'ARRAY<BIGINT>'
    """
    return _Ddl().visit(of)


def in_words(of: DataType) -> str:
    """The type in the words of error messages.

    >>> from holdfast.types import LONG, Array
    >>> in_words(Array(LONG))
    'array of int'
    """
    return _Words().visit(of)
