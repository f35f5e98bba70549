"""Key bytes whose order is the order of the keys.

Every value starts with a mark (null 0, value 1), so nulls come first and no key is empty. Integers are big-endian
with the sign flipped; texts inside a record end with two zero bytes, a zero byte of their own becoming 00 FF.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from decimal import Context
from decimal import Decimal as Number
from typing import NoReturn, cast

from holdfast.stores import types
from holdfast.stores.types import WrongType
from holdfast.topics.windowed import Windowed, is_windowed
from holdfast.types import BINARY, STRING, TIMESTAMP, Array, DataType, Decimal, Scalar, Struct, TypeVisitor

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_DAY = date(1970, 1, 1).toordinal()
_MICRO = timedelta(microseconds=1)
_EXACT = Context(prec=60)
_NULL, _VALUE = b"\x00", b"\x01"
_ALL = (1 << 64) - 1
_TOP = 1 << 63
_PACKED = {8: ">BB", 16: ">BH", 32: ">BI", 64: ">BQ"}

Put = Callable[[object], bytes]
Get = Callable[[bytes, int], tuple[object, int]]
"""What is read, and where it ends."""


@dataclass(frozen=True)
class Part:
    """How a value that is there is written in a key, and read; made once for a type."""

    put: Put
    get: Get

    def put_or_null(self, value: object) -> bytes:
        """The same of a value that may be missing, with its mark."""
        return _NULL if value is None else _VALUE + self.put(value)

    def get_or_null(self, data: bytes, at: int) -> tuple[object, int]:
        """A value with its mark."""
        if data[at] == 0:
            return None, at + 1
        if data[at] != 1:
            raise ValueError("no mark")
        return self.get(data, at + 1)


class FrozenRecord(dict[str, object]):
    """A record key: a dict that can be a key of another dict."""

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(tuple(self.items()))

    def _frozen(self, *_: object, **__: object) -> NoReturn:
        raise TypeError("a record key cannot be changed; copy it with dict(key)")

    __setitem__ = __delitem__ = clear = pop = popitem = setdefault = update = __ior__ = _frozen


class KeyCodec:
    """Keys of one type as bytes."""

    def __init__(self, of: DataType) -> None:
        self._type = of
        self._part = _Parts().visit(of)
        # A text at the top is not terminated, so that prefixes work.
        self._is_raw = of in (STRING, BINARY)
        self._leading = [_Parts().visit(each.type) for each in of.fields] if isinstance(of, Struct) else []

    def encode(self, key: object) -> bytes:
        """The bytes of a whole key."""
        if key is None:
            raise types.wrong(self._type, key)
        return _VALUE + _raw(self._type, key) if self._is_raw else self._part.put_or_null(key)

    def encode_all(self, keys: Sequence[object]) -> list[bytes]:
        """The same of many keys; texts and whole numbers take a fraction of the time."""
        kinds = set(map(type, keys))
        if kinds == {str} and self._type == STRING:
            return [_VALUE + str.encode(key, "utf-8", "surrogatepass") for key in keys]  # type: ignore[arg-type]
        if kinds == {int} and isinstance(self._type, Scalar) and self._type.is_integer:
            return self._integers(cast("Sequence[int]", keys), self._type)
        return [self.encode(key) for key in keys]

    def _integers(self, keys: Sequence[int], of: Scalar) -> list[bytes]:
        top = 1 << (of.bits - 1)
        for key in (min(keys), max(keys)):
            types.integer(of, key)
        pack = struct.Struct(_PACKED[of.bits]).pack
        return [pack(1, key + top) for key in keys]

    def encode_leading(self, values: object) -> bytes:
        """The bytes of the leading fields of a record key: a prefix of every key that starts with them."""
        assert isinstance(self._type, Struct)
        given = types.record(self._type, values, partial=True)
        return _VALUE + b"".join(part.put_or_null(each) for part, each in zip(self._leading, given, strict=False))

    def decode(self, data: bytes) -> object:
        """The key that `encode` made these bytes of."""
        try:
            if self._is_raw:
                return data[1:].decode("utf-8", "surrogatepass") if self._type == STRING else data[1:]
            value, end = self._part.get_or_null(data, 0)
        except (IndexError, struct.error, ValueError, OverflowError) as error:
            raise WrongType(f"not the bytes of a key of type {types.words(self._type)}") from error
        if end != len(data) or value is None:
            raise WrongType(f"not the bytes of a key of type {types.words(self._type)}")
        return value


def after_prefix(prefix: bytes) -> bytes | None:
    """The least bytes greater than everything that starts with the prefix; None if there are none."""
    kept = prefix.rstrip(b"\xff")
    return kept[:-1] + bytes([kept[-1] + 1]) if kept else None


class _Parts(TypeVisitor[Part]):
    def scalar(self, of: Scalar) -> Part:
        found = _integers(of) if of.is_integer else _SCALARS[of.name](of) if of.name in _SCALARS else None
        return self.other(of) if found is None else found

    def decimal(self, of: Decimal) -> Part:
        def put(value: object) -> bytes:
            return _signed(types.scaled(types.decimal(of, value), of.scale) or 0, 16)

        def get(data: bytes, at: int) -> tuple[Number, int]:
            unscaled, end = _read_signed(data, at, 16)
            return Number(unscaled).scaleb(-of.scale, _EXACT), end

        return Part(put, get)

    def array(self, of: Array) -> Part:
        element = self.visit(of.element)

        def put(value: object) -> bytes:
            if not isinstance(value, list | tuple):
                raise types.wrong(of, value)
            return b"".join(_VALUE + element.put_or_null(each) for each in value) + _NULL

        def get(data: bytes, at: int) -> tuple[tuple[object, ...], int]:
            found = []
            while data[at] == 1:
                value, at = element.get_or_null(data, at + 1)
                found.append(value)
            return tuple(found), at + 1

        return Part(put, get)

    def struct(self, of: Struct) -> Part:
        parts = [(each.name, self.visit(each.type)) for each in of.fields]

        def put(value: object) -> bytes:
            values = types.record(of, value)
            return b"".join(part.put_or_null(each) for (_, part), each in zip(parts, values, strict=True))

        def get(data: bytes, at: int) -> tuple[FrozenRecord, int]:
            found = {}
            for name, part in parts:
                found[name], at = part.get_or_null(data, at)
            return FrozenRecord(found), at

        return Part(put, self._windowed(of) if is_windowed(of) else get)

    def _windowed(self, of: Struct) -> Get:
        part = self.visit(of.field("key"))

        def get(data: bytes, at: int) -> tuple[Windowed[object], int]:
            key, at = part.get_or_null(data, at)
            start, at = _get_moment(data, at)
            end, at = _get_moment(data, at)
            return Windowed(key, start, end), at

        return get

    def other(self, of: DataType) -> Part:
        def refuse(*_: object) -> NoReturn:
            raise WrongType(f"{types.words(of)} cannot be a key; use a scalar, an array or a record of them")

        return Part(refuse, refuse)


def _signed(value: int, width: int) -> bytes:
    return (value + (1 << (8 * width - 1))).to_bytes(width, "big")


def _read_signed(data: bytes, at: int, width: int) -> tuple[int, int]:
    if len(data) < at + width:
        raise IndexError("too short")
    return int.from_bytes(data[at : at + width], "big") - (1 << (8 * width - 1)), at + width


def _integers(of: Scalar) -> Part:
    width = of.bits // 8
    return Part(lambda value: _signed(types.integer(of, value), width), lambda data, at: _read_signed(data, at, width))


def _reals(of: Scalar) -> Part:
    def put(value: object) -> bytes:
        number = types.real(of, value)
        number = float("nan") if number != number else number + 0.0  # one NaN, one zero
        bits: int = struct.unpack(">Q", struct.pack(">d", number))[0]
        return (bits ^ (_ALL if bits & _TOP else _TOP)).to_bytes(8, "big")

    return Part(put, _get_real)


def _get_real(data: bytes, at: int) -> tuple[float, int]:
    bits: int = struct.unpack_from(">Q", data, at)[0]
    bits ^= _TOP if bits & _TOP else _ALL
    number: float = struct.unpack(">d", bits.to_bytes(8, "big"))[0]
    return number, at + 8


def _booleans(of: Scalar) -> Part:
    def put(value: object) -> bytes:
        if not isinstance(value, bool):
            raise types.wrong(of, value)
        return bytes([value])

    return Part(put, lambda data, at: ((False, True)[data[at]], at + 1))


def _raw(of: DataType, value: object) -> bytes:
    if of == STRING and isinstance(value, str):
        return value.encode("utf-8", "surrogatepass")
    if of == BINARY and isinstance(value, bytes | bytearray | memoryview):
        return bytes(value)
    raise types.wrong(of, value)


def _texts(of: Scalar) -> Part:
    is_text = of == STRING

    def put(value: object) -> bytes:
        return _raw(of, value).replace(b"\x00", b"\x00\xff") + b"\x00\x00"

    def get(data: bytes, at: int) -> tuple[str | bytes, int]:
        end = data.index(b"\x00\x00", at)
        raw = data[at:end].replace(b"\x00\xff", b"\x00")
        return (raw.decode("utf-8", "surrogatepass") if is_text else raw), end + 2

    return Part(put, get)


def _instants(of: Scalar) -> Part:

    def put(value: object) -> bytes:
        return _signed((types.instant(of, value) - _EPOCH) // _MICRO, 8)

    def get_local(data: bytes, at: int) -> tuple[datetime, int]:
        moment, end = _get_instant(data, at)
        return moment.replace(tzinfo=None), end

    return Part(put, _get_instant if of == TIMESTAMP else get_local)


def _get_instant(data: bytes, at: int) -> tuple[datetime, int]:
    micros, end = _read_signed(data, at, 8)
    return _EPOCH + micros * _MICRO, end


def _get_moment(data: bytes, at: int) -> tuple[datetime, int]:
    """The beginning or end of a window, with its mark."""
    if data[at] != 1:
        raise ValueError("no mark of a value")
    return _get_instant(data, at + 1)


def _days(of: Scalar) -> Part:
    def get(data: bytes, at: int) -> tuple[date, int]:
        days, end = _read_signed(data, at, 4)
        return date.fromordinal(days + _DAY), end

    return Part(lambda value: _signed(types.day(of, value).toordinal() - _DAY, 4), get)


_SCALARS: dict[str, Callable[[Scalar], Part]] = {
    **dict.fromkeys(("double", "float"), _reals),
    **dict.fromkeys(("string", "binary"), _texts),
    **dict.fromkeys(("timestamp", "timestamp_ntz"), _instants),
    "boolean": _booleans,
    "date": _days,
}
