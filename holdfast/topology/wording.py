"""Expressions in words, close to how they were written."""

from __future__ import annotations

import json
from collections.abc import Callable

from holdfast.documents import Document

OPERATORS = frozenset(["+", "-", "*", "/", "%", "=", "!=", "<", "<=", ">", ">=", "<=>", "&", "|", "^", "and", "or"])


def wording(expr: object, limit: int = 60) -> str:
    """Write an expression of the topology's JSON on one line of at most `limit` characters.

    >>> wording({"call": ">", "args": [{"slot": "value", "path": ["score"]}, {"lit": 10}]})
    'value.score > 10'
    """
    text = _text(expr)
    return text if len(text) <= limit else text[: limit - 1].rstrip() + "…"


def _text(e: object) -> str:
    for form, write in _FORMS.items():
        if isinstance(e, dict) and form in e:
            return write(e)
    return json.dumps(e, ensure_ascii=False)


def _inner(e: object) -> str:
    text = _text(e)
    return f"({text})" if isinstance(e, dict) and e.get("call") in OPERATORS else text


def _call(e: Document) -> str:
    name, args = e["call"], e.get("args", [])
    if name in OPERATORS and len(args) == 2:
        return f"{_inner(args[0])} {name} {_inner(args[1])}"
    if name in ("not", "-", "~") and len(args) == 1:
        return f"{name} {_inner(args[0])}" if name == "not" else f"{name}{_inner(args[0])}"
    distinct = "distinct " if e.get("distinct") else ""
    return f"{name}({distinct}{', '.join(map(_text, args))})"


def _case(e: Document) -> str:
    whens = " ".join(f"when {_text(condition)} then {_text(value)}" for condition, value in e["case"])
    otherwise = f" else {_text(e['else'])}" if e.get("else") is not None else ""
    return f"case {whens}{otherwise} end"


def _type(t: str | Document) -> str:
    return t if isinstance(t, str) else str(t.get("ddl") or t.get("type"))


def _get(e: Document) -> str:
    return f"{_inner(e['get'])}[{_text(e['key'])}]"


def _lambda(e: Document) -> str:
    return f"{', '.join(e['lambda'])} -> {_text(e['body'])}"


_FORMS: dict[str, Callable[[Document], str]] = {
    "col": lambda e: f"field {e['col']!r}",
    "slot": lambda e: ".".join([e["slot"], *e.get("path", [])]),
    "call": _call,
    "lit": lambda e: json.dumps(e["lit"], ensure_ascii=False),
    "star": lambda e: "*",
    "cast": lambda e: f"cast({_text(e['cast'])} as {_type(e['to'])})",
    "case": _case,
    "struct": lambda e: "{" + ", ".join(f"{name}: {_text(value)}" for name, value in e["struct"]) + "}",
    "array": lambda e: "[" + ", ".join(map(_text, e["array"])) + "]",
    "get": _get,
    "lambda": _lambda,
    "var": lambda e: str(e["var"]),
    "meta": lambda e: f"{e['meta']}()",
    "sql": lambda e: str(e["sql"]),
    "python": lambda e: str(e["python"]),
}
