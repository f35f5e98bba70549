"""Typed keys: from topic bytes and URL text to LMDB keys, and back."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from hashlib import blake2b
from typing import Any

from holdfast.stores import encoding, types, values
from holdfast.stores.types import Type, WrongType

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


def shorten(key: bytes) -> bytes:
    """The key LMDB is given: the key itself, or its beginning and a digest when it is too long."""
    return key if len(key) < LIMIT else key[:PREFIX] + blake2b(key, digest_size=LIMIT - PREFIX).digest()


@dataclass(frozen=True)
class KeyType:
    """What one store's keys are made of."""

    type: Type

    def encode(self, key: Any) -> bytes:
        """Ordered bytes of a Python key."""
        return encoding.encode(self.type, key)

    def decode(self, data: bytes) -> Any:
        """The Python key of ordered bytes."""
        return encoding.decode(self.type, data)

    def from_topic(self, data: bytes) -> bytes:
        """Ordered bytes of a key as the changelog writes it: a scalar as text, a record as JSON, bytes raw."""
        if self.type == "binary":
            return self.encode(data)
        try:
            text = data.decode("utf-8", "surrogatepass")
        except UnicodeDecodeError:
            raise WrongType(f"the key is not UTF-8, and no {types.words(self.type)}") from None
        return self.encode(self.parse(text))

    def parse(self, text: str) -> Any:
        """A key from text, as in a URL; `WrongType` says what was wanted."""
        parser = _PARSERS.get(types.kind(self.type), _parse_json)
        return parser(self.type, text)

    def read(self, given: Any) -> Any:
        """A key from parsed JSON; a text is read as in a URL."""
        return self.parse(given) if isinstance(given, str) else _from_json(self.type, given)

    def bounds(self, start: Any = None, end: Any = None, prefix: Any = None) -> Bounds:
        """The range from start to end, both inclusive, within the prefix; of a record the leading fields suffice."""
        low = None if start is None else self._leading(start)
        high = None if end is None else self._above(end)
        if prefix is not None:
            inside = self._prefix(prefix)
            top = encoding.after_prefix(inside)
            low = inside if low is None else max(low, inside)
            high = top if high is None or (top is not None and top < high) else high
        return Bounds(low, high)

    def parse_bounds(self, start: str | None, end: str | None, prefix: str | None) -> Bounds:
        """`bounds` from text, as in a URL."""
        return self.bounds(self._parse_leading(start), self._parse_leading(end), self._parse_prefix(prefix))

    def window_bounds(self, key: Any, start: Any = None, end: Any = None) -> Bounds:
        """The windows of a key that begin from start to end, both inclusive."""
        self._want_windows()
        bounds = self.bounds(prefix=(key,))
        low = None if start is None else encoding.encode_leading(self.type, (key, start))
        high = None if end is None else encoding.after_prefix(encoding.encode_leading(self.type, (key, end)))
        return Bounds(bounds.low if low is None else low, bounds.high if high is None else high)

    def parse_window_bounds(self, key: Any, start: str | None, end: str | None) -> Bounds:
        """`window_bounds` from text, as in a URL; the key may be JSON, too."""
        self._want_windows()
        times = [None if text is None else _parse_instant("timestamp", text) for text in (start, end)]
        return self.window_bounds(KeyType(self.type["fields"][0]["type"]).read(key), *times)

    def _want_windows(self) -> None:
        if not types.is_windowed(self.type):
            raise WrongType(f"the keys have no windows, they are {types.words(self.type)}")

    def _leading(self, key: Any) -> bytes:
        return encoding.encode_leading(self.type, key) if self._is_record() else self.encode(key)

    def _above(self, key: Any) -> bytes | None:
        return encoding.after_prefix(self._leading(key)) if self._is_record() else self.encode(key) + b"\x00"

    def _prefix(self, prefix: Any) -> bytes:
        if self._is_record():
            return encoding.encode_leading(self.type, prefix)
        if self.type not in ("string", "binary"):
            raise WrongType(f"a prefix works on string, binary and record keys; this key is {types.words(self.type)}")
        return self.encode(prefix)

    def _parse_leading(self, text: str | None) -> Any:
        if text is None or not self._is_record():
            return None if text is None else self.parse(text)
        return _leading_fields(self.type, text)

    def _parse_prefix(self, text: str | None) -> Any:
        return text if self.type == "string" else self._parse_leading(text)

    def _is_record(self) -> bool:
        return types.kind(self.type) == "struct"


def _parse_integer(of: Type, text: str) -> int:
    if not _INTEGER.fullmatch(text):
        raise types.wrong(of, text)
    return types.integer(of, int(text))


def _parse_real(of: Type, text: str) -> float:
    if not _NUMBER.fullmatch(text):
        raise types.wrong(of, text)
    return float(text)


def _parse_boolean(of: Type, text: str) -> bool:
    if text not in ("true", "false"):
        raise types.wrong(of, text)
    return text == "true"


def _parse_instant(of: Type, text: str) -> Any:
    return types.instant(of, int(text) if _INTEGER.fullmatch(text) else text)


def _parse_decimal(of: Type, text: str) -> Decimal:
    if not _NUMBER.fullmatch(text):
        raise types.wrong(of, text)
    return types.decimal(of, text)


def _load(of: Type, text: str) -> Any:
    try:
        return values.loads(of, text.encode("utf-8", "surrogatepass"))
    except ValueError:
        raise types.wrong(of, text) from None


def _parse_json(of: Type, text: str) -> Any:
    return _from_json(of, _load(of, text))


def _from_json(of: Type, parsed: Any) -> Any:
    if types.kind(of) == "struct" and isinstance(parsed, dict) and set(parsed) != {f["name"] for f in of["fields"]}:
        raise types.wrong(of, parsed)
    found = values.from_json(of, parsed)
    if found is None:
        raise types.wrong(of, parsed)
    return found


def _leading_fields(of: Type, text: str) -> Any:
    parsed = _load(of, text)
    given = types.record(of, parsed, partial=True)
    return [values.from_json(f["type"], v) for f, v in zip(of["fields"], given, strict=False)]


_PARSERS: dict[str, Callable[[Type, str], Any]] = {
    **dict.fromkeys(types.WIDTHS, _parse_integer),
    **dict.fromkeys(("double", "float"), _parse_real),
    **dict.fromkeys(("timestamp", "timestamp_ntz"), _parse_instant),
    "boolean": _parse_boolean,
    "string": lambda _, text: text,
    "binary": values.unbase64,
    "date": types.day,
    "decimal": _parse_decimal,
}
