"""Small tables as HTML for notebooks, and as text for terminals; what they show came from records and is escaped."""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence

_LONGEST = 200


def html_table(columns: Sequence[str], rows: Iterable[Sequence[object]], caption: str = "") -> str:
    """A table as HTML.

    >>> html_table(["n"], [["<b>"]])
    '<table><thead><tr><th>n</th></tr></thead><tbody><tr><td>&lt;b&gt;</td></tr></tbody></table>'
    """
    head = "".join(f"<th>{html.escape(each)}</th>" for each in columns)
    lines = ("".join(f"<td>{html.escape(cell_text(cell))}</td>" for cell in row) for row in rows)
    body = "".join(f"<tr>{line}</tr>" for line in lines)
    title = f"<caption>{html.escape(caption)}</caption>" if caption else ""
    return f"<table>{title}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def text_table(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    r"""The same as lines of text.

    >>> print(text_table(["key", "n"], [["a", 1], ["bcde", 2]]))
    key   n
    a     1
    bcde  2
    """
    lines = [list(columns), *([_printable(cell_text(cell)) for cell in row] for row in rows)]
    widths = [max(len(line[at]) for line in lines) for at in range(len(columns))]
    padded = ("  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)) for line in lines)
    return "\n".join(line.rstrip() for line in padded)


def cell_text(value: object) -> str:
    """A value as a cell has it; a long one is cut.

    >>> cell_text(None), cell_text("tea"), cell_text([1, "a"])
    ('', 'tea', "[1, 'a']")
    """
    text = "" if value is None else value if isinstance(value, str) else str(value)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


def _printable(text: str) -> str:
    return "".join(each if each.isprintable() else each.encode("unicode_escape").decode() for each in text)
