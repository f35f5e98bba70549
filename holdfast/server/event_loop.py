"""The event loop of a server: what listens by it gets connections that are counted and limited."""

from __future__ import annotations

import asyncio
import socket
import ssl
from collections.abc import Callable

import uvloop

from holdfast.server.acceptor import Acceptor
from holdfast.server.limits import Limits
from holdfast.server.point_reads import PointReads
from holdfast.server.request_meter import RequestMeter


class LimitingLoop(uvloop.Loop):
    """An event loop whose servers are acceptors of ours: an HTTP server in it needs to know nothing of limits."""

    def __init__(self, limits: Limits, requests: RequestMeter, reads: PointReads | None = None) -> None:
        super().__init__()
        self._limits = limits
        self._requests = requests
        self._reads = reads

    # Of all that a loop may be asked to listen to, this one takes a socket that listens.
    async def create_server(  # type: ignore[override]
        self,
        protocol_factory: Callable[[], asyncio.BaseProtocol],
        *,
        sock: socket.socket,
        ssl: ssl.SSLContext | None = None,
        backlog: int = 0,
    ) -> asyncio.AbstractServer:
        """Accept connections of a socket that listens already."""
        return Acceptor(sock, protocol_factory, ssl, self._limits, self._requests, self._reads)
