"""Requests to a server that shares its stores with others: what they have is waited for in threads."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from dataclasses import dataclass

import anyio
from anyio import to_thread
from starlette.requests import Request
from starlette.responses import Response

from holdfast.server.consistency import Requirement
from holdfast.server.etags import tagged
from holdfast.server.handlers import Handler, RequestContext, Service
from holdfast.server.responses import Refusal, from_exception
from holdfast.sharing.parts import TARGET, ShareUnavailable
from holdfast.stores.backend import Stores

_THREADS = 100
_TRIES = 3


@dataclass(frozen=True)
class SharedRead:
    """A request, what answers it, and what the answer has to show."""

    request: Request
    handler: Handler
    body: bytes | None
    wanted: Requirement
    is_tagged: bool


class SharedReads:
    """Answers with handlers of the ordinary way."""

    def __init__(self, stores: Stores) -> None:
        self._stores = stores
        self._threads: anyio.CapacityLimiter | None = None

    async def answer(self, read: SharedRead, where: str) -> Response:
        """The answer at the freshest epoch; at an older one where only an older replica can be reached."""
        service: Service = read.request.app.state.service
        try:
            service.requests.refuse_unread(service.limits)
        except Refusal as refused:
            return from_exception(refused, where)
        self._threads = self._threads or anyio.CapacityLimiter(_THREADS)
        return await to_thread.run_sync(self._read, read, where, limiter=self._threads)

    def _read(self, read: SharedRead, where: str) -> Response:
        """An older epoch has to show what the request asks for, too: otherwise the freshest one is refused."""
        target: int | None = None
        refused: Response | None = None
        for _ in range(_TRIES):
            try:
                found = self._read_at(target, read)
            except ShareUnavailable as error:
                refused = from_exception(error, where)
                if error.epoch is None or error.epoch == target:
                    return refused
                target = error.epoch
                continue
            except Exception as error:
                return from_exception(error, where)
            if found is not None:
                return found
            break
        assert refused is not None  # only a read after a refused one finds nothing
        return refused

    def _read_at(self, target: int | None, read: SharedRead) -> Response | None:
        """The answer at an epoch, or at the freshest; None if that epoch does not show what is wanted."""
        request, reset = read.request, TARGET.set(target)
        try:
            with self._stores.replica.pinned() as snapshot:
                if target is None:
                    read.wanted.check(snapshot)
                elif read.wanted != Requirement() and not read.wanted.is_met(snapshot):
                    return None
                position = request.scope["holdfast.position"] = snapshot.position
                found = read.handler(RequestContext(request, self._stores, snapshot, read.body))
                response = found if isinstance(found, Response) else asyncio.run(_awaited(found))
                return tagged(request, response, position) if read.is_tagged else response
        finally:
            TARGET.reset(reset)


def refuse_shared(stores: Stores) -> None:
    """Refuse to follow what changes, where a part of it is on other servers."""
    if stores.is_shared:
        hint = "ask a server that does not share its stores, or read now and then"
        raise Refusal(409, "shared", "changes are not to be had from servers that share the stores of an app", hint)


async def _awaited(found: Awaitable[Response]) -> Response:
    return await found
