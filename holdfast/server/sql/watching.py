"""`/sql/changes`: the rows of a query, and with every epoch those that came and those that went."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass

from holdfast.server.handlers import Service
from holdfast.server.request_meter import LATER
from holdfast.server.responses import Refusal
from holdfast.server.sql import formats
from holdfast.server.sql.endpoint import SqlEndpoint
from holdfast.server.sql.engine import SqlQuery, SqlResult
from holdfast.stores import exact_json
from holdfast.stores.backend import Stores
from holdfast.stores.epoch_position import EpochPosition
from holdfast.stores.session_token import token_of
from holdfast.stores.snapshot import Snapshot

_LOOK = 0.02
_AGAIN = 0.5
_BUSY = "busy"


@dataclass(frozen=True)
class RowsEvent:
    """All rows of the query at an epoch, or those that epochs up to one have added and removed."""

    kind: str
    position: EpochPosition
    content: dict[str, object]

    @property
    def id(self) -> str:
        """The epoch and its timeline."""
        return token_of(self.position) or str(self.position.epoch)

    def to_json(self) -> bytes:
        """The event as a JSON object."""
        return exact_json.dumps({"epoch": self.position.epoch, "id": self.id, **self.content})


class SqlWatch:
    """Runs queries again when what they read has changed, for those who watch them."""

    def __init__(self, stores: Stores, endpoint: SqlEndpoint, service: Service) -> None:
        self.count = 0
        self._stores = stores
        self._endpoint = endpoint
        self._service = service

    def begin(self, query: SqlQuery, names: Sequence[str]) -> AsyncGenerator[RowsEvent]:
        """The events of a query over stores of these names."""
        most = self._endpoint.limits.subscriptions
        if self.count >= most:
            raise Refusal(503, _BUSY, f"{most} queries are watched already", LATER)
        if self._stores.catalog.live:
            hint = "ask now and then, or run the app in epochs"
            raise Refusal(409, "no_epochs", "the app runs in real-time mode, which has no epochs to follow", hint)
        return self._follow(query, names)

    async def _follow(self, query: SqlQuery, names: Sequence[str]) -> AsyncGenerator[RowsEvent]:
        self.count += 1
        try:
            at, state = await self._next(None, names)
            result = await self._run(query)
            seen = _rows(result)
            at = result.position or at
            rows = {"rows": formats.rows(result.table), "truncated": result.is_truncated}
            yield RowsEvent("rows", at, {"columns": list(result.table.column_names), **rows})
            while not self._service.is_stopping:
                at, now = await self._next(at, names)
                if now != state:
                    # What changes while it runs is seen with the next look: the state is that of before.
                    result, state = await self._run(query), now
                    before, seen, at = seen, _rows(result), result.position or at
                    yield _difference(at, before, seen)
                else:
                    yield RowsEvent("epoch", at, {"added": [], "removed": []})
        finally:
            self.count -= 1

    async def _next(self, after: EpochPosition | None, names: Sequence[str]) -> tuple[EpochPosition, object]:
        """The next epoch that is shown, and how far the stores are in it."""
        while True:
            with self._stores.replica.reading() as snapshot:
                position = snapshot.position
                if position is not None and position.epoch >= 0 and position != after:
                    return position, _state(snapshot, names)
            if self._service.is_stopping:
                raise Refusal(503, "not_ready", "the server stops", "come back")
            await asyncio.sleep(_LOOK)

    async def _run(self, query: SqlQuery) -> SqlResult:
        while True:
            try:
                return await self._endpoint.result(query)
            except Refusal as refused:
                if refused.code != _BUSY:
                    raise
                await asyncio.sleep(_AGAIN)


def _state(snapshot: Snapshot, names: Sequence[str]) -> object:
    progress = [snapshot.progress(name) for name in names]
    return [None if each is None else (each.topic_id, each.offsets) for each in progress]


def _rows(result: SqlResult) -> Counter[bytes]:
    return Counter(exact_json.dumps(row) for row in formats.rows(result.table))


def _difference(at: EpochPosition, before: Counter[bytes], after: Counter[bytes]) -> RowsEvent:
    added, removed = after - before, before - after
    content = {"added": added, "removed": removed}
    return RowsEvent(
        "epoch", at, {name: [exact_json.loads(row) for row in rows.elements()] for name, rows in content.items()}
    )
