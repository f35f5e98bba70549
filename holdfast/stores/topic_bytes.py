"""Python values as the bytes of a topic."""

from __future__ import annotations

import struct

from holdfast.documents import Document
from holdfast.errors import HoldfastError
from holdfast.stores import exact_json

BINARY_FORMATS = {"int32": ">i", "int64": ">q"}


def encode(serde: Document, value: object, where: str) -> bytes | None:
    """A value in the topic's format; bytes are taken as they are."""
    if value is None or isinstance(value, bytes):
        return value
    match serde["format"]:
        case "json":
            return exact_json.dumps(value)
        case "text":
            return _text(value).encode()
        case "int32" | "int64" as width:
            return _packed(BINARY_FORMATS[width], value, where)
    raise HoldfastError(f"{where}: the topic holds raw bytes, {type(value).__name__} came; pass bytes")


def _text(value: object) -> str:
    return (
        str(value).lower()
        if isinstance(value, bool)
        else exact_json.dumps(value).decode()
        if not isinstance(value, str)
        else value
    )


def _packed(width: str, value: object, where: str) -> bytes:
    try:
        return struct.pack(width, value)
    except struct.error as problem:
        raise HoldfastError(f"{where}: {value!r} does not fit the topic's format: {problem}") from None
