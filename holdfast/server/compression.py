"""Answers as gzip or zstd, for clients that take them: whole ones that are large and of a kind that shrinks."""

from __future__ import annotations

import asyncio
import gzip
from collections.abc import Callable

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

SMALLEST = 16 << 10
_IN_A_THREAD = 128 << 10
_KINDS = ("application/json", "application/problem+json", "application/vnd.apache.arrow", "text/", "image/svg+xml")
Encode = Callable[[bytes], bytes]


def _gzip(data: bytes) -> bytes:
    return gzip.compress(data, 1, mtime=0)


def _zstd(data: bytes) -> bytes:
    import pyarrow  # which is large: a server that nobody asks for zstd starts without it

    compressed: bytes = pyarrow.compress(data, codec="zstd", asbytes=True)
    return compressed


_CODINGS: dict[str, Encode] = {"zstd": _zstd, "gzip": _gzip}


class Compression:
    """Passes requests on to `app`, and compresses its answers; what comes in pieces, as events do, stays as it is."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        coding = chosen(Headers(scope=scope).get("accept-encoding", "")) if scope["type"] == "http" else None
        if coding is None:
            await self._app(scope, receive, send)
            return
        start: Message | None = None

        async def compressed(message: Message) -> None:
            nonlocal start
            if message["type"] == "http.response.start" and _is_of_a_kind(message):
                start = message  # is sent with the first part of the body, which may be all of it
                return
            if start is not None:
                first, start = start, None
                if not message.get("more_body", False) and len(message.get("body", b"")) >= SMALLEST:
                    first, message = await _encoded(coding, first, message)
                await send(first)
            await send(message)

        await self._app(scope, receive, compressed)


def chosen(accepted: str) -> str | None:
    """The coding that a client likes best, of ours; zstd of equals.

    >>> chosen("gzip, deflate, br, zstd"), chosen("gzip;q=1, zstd;q=0.1"), chosen("*;q=0, br"), chosen("zstd;q=0")
    ('zstd', 'gzip', None, None)
    """
    weights: dict[str, float] = {}
    for part in accepted.lower().split(","):
        name, _, parameters = part.strip().partition(";")
        weights[name.strip()] = _weight(parameters.strip())
    best = max(_CODINGS, key=lambda name: weights.get(name, weights.get("*", 0.0)))
    return best if weights.get(best, weights.get("*", 0.0)) > 0 else None


def _weight(parameter: str) -> float:
    name, _, value = parameter.partition("=")
    try:
        return float(value) if name.strip() == "q" else 1.0
    except ValueError:
        return 0.0


def _is_of_a_kind(message: Message) -> bool:
    headers = Headers(raw=message["headers"])
    is_whole = message["status"] != 304 and "content-encoding" not in headers
    kind = headers.get("content-type", "")
    return is_whole and kind.startswith(_KINDS) and not kind.startswith("text/event-stream")


async def _encoded(coding: str, start: Message, message: Message) -> tuple[Message, Message]:
    body = message["body"]
    encode = _CODINGS[coding]
    data = await asyncio.to_thread(encode, body) if len(body) >= _IN_A_THREAD else encode(body)
    headers = MutableHeaders(raw=list(start["headers"]))
    headers["Content-Encoding"] = coding
    headers["Content-Length"] = str(len(data))
    headers.add_vary_header("Accept-Encoding")
    return {**start, "headers": headers.raw}, {**message, "body": data}
