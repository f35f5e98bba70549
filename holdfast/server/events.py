"""Events that are sent as they come: server-sent events, or a JSON object per line."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from typing import Protocol

from starlette.requests import Request
from starlette.responses import StreamingResponse
from starlette.types import Receive, Scope, Send

from holdfast.server.request_meter import RequestMeter
from holdfast.server.responses import Refusal
from holdfast.stores import values

EVENTS, LINES = "text/event-stream", "application/x-ndjson"
_BEAT = 15.0


class Event(Protocol):
    """One event."""

    @property
    def kind(self) -> str:
        """What it is called."""

    @property
    def id(self) -> str | None:
        """What to come back with; None if one cannot come back to it."""

    def to_json(self) -> bytes:
        """What it says, as a JSON object."""


def media_type(request: Request) -> str:
    """What the client wants: lines if it says so, else server-sent events."""
    return LINES if LINES in request.headers.get("accept", "") else EVENTS


class EventResponse(StreamingResponse):
    """The events as they come; as long as they do, it is no request that is being answered."""

    def __init__(
        self,
        events: AsyncGenerator[Event],
        media_type: str,
        requests: RequestMeter,
        is_permitted: Callable[[], bool],
    ) -> None:
        self._requests = requests
        headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
        super().__init__(_stream(events, media_type == LINES, is_permitted), media_type=media_type, headers=headers)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self._requests.now -= 1
        self._requests.subscribers += 1
        try:
            await super().__call__(scope, receive, send)
        finally:
            self._requests.now += 1
            self._requests.subscribers -= 1


async def _stream(
    events: AsyncGenerator[Event], is_lines: bool, is_permitted: Callable[[], bool]
) -> AsyncIterator[bytes]:
    waiting: asyncio.Future[Event] | None = None
    try:
        while True:
            waiting = waiting or asyncio.ensure_future(anext(events))
            done, _ = await asyncio.wait({waiting}, timeout=_BEAT)
            if not is_permitted():  # whoever comes back hears why
                return
            if not done:
                yield b"\n" if is_lines else b":\n\n"  # whoever is gone is noticed
                continue
            event, waiting = waiting.result(), None
            yield event.to_json() + b"\n" if is_lines else _written(event)
    except StopAsyncIteration:  # the server stops; whoever wants to comes back with the last id
        waiting = None
    except Refusal as refused:
        waiting = None
        said = values.dumps({"error": {"code": refused.code, "message": str(refused), "hint": refused.hint}})
        yield said + b"\n" if is_lines else b"event: error\ndata: " + said + b"\n\n"
    finally:
        if waiting is not None:
            waiting.cancel()
            await asyncio.wait({waiting})
        await events.aclose()


def _written(event: Event) -> bytes:
    named = b"" if event.id is None else b"id: %b\n" % event.id.encode()
    return b"event: %b\n%bdata: %b\n\n" % (event.kind.encode(), named, event.to_json())
