"""A query that is watched, apart from how it is read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import orjson

from holdfast.client import sql
from holdfast.client.connection import RequestError
from holdfast.client.requests import Request

Row = dict[str, Any]  # what a query selects


@dataclass(frozen=True)
class SqlUpdate:
    """The rows that epochs up to one have added to the result of a query and removed; the first one adds all."""

    epoch: int
    added: list[Row]
    removed: list[Row]
    is_snapshot: bool = False


class WatchedQuery:
    """What to ask for, and what the lines of the answer say."""

    def __init__(self, text: str, parameters: Sequence[object] | Mapping[str, object]) -> None:
        self.request = Request(f"{sql.PATH}/changes", body=sql.body(text, parameters, None))
        self._columns: list[str] = []

    def read(self, line: str) -> SqlUpdate | None:
        """The update that a line has."""
        if not line:
            return None
        said = orjson.loads(line)
        if "error" in said:
            error = said["error"]
            raise RequestError(f"{error['message']}; {error['hint']}", code=error["code"])
        self._columns = said.get("columns", self._columns)
        if "rows" in said:
            return SqlUpdate(said["epoch"], self._rows(said["rows"]), [], is_snapshot=True)
        return SqlUpdate(said["epoch"], self._rows(said["added"]), self._rows(said["removed"]))

    def _rows(self, rows: list[list[Any]]) -> list[Row]:
        return [dict(zip(self._columns, row, strict=True)) for row in rows]
