"""Words for types, and Python values checked against them."""

from __future__ import annotations

import re
from dataclasses import fields, is_dataclass
from datetime import UTC, date, datetime
from decimal import Decimal, InvalidOperation
from typing import Any

from holdfast.errors import HoldfastError
from holdfast.topics.windowed import Windowed

Type = Any  # Spark's DataType JSON

WIDTHS = {"byte": 1, "short": 2, "integer": 4, "long": 8}
_MOST_DIGITS = 200
_DECIMAL = re.compile(r"decimal\((\d+),\s*(-?\d+)\)")
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


def kind(of: Type) -> str:
    """The type's kind: `long`, `struct`, `decimal` …"""
    name: str = of["type"] if isinstance(of, dict) else of
    return "decimal" if name.startswith("decimal") else name


def is_windowed(of: Type) -> bool:
    """Whether the type is that of keys in windows."""
    if not isinstance(of, dict) or of.get("type") != "struct":
        return False
    fields = of["fields"]
    return [each["name"] for each in fields] == ["key", "start", "end"] and all(
        each["type"] == "timestamp" and (each.get("metadata") or {}).get("window") is True for each in fields[1:]
    )


def default(field: Type) -> Any:
    """What a field has, as JSON, where an older document lacks it."""
    return field.get("metadata", {}).get("default")


def precision(of: str) -> tuple[int, int]:
    """Precision and scale of a decimal type."""
    match = _DECIMAL.fullmatch(of)
    return (int(match[1]), int(match[2])) if match else (10, 0)


def words(of: Type) -> str:
    """The type as a person would write it: `record(user string, day date)`."""
    match kind(of):
        case "struct" if is_windowed(of):
            return f"a window of {words(of['fields'][0]['type'])}"
        case "struct":
            return f"record({', '.join(_field_words(f) for f in of['fields'])})"
        case "array":
            return f"array of {words(of['elementType'])}"
        case "map":
            return f"map of {words(of['keyType'])} to {words(of['valueType'])}"
    return str(of)


def example(of: Type) -> str:
    """How such a value is written in a URL or on a command line."""
    match kind(of):
        case "struct":
            names = (f["name"] for f in of["fields"])
            return f"JSON such as {{{', '.join(_quoted(name) for name in names)}}}"
        case "array":
            return "JSON such as [1, 2]"
        case "decimal":
            return "12.50"
    return _EXAMPLES.get(kind(of), "42")


def _field_words(field: dict[str, Any]) -> str:
    return f"{field['name']} {words(field['type'])}"


def _quoted(name: str) -> str:
    return f'"{name}": …'


def wrong(of: Type, value: Any) -> WrongType:
    """The error for a value that is not of the type."""
    return WrongType(f"wanted {words(of)}, for example {example(of)}; got {shown(value)}")


def shown(value: Any) -> str:
    """A value in a message: its beginning, if it is long."""
    try:
        text = repr(value)
    except (RecursionError, ValueError):  # nested too deeply, or a number of thousands of digits
        text = f"{type(value).__name__} that is too large to be shown"
    return text if len(text) <= 80 else text[:79] + "…"


def integer(of: Type, value: Any) -> int:
    """An int that fits the type's width."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise wrong(of, value)
    half = 1 << (8 * WIDTHS[of] - 1)
    if not -half <= value < half:
        raise WrongType(f"{shown(value)} is out of range for {of} ({-half} … {half - 1})")
    return value


def real(of: Type, value: Any) -> float:
    """A float; an int is welcome too."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise wrong(of, value)
    try:
        return float(value)
    except OverflowError:
        raise wrong(of, value) from None


def instant(of: Type, value: Any) -> datetime:
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


def local(of: Type, value: Any) -> datetime:
    """A naive datetime, for timestamps without a time zone."""
    return instant(of, value).replace(tzinfo=None)


def day(of: Type, value: Any) -> date:
    """A date; text is ISO 8601."""
    try:
        found = date.fromisoformat(value) if isinstance(value, str) else value
    except ValueError:
        raise wrong(of, value) from None
    if not isinstance(found, date) or isinstance(found, datetime):
        raise wrong(of, value)
    return found


def decimal(of: Type, value: Any) -> Decimal:
    """A Decimal that fits precision and scale exactly."""
    if isinstance(value, bool) or not isinstance(value, int | float | str | Decimal):
        raise wrong(of, value)
    try:
        number = Decimal(str(value))
    except InvalidOperation:
        raise wrong(of, value) from None
    digits, scale = precision(of)
    units = scaled(number, scale) if number.is_finite() and is_short(number) else None
    if units is None or abs(units) >= 10**digits:
        raise WrongType(f"{shown(value)} does not fit {of} (at most {digits} digits, {scale} of them after the point)")
    return number


def is_short(number: Decimal) -> bool:
    """Whether one may count with it: 1e999999999 is short to write, and as a whole number fills the memory."""
    _, digits, exponent = number.as_tuple()
    return len(digits) <= _MOST_DIGITS and abs(int(exponent)) <= _MOST_DIGITS


def scaled(number: Decimal, scale: int) -> int | None:
    """The number times ten to the scale, if that is whole; exact at any size."""
    sign, digits, exponent = number.as_tuple()
    shift = int(exponent) + scale
    unsigned = int("".join(map(str, digits)) or "0")
    if shift < 0:
        unsigned, rest = divmod(unsigned, 10**-shift)
        if rest:
            return None
    return (-1 if sign else 1) * unsigned * (10**shift if shift > 0 else 1)


def record(of: Type, value: Any, *, partial: bool = False) -> list[Any]:
    """The values of a record's fields in order, from a mapping, a dataclass or a tuple; partial: the leading ones."""
    names = [f["name"] for f in of["fields"]]
    if isinstance(value, Windowed) and is_windowed(of):
        return [value.key, value.start, value.end]
    if is_dataclass(value) and not isinstance(value, type):
        value = {f.name: getattr(value, f.name) for f in fields(value)}
    if isinstance(value, list | tuple):
        value = dict(zip(names, value, strict=False)) if len(value) <= len(names) else {"": value}
    if not isinstance(value, dict) or not value:
        raise wrong(of, value)
    given = names[: len(value)] if partial else names
    if set(value) != set(given):
        raise wrong(of, value)
    return [value[name] for name in given]


def _from_millis(of: Type, value: int) -> datetime:
    try:
        return datetime.fromtimestamp(value // 1000, UTC).replace(microsecond=value % 1000 * 1000)
    except (OverflowError, ValueError, OSError):
        raise wrong(of, value) from None


def _iso(of: Type, value: str) -> datetime:
    try:
        return datetime.fromisoformat(value)
    except ValueError:
        raise wrong(of, value) from None
