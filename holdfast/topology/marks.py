"""The mark in the `repr` of an expression: a constant that contains it was made of a field by mistake."""

from __future__ import annotations

from collections.abc import Mapping

from holdfast.errors import ExpressionError

MARK = "holdfast.expression"


def refuse_marked(value: object, at: str) -> None:
    """Refuse a name or a constant, wherever it lies in `value`, that was made of an expression."""
    found = _marked(value)
    if found is not None:
        raise ExpressionError(
            f"{found!r} is the description of a field and not its value, which is not there while the program is "
            'read; write F.cast(x, "string"), F.concat(a, b) or F.format_string("%s", x), or run it in Python: '
            "hf.python(f, returns=...)",
            at=at,
        )


def _marked(value: object) -> str | None:
    if isinstance(value, str):
        return value if MARK in value.lower() else None
    if isinstance(value, Mapping):
        return next(filter(None, map(_marked, [*value.keys(), *value.values()])), None)
    if isinstance(value, (list, tuple)):
        return next(filter(None, map(_marked, value)), None)
    return None
