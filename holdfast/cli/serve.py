"""`holdfast serve`: a query server alone; no Spark, no Java."""

from __future__ import annotations

import logging
import signal
import threading
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING

import click

from holdfast.cli.access import access_options
from holdfast.cli.log_lines import LogFormatter
from holdfast.cli.options import app_argument, brokers_option, server_options, state_dir_option
from holdfast.cli.sharing import sharing_options
from holdfast.dsl.loader import load_app
from holdfast.ops.cluster import cluster_of
from holdfast.server.access import Access
from holdfast.server.server import Server
from holdfast.stores.backend import Stores

if TYPE_CHECKING:
    from holdfast.sharing.sharing import Sharing


@click.command()
@app_argument()
@brokers_option()
@server_options()
@access_options
@sharing_options
@state_dir_option(help="Where replicas of the stores are kept.")
@click.option("--json", "machine", is_flag=True, help="Log as JSON lines.")
def serve(
    app: str, brokers: str | None, address: str, port: int, health_port: int | None, access: Access,
    sharing: Sharing | None, state_dir: Path | None, machine: bool,
) -> None:  # fmt: skip
    """Serve the stores and the routes of APP.py from replicas that follow its changelog topics.

    It shares those replicas with every server of the same state directory: one process writes them, the others read.
    """
    _log(machine)
    loaded = load_app(app)
    directory = loaded.settings.state_dir if state_dir is None else state_dir.absolute()
    found, kafka = cluster_of(loaded, brokers, state_dir)
    stores = _stores(loaded.name, found, directory, kafka, sharing)
    try:
        server = Server(loaded, stores, host=address, port=port, access=access, health_port=health_port)
        with server:
            if not machine:  # the log says so, too
                click.echo(f"serving {loaded.name} at {server.url}; Ctrl-C stops it")
            _until_stopped()
    finally:
        stores.stop()


def _stores(app: str, brokers: str, directory: Path, kafka: dict[str, str], sharing: Sharing | None) -> Stores:
    if sharing is None:
        return Stores(app, brokers, directory, kafka)
    from holdfast.sharing.shared_stores import SharedStores

    return SharedStores(app, brokers, directory, kafka, sharing)


def _log(machine: bool) -> None:
    handler = logging.StreamHandler()
    handler.setFormatter(LogFormatter(machine))
    logging.basicConfig(level=logging.INFO, handlers=[handler])
    logging.getLogger("httpx").setLevel(logging.WARNING)  # it has a line for each question to another server


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
