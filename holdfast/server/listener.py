"""A socket, and a thread with an event loop that answers what comes in there."""

from __future__ import annotations

import asyncio
import errno
import socket
import threading
from functools import partial

import uvicorn
from starlette.types import ASGIApp

from holdfast.errors import HoldfastError
from holdfast.server.access import Access
from holdfast.server.event_loop import LimitingLoop
from holdfast.server.exchange import ExchangeMiddleware
from holdfast.server.limits import Limits
from holdfast.server.log_rate_limit import LOG_RATE_LIMIT
from holdfast.server.point_reads import PointReads
from holdfast.server.request_meter import RequestMeter

_GRACE = 5
_FLUSH = 10.0


class ServerError(HoldfastError):
    """The server cannot be started."""


class Listener:
    """Answers at one address with an ASGI application, in a thread of its own."""

    def __init__(
        self,
        asgi: ASGIApp,
        host: str,
        port: int,
        access: Access,
        limits: Limits,
        requests: RequestMeter,
        reads: PointReads | None = None,
    ) -> None:
        self._asgi = asgi
        self._host = host
        self._port = port
        self._access = access
        self._limits = limits
        self._requests = requests
        self._reads = reads
        self._socket: socket.socket | None = None
        self._uvicorn: uvicorn.Server | None = None
        self._thread: threading.Thread | None = None

    @property
    def url(self) -> str:
        """Where it answers."""
        if self._socket is None:
            raise ServerError("the server is not running; start it first")
        host = "127.0.0.1" if self._host == "0.0.0.0" else self._host
        scheme = "http" if self._access.certificate is None else "https"
        return f"{scheme}://{f'[{host}]' if ':' in host else host}:{self._socket.getsockname()[1]}"

    def listen(self) -> None:
        """Take the port; nobody is answered yet."""
        self._socket = _listen(self._host, self._port)

    def start(self, name: str) -> None:
        """Answer from now on."""
        server = self._uvicorn = uvicorn.Server(self._config())
        self._thread = threading.Thread(target=self._run, args=(server,), name=name, daemon=True)
        self._thread.start()

    def _config(self) -> uvicorn.Config:
        tls = self._access
        return uvicorn.Config(
            ExchangeMiddleware(self._asgi), lifespan="off", log_config=None, access_log=False, server_header=False,
            http="httptools", ws="none", timeout_graceful_shutdown=_GRACE,
            ssl_certfile=tls.certificate, ssl_keyfile=tls.key,
        )  # fmt: skip

    def _run(self, server: uvicorn.Server) -> None:
        """Serve in an event loop of its own; its connections are accepted by the loop, within the limits."""
        make_loop = partial(LimitingLoop, self._limits, self._requests, self._reads)
        try:
            with asyncio.Runner(loop_factory=make_loop) as runner:
                runner.run(self._serve(server))
        finally:
            if self._reads is not None:
                self._reads.close()

    async def _serve(self, server: uvicorn.Server) -> None:
        assert self._socket is not None
        LOG_RATE_LIMIT.attach()
        flushing = asyncio.create_task(_flush_log())
        try:
            await server.serve(sockets=[self._socket])
        finally:
            flushing.cancel()
            LOG_RATE_LIMIT.detach()

    def stop(self) -> None:
        """Finish the requests in hand and close the port."""
        if self._uvicorn is not None and self._thread is not None:
            self._uvicorn.should_exit = True
            self._thread.join()
            self._uvicorn = self._thread = None
        if self._socket is not None:
            self._socket.close()
            self._socket = None


async def _flush_log() -> None:
    """Now and then say which lines were left out."""
    while True:
        await asyncio.sleep(_FLUSH)
        LOG_RATE_LIMIT.flush()


def _listen(host: str, port: int) -> socket.socket:
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    except (socket.gaierror, OverflowError) as error:
        raise ServerError(f"cannot listen on {host}:{port}: {error}; choose another --host or --port") from None
    listener = socket.socket(family, kind, protocol)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
        listener.listen(2048)
    except OSError as error:
        listener.close()
        raise ServerError(_why(host, port, error)) from None
    return listener


def _why(host: str, port: int, error: OSError) -> str:
    if error.errno == errno.EADDRINUSE:
        return f"port {port} is taken by another program on {host}; choose another with --port"
    if error.errno == errno.EACCES:
        return f"port {port} may not be used by this user; choose one above 1023 with --port"
    return f"cannot listen on {host}:{port}: {error.strerror}; choose another --host or --port"
