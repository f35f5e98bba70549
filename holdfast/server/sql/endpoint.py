"""`POST /sql`: queries are answered in threads, a few at a time; who waits too long for a turn is refused."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeVar

import anyio
import msgspec
from anyio import to_thread
from starlette.requests import Request
from starlette.responses import Response

from holdfast.server import consistency
from holdfast.server.request_meter import LATER
from holdfast.server.responses import Refusal
from holdfast.server.rights import EVERYTHING, Rights
from holdfast.server.sql import formats
from holdfast.server.sql.engine import SqlEngine, SqlQuery, SqlResult
from holdfast.server.sql.limits import USUAL, SqlLimits
from holdfast.stores.backend import Stores

T = TypeVar("T")
TRUNCATED = "Holdfast-Truncated"
_SHAPE = 'send {"query": "SELECT …"}, and if you like "parameters": […] and "limit": 1000'


class SqlBody(msgspec.Struct, forbid_unknown_fields=True):
    """The body of a request."""

    query: str
    parameters: list[Any] | dict[str, Any] = []
    limit: int | None = None


class SqlEndpoint:
    """Answers queries."""

    def __init__(self, stores: Stores, limits: SqlLimits = USUAL) -> None:
        self.limits = limits
        self._stores = stores
        self._engine = SqlEngine(stores, limits)
        self._turns = asyncio.Semaphore(limits.queries)
        self._threads: anyio.CapacityLimiter | None = None
        self._waiting = 0

    async def answer(self, request: Request, body: bytes, rights: Rights = EVERYTHING) -> Response:
        """The answer to a request with a query in its body."""
        content_type = formats.chosen(request.headers.get("accept", "*/*"))
        query = replace(self.query(body), rights=rights)
        wanted = await consistency.reach(request, self._stores)
        result, written = await self._in_turn(lambda: self._run(query, content_type, wanted))
        request.scope["holdfast.position"] = result.position
        return Response(written, headers={TRUNCATED: "true"} if result.is_truncated else {}, media_type=content_type)

    async def result(self, query: SqlQuery) -> SqlResult:
        """The rows of a query, as of now."""
        return await self._in_turn(lambda: self._engine.run(query))

    async def reads(self, query: SqlQuery) -> list[str]:
        """The stores that a query names."""
        return await self._in_turn(lambda: self._engine.reads(query))

    async def _in_turn(self, work: Callable[[], T]) -> T:
        await self._take_turn()
        try:
            # Threads of their own: routes that block use those that there are for all.
            self._threads = self._threads or anyio.CapacityLimiter(self.limits.queries)
            return await to_thread.run_sync(work, limiter=self._threads)
        finally:
            self._turns.release()

    async def _take_turn(self) -> None:
        limits = self.limits
        if self._waiting >= limits.waiting:
            raise Refusal(503, "busy", f"{limits.waiting} queries wait for their turn already", LATER)
        self._waiting += 1
        try:
            await asyncio.wait_for(self._turns.acquire(), limits.wait)
        except TimeoutError:
            what = f"{limits.queries} queries run already, and none ended within {limits.wait:g} s"
            raise Refusal(503, "busy", what, LATER) from None
        finally:
            self._waiting -= 1

    def _run(self, query: SqlQuery, content_type: str, wanted: consistency.Requirement) -> tuple[SqlResult, bytes]:
        result = self._engine.run(query, wanted.check)
        return result, formats.written(result, content_type)

    def query(self, body: bytes) -> SqlQuery:
        """What a body asks for."""
        try:
            given = msgspec.json.decode(body, type=SqlBody)
        except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
            raise Refusal(400, "bad_body", f"the body is no query: {str(error)[:200]}", _SHAPE) from None
        if given.limit is not None and not 1 <= given.limit <= self.limits.rows:
            hint = "without a limit there are as many rows as usual; aggregate, or ask in parts"
            raise Refusal(400, "bad_limit", f"limit is 1 to {self.limits.rows:,}; got {given.limit}", hint)
        if len(given.parameters) > self.limits.parameters:
            hint = "hand over lists: WHERE key IN (SELECT unnest(?))"
            raise Refusal(400, "bad_parameter", f"a query has at most {self.limits.parameters} parameters", hint)
        return SqlQuery(given.query, given.parameters, given.limit)
