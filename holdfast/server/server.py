"""The server: a socket, a thread with an event loop, and an end without leftovers."""

from __future__ import annotations

import errno
import logging
import socket
import threading
from functools import partial
from typing import Any

import uvicorn

from holdfast.errors import HoldfastError
from holdfast.server.access import EVERYBODY, Access
from holdfast.server.handlers import Service
from holdfast.server.limits import USUAL, Limits
from holdfast.server.metrics import Watched
from holdfast.server.protocol import PatientProtocol
from holdfast.server.routes import build
from holdfast.stores.backend import Stores

HOST = "127.0.0.1"
PORT = 7000
_GRACE = 5

log = logging.getLogger("holdfast.server")


class ServerError(HoldfastError):
    """The server cannot be started."""


class Server:
    """Serves the stores of an app, which it starts and stops, and the app's own routes if it is given.

    >>> with Server(app, stores, port=7000) as server:   # doctest: +SKIP
    ...     print(server.url)
    """

    def __init__(
        self,
        app: Any,
        stores: Stores,
        *,
        host: str = HOST,
        port: int = PORT,
        access: Access = EVERYBODY,
        limits: Limits = USUAL,
    ) -> None:
        self._stores = stores
        self._app = app
        self._access = access.checked()
        access.refuse_open_address(host)
        self._service = Service(access, limits)
        self._asgi = build(stores, app.routes if app else (), app.mounts if app else (), self._service, host)
        self._host = host
        self._port = port
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

    def start(self) -> Server:
        """Follow the app's topics and answer from now on, in threads."""
        self._socket = _listen(self._host, self._port)
        self._stores.start()
        for name, handle in (self._app.handles if self._app else {}).items():
            handle.bind(self._stores.store(name))
        self._uvicorn = uvicorn.Server(self._config())
        arguments = {"sockets": [self._socket]}
        self._thread = threading.Thread(target=self._uvicorn.run, kwargs=arguments, name="holdfast-server", daemon=True)
        self._thread.start()
        log.info("serving %s at %s", self._stores.app, self.url)
        return self

    def _config(self) -> uvicorn.Config:
        protocol: Any = partial(PatientProtocol, self._service.limits, self._service.requests)
        tls = self._access
        return uvicorn.Config(
            self._asgi, lifespan="off", log_config=None, access_log=False, server_header=False, http=protocol,
            timeout_graceful_shutdown=_GRACE, ws="none", ssl_certfile=tls.certificate, ssl_keyfile=tls.key,
        )  # fmt: skip

    def watch(self, app: Watched | None) -> None:
        """Tell of an app that runs in this process, in /health and in /metrics."""
        self._service.watched = app

    def stop(self) -> None:
        """Finish the requests in hand, close the port and the stores."""
        if self._uvicorn is not None and self._thread is not None:
            self._uvicorn.should_exit = True
            self._thread.join()
            self._uvicorn = self._thread = None
        if self._socket is not None:
            self._socket.close()
            self._socket = None
        for handle in (self._app.handles if self._app else {}).values():
            handle.bind(None)
        self._stores.stop()

    def __enter__(self) -> Server:
        try:
            return self.start()
        except ServerError:
            self.stop()
            raise

    def __exit__(self, *_: object) -> None:
        self.stop()


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
