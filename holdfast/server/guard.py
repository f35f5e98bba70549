"""What every request passes before it is answered: its token, its size, and how many there are at once."""

from __future__ import annotations

import hmac
import time

from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from holdfast.server import origins
from holdfast.server.access import Access
from holdfast.server.audit import note_unknown
from holdfast.server.dashboard.page import STATIC, page
from holdfast.server.limits import Limits
from holdfast.server.request_meter import LATER, RequestMeter
from holdfast.server.responses import Refusal, from_exception
from holdfast.server.rights import EVERYTHING, NOTHING, Rights
from holdfast.server.rights_file import RightsFile
from holdfast.sharing.parts import CALLER

# What a supervisor requests; without the token the answer is yes or no, and nothing else.
OPEN = ("/health", "/ready")


class Admission:
    """Who may ask: who knows a token, or without one, who asks for what is served and not from another site."""

    def __init__(self, access: Access, served: str = "", rights: RightsFile | None = None) -> None:
        self._access = access
        self._served = served
        self._rights = rights

    def check(self, scope: Scope, headers: Headers) -> Rights:
        """Refuse a Host that is none, and who may not ask; the rights of others."""
        origins.check_host(headers)
        return self.identify(scope, headers)

    def identify(self, scope: Scope, headers: Headers) -> Rights:
        """Refuse who does not know a token; without one, who asks for another host or from another site."""
        if not self._access.wants_token:
            origins.check(scope, headers, self._access, self._served)
            return EVERYTHING
        found = self._rights_of(headers.get("authorization", ""))
        if found is None:
            hint = "send the header Authorization: Bearer and the server's token"
            raise Refusal(401, "unauthorized", "this server answers those who know its token", hint)
        return found

    @property
    def wants_token(self) -> bool:
        """Whether requests must carry a token."""
        return self._access.wants_token

    @property
    def names_tokens(self) -> bool:
        """Whether tokens have names and rights."""
        return self._rights is not None

    def _rights_of(self, authorization: str) -> Rights | None:
        scheme, _, sent = authorization.partition(" ")
        if scheme.lower() != "bearer":
            return None
        token = sent.strip()
        if self._access.token is not None and hmac.compare_digest(token.encode(), self._access.token.encode()):
            return EVERYTHING
        return None if self._rights is None else self._rights.of(token)


class Guard:
    """Lets requests through to `app` that may pass, and measures all of them."""

    def __init__(self, app: ASGIApp, admission: Admission, limits: Limits, requests: RequestMeter) -> None:
        self._app = app
        self._admission = admission
        self._limits = limits
        self._requests = requests

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "websocket":
            await self._pass_socket(scope, receive, send)
            return
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        began, status = time.perf_counter(), 500

        async def send_measured(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        self._requests.now += 1
        try:
            await self._pass(scope, receive, send_measured)
        finally:
            self._requests.now -= 1
            self._requests.add(scope.get("holdfast.route", "other"), status, time.perf_counter() - began)

    async def _pass(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = Headers(scope=scope)
        try:
            origins.check_host(headers)
            self._admit(scope, headers)
            self._refuse_large(headers)
        except Refusal as refused:
            await _refusal(refused, scope, headers)(scope, receive, send)
            return
        await self._app(scope, self._bounded(receive), send)

    async def _pass_socket(self, scope: Scope, receive: Receive, send: Send) -> None:
        """A WebSocket of a mounted application; one that may not pass is closed before it is accepted."""
        headers = Headers(scope=scope)
        try:
            scope["holdfast.rights"] = self._admission.check(scope, headers)
        except Refusal as refused:
            await send({"type": "websocket.close", "code": 1008, "reason": refused.code})
            return
        await self._app(scope, receive, send)

    def _admit(self, scope: Scope, headers: Headers) -> None:
        scope["holdfast.known"] = True
        try:
            scope["holdfast.rights"] = rights = self._admission.identify(scope, headers)
            CALLER.set(rights.token)
        except Refusal:
            scope["holdfast.known"], scope["holdfast.rights"] = False, NOTHING
            if scope["path"] not in OPEN and not self._is_file(scope):
                if self._admission.names_tokens and not _opens_page(scope, headers):
                    note_unknown(scope)
                raise
        is_open = scope["path"] in OPEN
        if self._requests.now > self._limits.requests + (self._limits.reserve if is_open else 0):
            raise Refusal(503, "busy", f"{self._limits.requests} requests are being answered already", LATER)
        if not is_open:
            self._requests.refuse_unread(self._limits)

    def _is_file(self, scope: Scope) -> bool:
        """Whether it is a file of the page, which whoever has no token yet needs, too."""
        return self._admission.wants_token and str(scope["path"]).startswith(STATIC)

    def _refuse_large(self, headers: Headers) -> None:
        length = headers.get("content-length", "0")
        if not length.isdecimal() or int(length) > self._limits.body:
            raise self._too_large()

    def _bounded(self, receive: Receive) -> Receive:
        """A body of unknown length is counted as it comes."""
        taken = 0

        async def bounded() -> Message:
            nonlocal taken
            message = await receive()
            taken += len(message.get("body", b""))
            if taken > self._limits.body:
                raise self._too_large()
            return message

        return bounded

    def _too_large(self) -> Refusal:
        hint = "send less, or send it in parts"
        return Refusal(413, "too_large", f"a body may have {self._limits.body:,} bytes", hint)


def _refusal(refused: Refusal, scope: Scope, headers: Headers) -> Response:
    """The answer to who may not ask; a browser gets the page, which asks for the token and has nothing of the app."""
    if refused.status == 401 and _opens_page(scope, headers):
        return page(Request(scope), 401)
    return from_exception(refused, scope["path"])


def _opens_page(scope: Scope, headers: Headers) -> bool:
    """Whether a browser opens the page, which cannot send a token with that."""
    return scope["path"] == "/" and "text/html" in headers.get("accept", "") and "authorization" not in headers
