"""Which paths a token may ask: what is not of a store is a right of its own."""

from __future__ import annotations

from starlette.requests import Request
from starlette.types import Receive, Scope, Send

from holdfast.dsl.routes import Mount
from holdfast.server.responses import Forbidden, from_exception
from holdfast.server.rights import NOTHING, Rights

# They show nothing beyond what the token may read.
_OF_RIGHTS = ("/stores", "/health", "/ready", "/openapi.json")


def rights_of(scope: Scope) -> Rights:
    """What the token of a request may read."""
    found: Rights = scope.get("holdfast.rights", NOTHING)
    return found


def check_built_in(request: Request, path: str) -> None:
    """Refuse a route of the server's own that the token may not ask."""
    if path not in _OF_RIGHTS and not path.startswith("/stores/"):
        rights_of(request.scope).require_meta(path)


class PermittedMount:
    """A mounted application, for those who may call it."""

    def __init__(self, mount: Mount) -> None:
        self._mount = mount

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            rights_of(scope).require_route(self._mount.path)
        except Forbidden as refused:
            response = from_exception(refused, f"{scope.get('method', 'WEBSOCKET')} {self._mount.path}")
            if scope["type"] == "websocket":
                await send({"type": "websocket.close", "code": 1008, "reason": refused.code})
            else:
                await response(scope, receive, send)
            return
        await self._mount.asgi(scope, receive, send)
