"""The server: an app's stores and routes at one address, and its health at a second one if that is wanted."""

from __future__ import annotations

import logging
from dataclasses import replace

from holdfast.dsl.app import App
from holdfast.server.access import EVERYBODY, Access
from holdfast.server.dashboard.dashboard import Dashboard
from holdfast.server.handlers import Service
from holdfast.server.limits import USUAL, Limits
from holdfast.server.listener import Listener, ServerError
from holdfast.server.metrics import Watched
from holdfast.server.point_reads import PointReads
from holdfast.server.request_meter import RequestMeter
from holdfast.server.routes import build, build_health
from holdfast.settings.table import HOST, PORT
from holdfast.stores.backend import Stores

__all__ = ["HOST", "PORT", "Server", "ServerError"]

_CHECKS = 50

log = logging.getLogger("holdfast.server")


class Server:
    """Serves the stores of an app, which it starts and stops, and the app's own routes if it is given.

    With a `health_port`, /health and /ready are answered there, too: without TLS or token, by yes or no, in a thread
    that does nothing else.

    >>> with Server(app, stores, port=7000) as server:   # doctest: +SKIP
    ...     print(server.url)
    """

    def __init__(
        self,
        app: App | None,
        stores: Stores,
        *,
        host: str = HOST,
        port: int = PORT,
        access: Access = EVERYBODY,
        limits: Limits = USUAL,
        health_port: int | None = None,
        dashboard: Dashboard | None = None,
    ) -> None:
        access.checked().refuse_open_address(host)
        self._stores = stores
        self._app = app
        self._service = Service(access, limits)
        self._service.dashboard = self._dashboard = dashboard or Dashboard(stores)
        routes, mounts = (app.routes, app.mounts) if app else ((), ())
        asgi = build(stores, routes, mounts, self._service, host)
        requests = self._service.requests
        reads = PointReads(stores, self._service, host)
        self._listeners = {"holdfast-server": Listener(asgi, host, port, access, limits, requests, reads)}
        if (peers := stores.for_peers()) is not None:
            own = Listener(peers.asgi, host, peers.port, access, limits, RequestMeter())
            self._listeners["holdfast-share"] = own
        if health_port is not None:
            few = replace(limits, connections=_CHECKS, connections_per_address=_CHECKS)
            health = Listener(build_health(stores, self._service), host, health_port, EVERYBODY, few, RequestMeter())
            self._listeners["holdfast-health"] = health

    @property
    def url(self) -> str:
        """Where it answers."""
        return self._listeners["holdfast-server"].url

    @property
    def health_url(self) -> str | None:
        """Where nothing but its health is answered."""
        found = self._listeners.get("holdfast-health")
        return found.url if found else None

    def start(self) -> Server:
        """Follow the app's topics and answer from now on, in threads."""
        self._service.is_stopping = False
        for listener in self._listeners.values():
            listener.listen()
        if (own := self._listeners.get("holdfast-share")) is not None:
            self._stores.advertise(own.url)
        self._stores.start()
        self._dashboard.start()
        if self._app is not None:
            self._app.backend_of = self._stores.store
            for name, handle in self._app.handles.items():
                handle.bind(self._stores.store(name))
        for name, listener in self._listeners.items():
            listener.start(name)
        log.info("serving %s at %s", self._stores.app, self.url, extra={"fields": {"url": self.url}})
        return self

    def watch(self, app: Watched | None) -> None:
        """Report an app that runs beside the server in /health and in /metrics."""
        self._service.watched = app

    def stop(self) -> None:
        """Finish the requests in hand, end the subscriptions, close the ports and the stores."""
        self._service.is_stopping = True
        self._stores.leave()
        for listener in self._listeners.values():
            listener.stop()
        if self._app is not None:
            self._app.backend_of = None
            for handle in self._app.handles.values():
                handle.bind(None)
        self._dashboard.stop()
        self._stores.stop()

    def __enter__(self) -> Server:
        try:
            return self.start()
        except ServerError:
            self.stop()
            raise

    def __exit__(self, *_: object) -> None:
        self.stop()
