"""Types of ours as types of Arrow's."""

from __future__ import annotations

import re

import pyarrow as pa

from holdfast.topics.types import T

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
_DECIMAL = re.compile(r"decimal\((\d+),\s*(-?\d+)\)")


def arrow_type(type_: T) -> pa.DataType:
    """The type that Arrow has for it.

    >>> arrow_type("long")
    DataType(int64)
    """
    if isinstance(type_, str):
        found = _DECIMAL.fullmatch(type_)
        return pa.decimal128(int(found[1]), int(found[2])) if found else _SCALARS[type_]
    if type_["type"] == "array":
        return pa.list_(arrow_type(type_["elementType"]))
    if type_["type"] == "map":
        return pa.map_(arrow_type(type_["keyType"]), arrow_type(type_["valueType"]))
    return pa.struct([pa.field(each["name"], arrow_type(each["type"])) for each in type_["fields"]])
