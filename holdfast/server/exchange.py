"""Tells a connection how far the application is with a request: what the client is waited for depends on it."""

from __future__ import annotations

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from holdfast.server.connection import CURRENT, Connection


class ExchangeMiddleware:
    """Lets every request through, and notes on its connection when it began, waits for its body, and is answered."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        connection = CURRENT.get()
        if connection is None or scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        exchange = _Exchange(connection, scope, receive, send)
        try:
            await self._app(scope, exchange.receive, exchange.send)
        finally:
            exchange.end()


class _Exchange:
    """A request and its answer."""

    def __init__(self, connection: Connection, scope: Scope, receive: Receive, send: Send) -> None:
        self._connection = connection
        self._number = connection.begin_answer()
        self._scope = scope
        self._receive = receive
        self._send = send
        self._has_body = True

    async def receive(self) -> Message:
        """The next part of the body."""
        if self._has_body:
            self._connection.await_body(self._number, True)
        message = await self._receive()
        self._connection.await_body(self._number, False)
        self._has_body = self._has_body and bool(message.get("more_body", False))
        return message

    async def send(self, message: Message) -> None:
        """The next part of the answer."""
        await self._send(message)
        if message["type"] == "http.response.body" and not message.get("more_body", False):
            self.end()

    def end(self) -> None:
        """Nothing more will be sent."""
        self._connection.end_answer(self._number, self._has_body and self._sends_body())

    def _sends_body(self) -> bool:
        if self._scope["method"] in ("GET", "HEAD"):
            return False
        headers = Headers(scope=self._scope)
        return "transfer-encoding" in headers or headers.get("content-length", "0") != "0"
