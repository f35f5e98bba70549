"""Key bytes whose order is the order of the keys.

Every value starts with a mark (null 0, value 1), so nulls come first and no key is empty. Integers are big-endian
with the sign flipped; texts inside a record end with two zero bytes, a zero byte of their own becoming 00 FF.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from decimal import Context, Decimal
from typing import Any

from holdfast.stores import types
from holdfast.stores.types import Type, WrongType
from holdfast.topics.windowed import Windowed

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_DAY = date(1970, 1, 1).toordinal()
_MICRO = timedelta(microseconds=1)
_EXACT = Context(prec=60)
_NULL, _VALUE = b"\x00", b"\x01"
_ALL = (1 << 64) - 1
_TOP = 1 << 63

Encode = Callable[[Type, Any], bytes]
Decode = Callable[[Type, bytes, int], tuple[Any, int]]


class FrozenRecord(dict[str, Any]):
    """A record key: a dict that can be a key of another dict."""

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(tuple(self.items()))

    def _frozen(self, *_: Any, **__: Any) -> Any:
        raise TypeError("a record key cannot be changed; copy it with dict(key)")

    __setitem__ = __delitem__ = clear = pop = popitem = setdefault = update = __ior__ = _frozen


def encode(of: Type, key: Any) -> bytes:
    """The bytes of a whole key; a text at the top is not terminated, so that prefixes work."""
    if key is None:
        raise types.wrong(of, key)
    if types.kind(of) in ("string", "binary"):
        return _VALUE + _raw(of, key)
    return _field(of, key)


def encode_leading(of: Type, values: Any) -> bytes:
    """The bytes of the leading fields of a record key: a prefix of every key that starts with them."""
    given = types.record(of, values, partial=True)
    return _VALUE + b"".join(_field(f["type"], v) for f, v in zip(of["fields"], given, strict=False))


def decode(of: Type, data: bytes) -> Any:
    """The key that `encode` made these bytes of."""
    try:
        if types.kind(of) == "string":
            return data[1:].decode("utf-8", "surrogatepass")
        if types.kind(of) == "binary":
            return data[1:]
        value, end = _read_field(of, data, 0)
    except (IndexError, struct.error, ValueError, OverflowError) as error:
        raise WrongType(f"not the bytes of a key of type {types.words(of)}") from error
    if end != len(data) or value is None:
        raise WrongType(f"not the bytes of a key of type {types.words(of)}")
    return value


def after_prefix(prefix: bytes) -> bytes | None:
    """The least bytes greater than everything that starts with the prefix; None if there are none."""
    kept = prefix.rstrip(b"\xff")
    return kept[:-1] + bytes([kept[-1] + 1]) if kept else None


def _field(of: Type, value: Any) -> bytes:
    return _NULL if value is None else _VALUE + _codec(of)[0](of, value)


def _read_field(of: Type, data: bytes, at: int) -> tuple[Any, int]:
    if data[at] == 0:
        return None, at + 1
    if data[at] != 1:
        raise ValueError("no mark")
    return _codec(of)[1](of, data, at + 1)


def _codec(of: Type) -> tuple[Encode, Decode]:
    found = _CODECS.get(types.kind(of))
    if found is None:
        raise WrongType(f"{types.words(of)} cannot be a key; use a scalar, an array or a record of them")
    return found


def _signed(value: int, width: int) -> bytes:
    return (value + (1 << (8 * width - 1))).to_bytes(width, "big")


def _read_signed(data: bytes, at: int, width: int) -> tuple[int, int]:
    if len(data) < at + width:
        raise IndexError("too short")
    return int.from_bytes(data[at : at + width], "big") - (1 << (8 * width - 1)), at + width


def _put_integer(of: Type, value: Any) -> bytes:
    return _signed(types.integer(of, value), types.WIDTHS[of])


def _get_integer(of: Type, data: bytes, at: int) -> tuple[int, int]:
    return _read_signed(data, at, types.WIDTHS[of])


def _put_real(of: Type, value: Any) -> bytes:
    number = types.real(of, value)
    number = float("nan") if number != number else number + 0.0  # one NaN, one zero
    bits: int = struct.unpack(">Q", struct.pack(">d", number))[0]
    return (bits ^ (_ALL if bits & _TOP else _TOP)).to_bytes(8, "big")


def _get_real(of: Type, data: bytes, at: int) -> tuple[float, int]:
    bits: int = struct.unpack_from(">Q", data, at)[0]
    bits ^= _TOP if bits & _TOP else _ALL
    number: float = struct.unpack(">d", bits.to_bytes(8, "big"))[0]
    return number, at + 8


def _put_boolean(of: Type, value: Any) -> bytes:
    if not isinstance(value, bool):
        raise types.wrong(of, value)
    return bytes([value])


def _get_boolean(of: Type, data: bytes, at: int) -> tuple[bool, int]:
    return (False, True)[data[at]], at + 1


def _raw(of: Type, value: Any) -> bytes:
    if of == "string" and isinstance(value, str):
        return value.encode("utf-8", "surrogatepass")
    if of == "binary" and isinstance(value, bytes | bytearray | memoryview):
        return bytes(value)
    raise types.wrong(of, value)


def _put_text(of: Type, value: Any) -> bytes:
    return _raw(of, value).replace(b"\x00", b"\x00\xff") + b"\x00\x00"


def _get_text(of: Type, data: bytes, at: int) -> tuple[Any, int]:
    end = data.index(b"\x00\x00", at)
    raw = data[at:end].replace(b"\x00\xff", b"\x00")
    return (raw.decode("utf-8", "surrogatepass") if of == "string" else raw), end + 2


def _put_instant(of: Type, value: Any) -> bytes:
    return _signed((types.instant(of, value) - _EPOCH) // _MICRO, 8)


def _get_instant(of: Type, data: bytes, at: int) -> tuple[datetime, int]:
    micros, end = _read_signed(data, at, 8)
    moment = _EPOCH + micros * _MICRO
    return (moment if of == "timestamp" else moment.replace(tzinfo=None)), end


def _put_day(of: Type, value: Any) -> bytes:
    return _signed(types.day(of, value).toordinal() - _DAY, 4)


def _get_day(of: Type, data: bytes, at: int) -> tuple[date, int]:
    days, end = _read_signed(data, at, 4)
    return date.fromordinal(days + _DAY), end


def _put_decimal(of: Type, value: Any) -> bytes:
    number = types.scaled(types.decimal(of, value), types.precision(of)[1])
    return _signed(number or 0, 16)


def _get_decimal(of: Type, data: bytes, at: int) -> tuple[Decimal, int]:
    unscaled, end = _read_signed(data, at, 16)
    return Decimal(unscaled).scaleb(-types.precision(of)[1], _EXACT), end


def _put_struct(of: Type, value: Any) -> bytes:
    values = types.record(of, value)
    return b"".join(_field(f["type"], v) for f, v in zip(of["fields"], values, strict=True))


def _get_struct(of: Type, data: bytes, at: int) -> tuple[FrozenRecord | Windowed[Any], int]:
    found = {}
    for field in of["fields"]:
        found[field["name"]], at = _read_field(field["type"], data, at)
    return (Windowed(**found) if types.is_windowed(of) else FrozenRecord(found)), at


def _put_array(of: Type, value: Any) -> bytes:
    if not isinstance(value, list | tuple):
        raise types.wrong(of, value)
    return b"".join(_VALUE + _field(of["elementType"], v) for v in value) + _NULL


def _get_array(of: Type, data: bytes, at: int) -> tuple[tuple[Any, ...], int]:
    found = []
    while data[at] == 1:
        value, at = _read_field(of["elementType"], data, at + 1)
        found.append(value)
    return tuple(found), at + 1


_CODECS: dict[str, tuple[Encode, Decode]] = {
    **dict.fromkeys(types.WIDTHS, (_put_integer, _get_integer)),
    **dict.fromkeys(("double", "float"), (_put_real, _get_real)),
    **dict.fromkeys(("string", "binary"), (_put_text, _get_text)),
    **dict.fromkeys(("timestamp", "timestamp_ntz"), (_put_instant, _get_instant)),
    "boolean": (_put_boolean, _get_boolean),
    "date": (_put_day, _get_day),
    "decimal": (_put_decimal, _get_decimal),
    "struct": (_put_struct, _get_struct),
    "array": (_put_array, _get_array),
}
