"""Python values as the bytes of a topic, and back."""

from __future__ import annotations

import base64
import struct
from collections.abc import Callable, Iterable, Mapping

from holdfast.documents import Document
from holdfast.errors import HoldfastError
from holdfast.stores import values
from holdfast.stores.topic_bytes import BINARY_FORMATS, encode
from holdfast.types import STRING, DataType, from_json

__all__ = ["Decoder", "Serde", "decoder", "default_serde", "encode", "headers", "text"]

Serde = Document
Decoder = Callable[[bytes | None], object]


def decoder(serde: Serde) -> Decoder:
    """A function from bytes to Python: records are dicts, timestamps aware datetimes."""
    decode = _decode(serde["format"], from_json(serde["type"]))
    return lambda data: None if data is None else decode(data)


def _decode(kind: str, of: DataType) -> Callable[[bytes], object]:
    if kind == "bytes":
        return lambda data: data
    if kind in BINARY_FORMATS:
        return lambda data: struct.unpack(BINARY_FORMATS[kind], data)[0]
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
