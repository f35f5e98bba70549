"""What DuckDB says of a query, as the answer to a request."""

from __future__ import annotations

import re

import duckdb

from holdfast.server.responses import Refusal
from holdfast.server.sql.limits import SqlLimits

_KIND = re.compile(r"^[A-Z][\w ]* Error: ")
_LINE = re.compile(r"(\d+): ")
_SHOWN = 1000
EXPLAINED = "EXPLAIN\n"


def refusal(error: duckdb.Error, limits: SqlLimits) -> Refusal:
    """The refusal of a query that DuckDB does not run."""
    message, _, where = str(error).partition("\n\nLINE ")
    said = _KIND.sub("", message).strip()[:_SHOWN]
    if isinstance(error, duckdb.OutOfMemoryException):
        hint = "ask for fewer rows or groups, or for a range of keys"
        return Refusal(413, "too_large", f"the query needs more than the {limits.memory >> 20} MB it may have", hint)
    if isinstance(error, duckdb.PermissionException):
        return Refusal(400, "not_allowed", said.splitlines()[0], "queries read stores and nothing else")
    hint = (
        _place(where, isinstance(error, duckdb.BinderException))
        if where
        else "DESCRIBE a store to see its columns, SHOW TABLES to see the stores"
    )
    return Refusal(400, "bad_sql", said, hint)


def _place(where: str, is_explained: bool) -> str:
    """DuckDB's line and the mark below it; one that came of an explanation counts from the line before the query."""
    found = _LINE.match(where)
    if found is None or not is_explained:
        return f"line {where[:_SHOWN]}"
    number, (line, _, mark) = int(found[1]) - 1, where[found.end() :].partition("\n")
    shift = len(f"line {number}: ") - len(f"LINE {found[0]}")
    mark = " " * shift + mark if shift > 0 else mark[-shift:]
    return f"line {number}: {line}\n{mark}"[:_SHOWN]
