"""What is asked in SQL: once, or again with every epoch."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from starlette.requests import Request
from starlette.responses import Response

from holdfast.server import consistency
from holdfast.server.events import EventResponse, media_type
from holdfast.server.handlers import Service
from holdfast.server.rights import Rights
from holdfast.server.shared_reads import refuse_shared
from holdfast.server.sql.endpoint import SqlEndpoint
from holdfast.server.sql.watching import SqlWatch
from holdfast.stores.backend import Stores


class SqlQueries:
    """Answers queries, and follows them."""

    def __init__(self, stores: Stores, service: Service) -> None:
        self._stores = stores
        self._service = service
        self._endpoint = SqlEndpoint(stores)
        self._watch = SqlWatch(stores, self._endpoint, service)

    async def answer(self, request: Request, body: bytes, rights: Rights) -> Response:
        """`POST /sql`"""
        return await self._endpoint.answer(request, body, rights)

    async def watch(self, request: Request, body: bytes, rights: Rights) -> Response:
        """`POST /sql/changes`"""
        query = replace(self._endpoint.query(body), rights=rights)
        refuse_shared(self._stores)
        await consistency.reach(request, self._stores)
        is_permitted = partial(self._service.holds, rights)
        events = self._watch.begin(query, await self._endpoint.reads(query))
        return EventResponse(events, media_type(request), self._service.requests, is_permitted)
