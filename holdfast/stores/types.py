"""Words for types, and Python values checked against them."""

from __future__ import annotations

import dataclasses
import decimal as numbers
from datetime import UTC, date, datetime

from holdfast.errors import HoldfastError
from holdfast.topics.windowed import Windowed, is_windowed
from holdfast.types import Array, DataType, Decimal, Field, Map, Scalar, Struct, TypeVisitor

_MOST_DIGITS = 200
_EXAMPLES = {
    "boolean": "true",
    "string": "some text",
    "binary": "base64 such as aGk=",
    "timestamp": "2026-01-01T00:00:00Z",
    "timestamp_ntz": "2026-01-01T00:00:00",
    "date": "2026-01-01",
    "float": "1.5",
    "double": "1.5",
}


class WrongType(HoldfastError):
    """A value does not have the type that was wanted."""


class _Words(TypeVisitor[str]):
    def scalar(self, of: Scalar) -> str:
        return of.name

    def array(self, of: Array) -> str:
        return f"array of {self.visit(of.element)}"

    def map(self, of: Map) -> str:
        return f"map of {self.visit(of.key)} to {self.visit(of.value)}"

    def struct(self, of: Struct) -> str:
        if is_windowed(of):
            return f"a window of {self.visit(of.field('key'))}"
        return f"record({', '.join(map(self._field, of.fields))})"

    def _field(self, field: Field) -> str:
        return f"{field.name} {self.visit(field.type)}"

    def other(self, of: DataType) -> str:
        return str(of.to_json())


class _Example(TypeVisitor[str]):
    def scalar(self, of: Scalar) -> str:
        return _EXAMPLES.get(of.name, "42")

    def decimal(self, of: Decimal) -> str:
        return "12.50"

    def array(self, of: Array) -> str:
        return "JSON such as [1, 2]"

    def struct(self, of: Struct) -> str:
        return f"JSON such as {{{', '.join(map(_quoted, of.names))}}}"

    def other(self, of: DataType) -> str:
        return "42"


def words(of: DataType) -> str:
    """The type as a person would write it: `record(user string, day date)`."""
    return _Words().visit(of)


def example(of: DataType) -> str:
    """How such a value is written in a URL or on a command line."""
    return _Example().visit(of)


def _quoted(name: str) -> str:
    return f'"{name}": …'


def wrong(of: DataType, value: object) -> WrongType:
    """The error for a value that is not of the type."""
    return WrongType(f"wanted {words(of)}, for example {example(of)}; got {shown(value)}")


def shown(value: object) -> str:
    """A value in a message: its beginning, if it is long."""
    try:
        text = repr(value)
    except (RecursionError, ValueError):  # nested too deeply, or a number of thousands of digits
        text = f"{type(value).__name__} that is too large to be shown"
    return text if len(text) <= 80 else text[:79] + "…"


def integer(of: Scalar, value: object) -> int:
    """An int that fits the type's width."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise wrong(of, value)
    if (value if value >= 0 else ~value).bit_length() >= of.bits:
        half = 1 << (of.bits - 1)
        raise WrongType(f"{shown(value)} is out of range for {of.name} ({-half} … {half - 1})")
    return value


def real(of: DataType, value: object) -> float:
    """A float; an int is welcome too."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise wrong(of, value)
    try:
        return float(value)
    except OverflowError:
        raise wrong(of, value) from None


def instant(of: DataType, value: object) -> datetime:
    """An aware UTC datetime; text is ISO 8601 and numbers are milliseconds."""
    if isinstance(value, int) and not isinstance(value, bool):
        return _from_millis(of, value)
    moment = _iso(of, value) if isinstance(value, str) else value
    if not isinstance(moment, datetime):
        raise wrong(of, value)
    try:
        return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    except OverflowError:  # before the year 1 or after 9999 in UTC
        raise wrong(of, value) from None


def local(of: DataType, value: object) -> datetime:
    """A naive datetime, for timestamps without a time zone."""
    return instant(of, value).replace(tzinfo=None)


def day(of: DataType, value: object) -> date:
    """A date; text is ISO 8601."""
    try:
        found = date.fromisoformat(value) if isinstance(value, str) else value
    except ValueError:
        raise wrong(of, value) from None
    if not isinstance(found, date) or isinstance(found, datetime):
        raise wrong(of, value)
    return found


def decimal(of: Decimal, value: object) -> numbers.Decimal:
    """A Decimal that fits precision and scale exactly."""
    if isinstance(value, bool) or not isinstance(value, int | float | str | numbers.Decimal):
        raise wrong(of, value)
    try:
        number = numbers.Decimal(str(value))
    except numbers.InvalidOperation:
        raise wrong(of, value) from None
    digits, scale = of.precision, of.scale
    units = scaled(number, scale) if number.is_finite() and is_short(number) else None
    if units is None or abs(units) >= 10**digits:
        raise WrongType(
            f"{shown(value)} does not fit {of.name} (at most {digits} digits, {scale} of them after the point)"
        )
    return number


def is_short(number: numbers.Decimal) -> bool:
    """Whether one may count with it: 1e999999999 is short to write, and as a whole number fills the memory."""
    _, digits, exponent = number.as_tuple()
    return len(digits) <= _MOST_DIGITS and abs(int(exponent)) <= _MOST_DIGITS


def scaled(number: numbers.Decimal, scale: int) -> int | None:
    """The number times ten to the scale, if that is whole; exact at any size."""
    sign, digits, exponent = number.as_tuple()
    shift = int(exponent) + scale
    unsigned = int("".join(map(str, digits)) or "0")
    if shift < 0:
        unsigned, rest = divmod(unsigned, 10**-shift)
        if rest:
            return None
    return (-1 if sign else 1) * unsigned * (10**shift if shift > 0 else 1)


def record(of: Struct, value: object, *, partial: bool = False) -> list[object]:
    """The values of a record's fields in order, from a mapping, a dataclass or a tuple; partial: the leading ones."""
    names = of.names
    if isinstance(value, Windowed) and is_windowed(of):
        return [value.key, value.start, value.end]
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        value = {f.name: getattr(value, f.name) for f in dataclasses.fields(value)}
    if isinstance(value, list | tuple):
        value = dict(zip(names, value, strict=False)) if len(value) <= len(names) else {"": value}
    if not isinstance(value, dict) or not value:
        raise wrong(of, value)
    given = names[: len(value)] if partial else names
    if set(value) != set(given):
        raise wrong(of, value)
    return [value[name] for name in given]


def _from_millis(of: DataType, value: int) -> datetime:
    try:
        return datetime.fromtimestamp(value // 1000, UTC).replace(microsecond=value % 1000 * 1000)
    except (OverflowError, ValueError, OSError):
        raise wrong(of, value) from None


def _iso(of: DataType, value: str) -> datetime:
    try:
        return datetime.fromisoformat(value)
    except ValueError:
        raise wrong(of, value) from None
