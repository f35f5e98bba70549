"""JSON Schemas of the types of stores: what their keys and values are in answers."""

from __future__ import annotations

from collections.abc import Mapping

from holdfast.documents import Json
from holdfast.topics.windowed import is_windowed
from holdfast.types import Array, DataType, Decimal, Map, Scalar, Struct, TypeVisitor

Schema = dict[str, Json]
_BITS = {"byte": 7, "short": 15, "integer": 31, "long": 63}
_SCALARS: Mapping[str, Schema] = {
    "string": {"type": "string"},
    "boolean": {"type": "boolean"},
    "double": {"type": ["number", "string"]},
    "float": {"type": ["number", "string"]},
    "timestamp": {"type": "string", "format": "date-time"},
    "timestamp_ntz": {"type": "string"},
    "date": {"type": "string", "format": "date"},
    "binary": {"type": "string", "contentEncoding": "base64"},
}
# The ends of a window are in its key as they are in the topic: milliseconds since 1970.
_MILLISECONDS: Schema = {"type": "integer", "format": "int64"}


class _JsonSchema(TypeVisitor[Schema]):
    def scalar(self, of: Scalar) -> Schema:
        if of.name in _BITS:
            most = 2 ** _BITS[of.name]
            return {"type": "integer", "minimum": -most, "maximum": most - 1}
        return dict(_SCALARS.get(of.name, {}))

    def decimal(self, of: Decimal) -> Schema:
        return {"type": "number"}

    def array(self, of: Array) -> Schema:
        return {"type": "array", "items": _or_null(self.visit(of.element))}

    def map(self, of: Map) -> Schema:
        return {"type": "object", "additionalProperties": _or_null(self.visit(of.value))}

    def struct(self, of: Struct) -> Schema:
        fields = {each.name: _or_null(self.visit(each.type)) for each in of.fields}
        if is_windowed(of):
            fields |= {"start": _MILLISECONDS, "end": _MILLISECONDS}
        return {"type": "object", "properties": {**fields}}

    def other(self, of: DataType) -> Schema:
        return {}


def json_schema(of: DataType) -> Schema:
    """The schema of a type.

    >>> from holdfast.types import LONG, Array
    >>> json_schema(Array(LONG))["items"]["type"]
    ['integer', 'null']
    """
    return _JsonSchema().visit(of)


def _or_null(schema: Schema) -> Schema:
    kind = schema.get("type")
    if kind is None:
        return schema
    return {**schema, "type": [*kind, "null"] if isinstance(kind, list) else [kind, "null"]}
