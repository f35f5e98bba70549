"""Typed keys: from topic bytes and URL text to LMDB keys, and back."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from functools import cached_property
from hashlib import blake2b
from typing import TypeVar, cast

from holdfast.stores import types, values
from holdfast.stores.key_codec import KeyCodec, after_prefix
from holdfast.stores.types import WrongType
from holdfast.topics.windowed import is_windowed
from holdfast.types import BINARY, STRING, TIMESTAMP, DataType, Scalar, Struct, TypeVisitor
from holdfast.types import Decimal as DecimalType

K = TypeVar("K")
Parse = Callable[[str], object]
"""What a text is as a key."""

LIMIT = 511  # LMDB's
PREFIX = LIMIT - 32
_INTEGER = re.compile(r"[+-]?[0-9]{1,40}")
_NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?|[+-]?(NaN|Infinity|inf)")


@dataclass(frozen=True)
class Bounds:
    """A half-open range of encoded keys; None is open."""

    low: bytes | None = None
    high: bytes | None = None

    def holds(self, key: bytes) -> bool:
        """Whether the key lies inside."""
        return (self.low is None or key >= self.low) and (self.high is None or key < self.high)

    def after(self, key: bytes) -> Bounds:
        """The part of the range that lies after the key."""
        least = key + b"\x00"
        return Bounds(least if self.low is None else max(self.low, least), self.high)

    def before(self, key: bytes) -> Bounds:
        """The part of the range that lies before the key."""
        return Bounds(self.low, key if self.high is None else min(self.high, key))


def shorten(key: bytes) -> bytes:
    """The key LMDB is given: the key itself, or its beginning and a digest when it is too long."""
    return key if len(key) < LIMIT else key[:PREFIX] + blake2b(key, digest_size=LIMIT - PREFIX).digest()


@dataclass(frozen=True)
class KeyType:
    """What one store's keys are made of."""

    type: DataType

    @cached_property
    def _codec(self) -> KeyCodec:
        return KeyCodec(self.type)

    @cached_property
    def _is_binary(self) -> bool:
        return self.type == BINARY

    @cached_property
    def _is_integer(self) -> bool:
        return isinstance(self.type, Scalar) and self.type.is_integer

    @cached_property
    def _parse(self) -> Parse:
        return _Parser().visit(self.type)

    @cached_property
    def _convert(self) -> values.Convert:
        return _converter(self.type)

    def encode(self, key: object) -> bytes:
        """Ordered bytes of a Python key."""
        return self._codec.encode(key)

    def decode(self, data: bytes) -> object:
        """The Python key of ordered bytes."""
        return self._codec.decode(data)

    def hashable(self, key: K) -> K:
        """A key as it was given; a dict as the record that can be a key of another dict."""
        return cast("K", self.decode(self.encode(key))) if isinstance(key, dict) else key

    def from_topic(self, data: bytes) -> bytes:
        """Ordered bytes of a key as the changelog writes it: a scalar as text, a record as JSON, bytes raw."""
        if self._is_binary:
            return self.encode(data)
        try:
            text = data.decode("utf-8", "surrogatepass")
        except UnicodeDecodeError:
            raise WrongType(f"the key is not UTF-8, and no {types.words(self.type)}") from None
        return self.encode(self.parse(text))

    def parse(self, text: str) -> object:
        """A key from text, as in a URL; `WrongType` says what was wanted."""
        return self._parse(text)

    def read(self, given: object) -> object:
        """A key from parsed JSON; a text is read as in a URL."""
        return self.parse(given) if isinstance(given, str) else self._convert(given)

    def encode_given(self, given: Sequence[object]) -> list[bytes]:
        """Ordered bytes of keys from parsed JSON; of many whole numbers or texts at once."""
        kinds = set(map(type, given))
        is_plain = kinds == {str} if self.type == STRING else kinds == {int} and self._is_integer
        return self._codec.encode_all(given if is_plain else [self.read(each) for each in given])

    def bounds(self, start: object = None, end: object = None, prefix: object = None) -> Bounds:
        """The range from start to end, both inclusive, within the prefix; of a record the leading fields suffice."""
        low = None if start is None else self._leading(start)
        high = None if end is None else self._above(end)
        if prefix is not None:
            inside = self._prefix(prefix)
            top = after_prefix(inside)
            low = inside if low is None else max(low, inside)
            high = top if high is None or (top is not None and top < high) else high
        return Bounds(low, high)

    def parse_bounds(self, start: str | None, end: str | None, prefix: str | None) -> Bounds:
        """`bounds` from text, as in a URL."""
        return self.bounds(self._parse_leading(start), self._parse_leading(end), self._parse_prefix(prefix))

    def window_bounds(self, key: object, start: object = None, end: object = None) -> Bounds:
        """The windows of a key that begin from start to end, both inclusive."""
        self.require_windows()
        bounds = self.bounds(prefix=(key,))
        low = None if start is None else self._codec.encode_leading((key, start))
        high = None if end is None else after_prefix(self._codec.encode_leading((key, end)))
        return Bounds(bounds.low if low is None else low, bounds.high if high is None else high)

    def parse_window_bounds(self, key: object, start: str | None, end: str | None) -> Bounds:
        """`window_bounds` from text, as in a URL; the key may be JSON, too."""
        keys = self.require_windows().field("key")
        times = [None if text is None else _parse_instant(TIMESTAMP, text) for text in (start, end)]
        return self.window_bounds(KeyType(keys).read(key), *times)

    def require_windows(self) -> Struct:
        """The type of the keys, if they are keys in windows; `WrongType` otherwise."""
        if not isinstance(self.type, Struct) or not is_windowed(self.type):
            raise WrongType(f"the keys have no windows, they are {types.words(self.type)}")
        return self.type

    def _leading(self, key: object) -> bytes:
        return self._codec.encode_leading(key) if isinstance(self.type, Struct) else self.encode(key)

    def _above(self, key: object) -> bytes | None:
        return after_prefix(self._leading(key)) if isinstance(self.type, Struct) else self.encode(key) + b"\x00"

    def _prefix(self, prefix: object) -> bytes:
        if isinstance(self.type, Struct):
            return self._codec.encode_leading(prefix)
        if self.type not in (STRING, BINARY):
            raise WrongType(f"a prefix works on string, binary and record keys; this key is {types.words(self.type)}")
        return self.encode(prefix)

    def _parse_leading(self, text: str | None) -> object:
        if text is None or not isinstance(self.type, Struct):
            return None if text is None else self.parse(text)
        return _leading_fields(self.type, text)

    def _parse_prefix(self, text: str | None) -> object:
        return text if self.type == STRING else self._parse_leading(text)


def _parse_integer(of: Scalar, text: str) -> int:
    if not _INTEGER.fullmatch(text):
        raise types.wrong(of, text)
    return types.integer(of, int(text))


def _parse_real(of: DataType, text: str) -> float:
    if not _NUMBER.fullmatch(text):
        raise types.wrong(of, text)
    return float(text)


def _parse_boolean(of: DataType, text: str) -> bool:
    if text not in ("true", "false"):
        raise types.wrong(of, text)
    return text == "true"


def _parse_instant(of: DataType, text: str) -> datetime:
    return types.instant(of, int(text) if _INTEGER.fullmatch(text) else text)


def _parse_decimal(of: DecimalType, text: str) -> Decimal:
    if not _NUMBER.fullmatch(text):
        raise types.wrong(of, text)
    return types.decimal(of, text)


def _json_parser(of: DataType) -> Parse:
    parse = values.parser(of)

    def parsed(text: str) -> object:
        try:
            return parse(text.encode("utf-8", "surrogatepass"))
        except ValueError:
            raise types.wrong(of, text) from None

    return parsed


def _converter(of: DataType) -> values.Convert:
    """A function that makes a key of parsed JSON; a record has all its fields and no others."""
    convert, names = values.converter(of), set(of.names) if isinstance(of, Struct) else None

    def converted(parsed: object) -> object:
        if names is not None and isinstance(parsed, dict) and set(parsed) != names:
            raise types.wrong(of, parsed)
        found = convert(parsed)
        if found is None:
            raise types.wrong(of, parsed)
        return found

    return converted


def _leading_fields(of: Struct, text: str) -> list[object]:
    given = types.record(of, _json_parser(of)(text), partial=True)
    return [values.converter(field.type)(each) for field, each in zip(of.fields, given, strict=False)]


class _Parser(TypeVisitor[Parse]):
    """A function that reads a key of a type from text."""

    def scalar(self, of: Scalar) -> Parse:
        parse = _parse_integer if of.is_integer else _SCALARS.get(of.name)
        return self.other(of) if parse is None else lambda text: parse(of, text)

    def decimal(self, of: DecimalType) -> Parse:
        return lambda text: _parse_decimal(of, text)

    def other(self, of: DataType) -> Parse:
        parse, convert = _json_parser(of), _converter(of)
        return lambda text: convert(parse(text))


_SCALARS: dict[str, Callable[[Scalar, str], object]] = {
    **dict.fromkeys(("double", "float"), _parse_real),
    **dict.fromkeys(("timestamp", "timestamp_ntz"), _parse_instant),
    "boolean": _parse_boolean,
    "string": lambda _, text: text,
    "binary": values.unbase64,
    "date": types.day,
}
