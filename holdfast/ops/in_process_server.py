"""The query server of an app in the process that runs it: `app.start(serve=True)`."""

from __future__ import annotations

import os
from pathlib import Path

from holdfast.dsl.app import App
from holdfast.runtime.running import Running
from holdfast.server.access import Access
from holdfast.server.server import Server
from holdfast.settings import secrets
from holdfast.settings.table import PORT, TOKEN
from holdfast.stores.backend import Stores

_READY_SECONDS = 120.0


def serve(app: App, running: Running, port: int | None, produce: bool) -> None:
    """Serve an app that has been started, until it ends; its handles can be read from then on."""
    settings = app.settings
    given = os.environ.get(TOKEN.variable)
    token = secrets.value_of(TOKEN.variable, given, Path.cwd()) if given else None
    try:
        stores = Stores(app.name, settings.brokers or "", settings.state_dir, settings.kafka_client())
        server = Server(app, stores, port=PORT if port is None else port, access=Access(token, produce=produce))
        running.on_end.append(server.stop)
        running.url = server.start().url
        meter = running.meter(f"{settings.stalled_after_ms} ms")
        running.on_end.append(meter.stop)
        server.watch(meter)
        stores.wait_ready(_READY_SECONDS)
    except BaseException:
        running.stop()
        raise
