"""uvicorn's protocol with patience that ends: for a request's head, its body, and a client that does not read."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from holdfast.server.limits import Limits
from holdfast.server.requests import Requests
from holdfast.server.responses import error

_LOOK = 0.5


class PatientProtocol(H11Protocol):
    """One connection; twice a second it looks what it waits for, and since when."""

    def __init__(self, limits: Limits, requests: Requests, *arguments: Any, **more: Any) -> None:
        super().__init__(*arguments, **more)
        self._limits = limits
        self._requests = requests
        self._waiting: str | None = None
        self._since = 0.0
        self._watch: asyncio.TimerHandle | None = None
        self.on_lost: Callable[[], None] = lambda: None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to watch."""
        super().connection_made(transport)
        self._requests.connections += 1
        self._look()

    def connection_lost(self, exc: Exception | None) -> None:
        """Watch no more."""
        self._requests.connections -= 1
        if self._watch is not None:
            self._watch.cancel()
        super().connection_lost(exc)
        self.on_lost()

    def send_400_response(self, msg: str) -> None:
        """Refuse what is no HTTP; in the middle of an answer there is no way to say so."""
        if self.conn.our_state not in (h11.IDLE, h11.SEND_RESPONSE):
            self.transport.abort()
            return
        body = error(400, "bad_request", msg, "send HTTP/1.1").body
        length = (b"content-length", str(len(body)).encode())
        headers = [(b"content-type", b"application/json"), length, (b"connection", b"close")]
        refusal = h11.Response(status_code=400, headers=headers, reason=b"Bad Request")
        for event in (refusal, h11.Data(data=bytes(body)), h11.EndOfMessage()):
            self.transport.write(self.conn.send(event) or b"")
        self.transport.close()

    def _look(self) -> None:
        now, waiting = self.loop.time(), self._awaited()
        if waiting != self._waiting:
            self._waiting, self._since = waiting, now
        elif waiting is not None and now - self._since > getattr(self._limits, waiting):
            # Closing would wait until the client has read what is left.
            self.transport.abort()
            return
        self._watch = self.loop.call_later(_LOOK, self._look)

    def _awaited(self) -> str | None:
        """The limit that counts now."""
        if self.transport.get_write_buffer_size() > 0:
            return "reader"
        if self.conn.their_state is h11.SEND_BODY:
            return "upload"
        if self.conn.their_state is h11.IDLE and self.timeout_keep_alive_task is None:
            return "head"
        return None
