"""Which function replaces a method of Python's str, datetime or date, which fields do not have."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime

from holdfast.types import DATE, STRING, TIMESTAMP, DataType

_TYPES: Mapping[DataType, type] = {STRING: str, TIMESTAMP: datetime, DATE: date}
_TEXT = {
    "upper": "F.upper(x)",
    "lower": "F.lower(x)",
    "casefold": "F.lower(x)",
    "strip": "F.trim(x)",
    "lstrip": "F.ltrim(x)",
    "rstrip": "F.rtrim(x)",
    "title": "F.initcap(x)",
    "split": 'F.split(x, "regex")',
    "replace": "F.replace(x, F.lit(old), F.lit(new))",
    "find": "F.instr(x, part) - 1",
    "zfill": 'F.lpad(x, n, "0")',
}
_TIME = {
    "date": "F.to_date(x)",
    "isoformat": 'F.cast(x, "string")',
    "strftime": 'F.date_format(x, "yyyy-MM-dd")',
    "timestamp": "F.unix_seconds(x)",
    **{part: f"F.{part}(x)" for part in ("year", "month", "day", "hour", "minute", "second", "weekday")},
}


def instead_of_method(type_: DataType, name: str) -> str:
    """The end of a message about a name that values of the type have in Python; empty if they do not.

    >>> instead_of_method(STRING, "upper")
    '; write F.upper(x), or run it in Python: hf.python(f, returns=...)'
    """
    if type_ not in _TYPES or not hasattr(_TYPES[type_], name):
        return ""
    found = (_TEXT if type_ == STRING else _TIME).get(name)
    return f"; {f'write {found}, or ' if found else ''}run it in Python: hf.python(f, returns=...)"
