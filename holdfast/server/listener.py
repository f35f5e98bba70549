"""A socket, and a thread with an event loop that answers what comes in there."""

from __future__ import annotations

import asyncio
import errno
import socket
import threading
from functools import partial
from typing import Any

import uvicorn
from starlette.types import ASGIApp

from holdfast.errors import HoldfastError
from holdfast.server.accepting import Acceptor, Slots
from holdfast.server.access import Access
from holdfast.server.limits import Limits
from holdfast.server.protocol import PatientProtocol
from holdfast.server.repeats import REPEATS
from holdfast.server.requests import Requests

_GRACE = 5
_FLUSH = 100  # ticks, of which there are ten in a second


class ServerError(HoldfastError):
    """The server cannot be started."""


class Listener:
    """Answers at one address with an ASGI application, in a thread of its own."""

    def __init__(self, asgi: ASGIApp, host: str, port: int, access: Access, limits: Limits, requests: Requests) -> None:
        self._asgi = asgi
        self._host = host
        self._port = port
        self._access = access
        self._limits = limits
        self._requests = requests
        self._socket: socket.socket | None = None
        self._uvicorn: _Uvicorn | None = None
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
        self._uvicorn = _Uvicorn(self._config(), self._limits, self._requests)
        arguments = {"sockets": [self._socket]}
        self._thread = threading.Thread(target=self._uvicorn.run, kwargs=arguments, name=name, daemon=True)
        self._thread.start()

    def _config(self) -> uvicorn.Config:
        protocol: Any = partial(PatientProtocol, self._limits, self._requests)
        tls = self._access
        return uvicorn.Config(
            self._asgi, lifespan="off", log_config=None, access_log=False, server_header=False, http=protocol,
            timeout_graceful_shutdown=_GRACE, ws="none", ssl_certfile=tls.certificate, ssl_keyfile=tls.key,
        )  # fmt: skip

    def stop(self) -> None:
        """Finish the requests in hand and close the port."""
        if self._uvicorn is not None and self._thread is not None:
            self._uvicorn.should_exit = True
            self._thread.join()
            self._uvicorn = self._thread = None
        if self._socket is not None:
            self._socket.close()
            self._socket = None


class _Uvicorn(uvicorn.Server):
    """uvicorn, but for how connections are accepted and what is logged of floods."""

    def __init__(self, config: uvicorn.Config, limits: Limits, requests: Requests) -> None:
        super().__init__(config)
        self._limits = limits
        self._requests = requests

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Accept connections."""
        REPEATS.attach()
        slots = Slots(self._limits, self._requests.refused)
        self._requests.unread = self._unread
        tls = self.config.ssl
        self.servers: list[Any] = [Acceptor(each, self._make, tls, self._limits, slots) for each in sockets or ()]
        self.started = True

    def _make(self) -> asyncio.Protocol:
        made: Any = self.config.http_protocol_class
        found: asyncio.Protocol = made(config=self.config, server_state=self.server_state, app_state={})
        return found

    def _unread(self) -> int:
        """How many bytes of answers wait in this process for clients to read them."""
        transports = (getattr(each, "transport", None) for each in self.server_state.connections)
        return sum(each.get_write_buffer_size() for each in transports if each is not None)

    async def on_tick(self, counter: int) -> bool:
        """Now and then say which lines were left out."""
        if counter % _FLUSH == 0:
            REPEATS.flush()
        return await super().on_tick(counter)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Close everything."""
        await super().shutdown(sockets)
        REPEATS.detach()


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
