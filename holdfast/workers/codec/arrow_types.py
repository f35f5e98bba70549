"""Types of ours as types of Arrow's."""

from __future__ import annotations

import pyarrow as pa

from holdfast.types import Array, DataType, Decimal, Map, Scalar, Struct, TypeVisitor

_SCALARS = {
    "byte": pa.int8(),
    "short": pa.int16(),
    "integer": pa.int32(),
    "long": pa.int64(),
    "float": pa.float32(),
    "double": pa.float64(),
    "boolean": pa.bool_(),
    "string": pa.string(),
    "binary": pa.binary(),
    "timestamp": pa.timestamp("us", tz="UTC"),
    "timestamp_ntz": pa.timestamp("us"),
    "date": pa.date32(),
}


def arrow_type(type_: DataType) -> pa.DataType:
    """The type that Arrow has for it.

    >>> from holdfast.types import LONG
    >>> arrow_type(LONG)
    DataType(int64)
    """
    return _ArrowType().visit(type_)


class _ArrowType(TypeVisitor[pa.DataType]):
    def scalar(self, of: Scalar) -> pa.DataType:
        return _SCALARS[of.name]

    def decimal(self, of: Decimal) -> pa.DataType:
        return pa.decimal128(of.precision, of.scale)

    def array(self, of: Array) -> pa.DataType:
        return pa.list_(self.visit(of.element))

    def map(self, of: Map) -> pa.DataType:
        return pa.map_(self.visit(of.key), self.visit(of.value))

    def struct(self, of: Struct) -> pa.DataType:
        return pa.struct([pa.field(each.name, self.visit(each.type)) for each in of.fields])
