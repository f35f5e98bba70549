"""`holdfast serve`: a query server alone; no Spark, no Java."""

from __future__ import annotations

import logging
import signal
import threading
from pathlib import Path
from types import FrameType

import click

from holdfast.cli.access import access_options
from holdfast.cli.log_lines import LogFormatter
from holdfast.cli.options import brokers_option, server_options, state_dir_option
from holdfast.dsl.app import App
from holdfast.dsl.loader import load_app
from holdfast.errors import SettingsError
from holdfast.server.access import Access
from holdfast.server.server import Server
from holdfast.settings import broker_list
from holdfast.stores.backend import Stores


@click.command()
@click.argument("app", metavar="APP.py")
@brokers_option()
@server_options(0, help="Its port; 0 takes any free one.")
@access_options
@state_dir_option(help="Where replicas of the stores are kept.")
def serve(
    app: str, brokers: str | None, address: str, port: int, health_port: int | None, access: Access,
    state_dir: Path | None,
) -> None:  # fmt: skip
    """Serve the stores and the routes of APP.py from replicas that follow its changelog topics.

    It shares those replicas with every server of the same state directory: one process writes them, the others read.
    """
    _log()
    loaded = load_app(app)
    directory = loaded.settings.state_dir if state_dir is None else state_dir.absolute()
    found, kafka = cluster_of(loaded, brokers, directory)
    stores = Stores(loaded.name, found, directory, kafka)
    try:
        server = Server(loaded, stores, host=address, port=port, access=access, health_port=health_port)
        with server:
            click.echo(f"serving {loaded.name} at {server.url}; Ctrl-C stops it")
            _until_stopped()
    finally:
        stores.stop()


def _log() -> None:
    handler = logging.StreamHandler()
    handler.setFormatter(LogFormatter())
    logging.basicConfig(level=logging.INFO, handlers=[handler])


def cluster_of(app: App, given: str | None, directory: Path) -> tuple[str, dict[str, str]]:
    """The brokers of an app, and the client settings for them, with the password of the local broker."""
    from holdfast.ops.broker import password_of

    found = _brokers(app, given, directory)
    return found, {**password_of(found, directory), **app.settings.kafka_client()}


def _brokers(app: App, given: str | None, directory: Path) -> str:
    """From the option, the settings, or the local broker of the state directory."""
    found = broker_list(given, "--brokers") or app.settings.brokers or _local(directory)
    if found is None:
        raise SettingsError(
            f"no broker to follow: give --brokers HOST:PORT or HOLDFAST_BROKERS, or start `holdfast run --dev`, "
            f"whose broker is found under {directory}"
        )
    return found


def _local(directory: Path) -> str | None:
    from holdfast.ops.broker import Broker

    running = Broker(directory).running()
    return running.address if running else None


def _until_stopped() -> None:
    stopped = threading.Event()

    def stop(number: int, frame: FrameType | None) -> None:
        stopped.set()

    before = {number: signal.signal(number, stop) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        while not stopped.wait(1):
            pass
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
