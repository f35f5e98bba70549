"""Python values as the bytes of a topic, and back."""

from __future__ import annotations

import base64
import struct
from collections.abc import Callable, Iterable, Mapping

from holdfast.documents import Document
from holdfast.errors import HoldfastError
from holdfast.stores import exact_json, values
from holdfast.types import STRING, DataType, from_json

Serde = Document
Decoder = Callable[[bytes | None], object]
_BINARY = {"int32": ">i", "int64": ">q"}


def encode(serde: Serde, value: object, where: str) -> bytes | None:
    """A value in the topic's format; bytes are taken as they are."""
    if value is None or isinstance(value, bytes):
        return value
    match serde["format"]:
        case "json":
            return exact_json.dumps(value)
        case "text":
            return _text(value).encode()
        case "int32" | "int64" as width:
            return _packed(_BINARY[width], value, where)
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


def decoder(serde: Serde) -> Decoder:
    """A function from bytes to Python: records are dicts, timestamps aware datetimes."""
    decode = _decode(serde["format"], from_json(serde["type"]))
    return lambda data: None if data is None else decode(data)


def _decode(kind: str, of: DataType) -> Callable[[bytes], object]:
    if kind == "bytes":
        return lambda data: data
    if kind in _BINARY:
        return lambda data: struct.unpack(_BINARY[kind], data)[0]
    if kind != "text":
        return values.reader(of)
    if of == STRING:
        return lambda data: data.decode()
    parse, convert = values.parser(of), values.converter(of)
    return lambda data: convert(_plain(parse, data))


def _plain(parse: values.Reader, data: bytes) -> object:
    try:
        return parse(data)
    except ValueError:
        return data.decode()


def text(data: bytes | None) -> str | None:
    """Bytes as the kernel's driver takes them."""
    return None if data is None else base64.b64encode(data).decode()


def headers(
    given: Mapping[str, bytes | str | None] | Iterable[tuple[str, bytes | str | None]],
) -> list[tuple[str, str | None]]:
    """Headers as the kernel's driver takes them: in their order, a name as often as it comes."""
    return [
        (name, text(_header(name, value))) for name, value in (given.items() if isinstance(given, Mapping) else given)
    ]


def _header(name: str, value: object) -> bytes | None:
    if isinstance(value, str):
        return value.encode()
    if value is None or isinstance(value, bytes):
        return value
    raise HoldfastError(f"pipe(headers=): header {name!r} is {value!r}; a header is bytes, a text or None")


def default_serde(of: object) -> Serde:
    """The serde of an output for which none was given."""
    if of == "binary":
        return {"format": "bytes", "type": of}
    return {"format": "text" if isinstance(of, str) else "json", "type": of}
