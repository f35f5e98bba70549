"""Types as Spark's JSON: what the kernel, the record of a plan and the meta topic have."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import cast

from holdfast.documents import Document, Json
from holdfast.types.datatypes import (
    UNKNOWN,
    Array,
    DataType,
    Decimal,
    Field,
    Foreign,
    Map,
    Scalar,
    Struct,
    Unread,
)
from holdfast.types.visitor import TypeVisitor

_DECIMAL = re.compile(r"decimal\((\d+),\s*(-?\d+)\)")


class _Json(TypeVisitor[Json]):
    def scalar(self, of: Scalar) -> Json:
        return of.name

    def array(self, of: Array) -> Json:
        return {"type": "array", "elementType": self.visit(of.element), "containsNull": of.contains_null}

    def map(self, of: Map) -> Json:
        parts = {"keyType": self.visit(of.key), "valueType": self.visit(of.value)}
        return {"type": "map", **parts, "valueContainsNull": of.value_contains_null}

    def struct(self, of: Struct) -> Json:
        return {"type": "struct", "fields": [self._field(each) for each in of.fields]}

    def _field(self, field: Field) -> Json:
        head = {"name": field.name, "type": self.visit(field.type)}
        return {**head, "nullable": field.nullable, "metadata": dict(field.metadata)}

    def other(self, of: DataType) -> Json:
        if isinstance(of, Unread):
            return {"ddl": of.ddl}
        return of.document if isinstance(of, Foreign) else None


def to_json(of: DataType) -> Json:
    """The type as Spark's JSON, null where only Spark knows it."""
    return _Json().visit(of)


def from_json(document: object) -> DataType:
    """The type that Spark's JSON stands for; what is none is a TypeError or a LookupError.

    >>> from_json({"type": "array", "elementType": "long", "containsNull": True})
    Array(element=Scalar(name='long'), contains_null=True)
    """
    if document is None:
        return UNKNOWN
    if isinstance(document, str):
        return scalar(document)
    if not isinstance(document, Mapping):
        raise TypeError(f"{document!r} is no type")
    return _parts(cast(Document, document))


def scalar(name: str) -> Scalar:
    """A type without parts by Spark's name."""
    if not name.startswith("decimal"):
        return Scalar(name)
    found = _DECIMAL.fullmatch(name)
    return Decimal(int(found[1]), int(found[2])) if found else Decimal(10, 0)


def _parts(document: Document) -> DataType:
    if "ddl" in document:
        return Unread(document["ddl"])
    match document["type"]:
        case "struct":
            return Struct(_field(each) for each in document["fields"])
        case "array":
            return Array(from_json(document["elementType"]), document.get("containsNull", True))
        case "map":
            key, value = from_json(document["keyType"]), from_json(document["valueType"])
            return Map(key, value, document.get("valueContainsNull", True))
    return Foreign(document)


def _field(document: Document) -> Field:
    return Field(
        document["name"], from_json(document["type"]), document.get("nullable", True), document.get("metadata") or {}
    )
