"""`holdfast run`: an app until it is stopped."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from holdfast.cli.access import access_options
from holdfast.cli.options import app_argument, brokers_option, server_options, setting_option, state_dir_option
from holdfast.cli.screen import watch
from holdfast.dsl.loader import load_app
from holdfast.ops.host import Host, HostOptions
from holdfast.settings.table import MODE

if TYPE_CHECKING:
    from holdfast.server.access import Access


@click.command()
@app_argument()
@click.option("--dev", is_flag=True, help="Run a local Kafka under the state directory.")
@brokers_option()
@setting_option(MODE)
@click.option("--serve", is_flag=True, help="Answer queries over REST.")
@server_options()
@access_options
@state_dir_option()
@click.option(
    "--master", metavar="URL", help="Where tasks run: spark://HOST:PORT; all cores of this machine otherwise."
)
@click.option("--skip-lost", is_flag=True, help="Go on without records that Kafka deleted before they were read.")
@click.option("--json", "machine", is_flag=True, help="Log as JSON lines.")
def run(
    app: str, dev: bool, brokers: str | None, mode: str | None, serve: bool, address: str, port: int,
    health_port: int | None, access: Access, state_dir: Path | None, master: str | None, skip_lost: bool, machine: bool,
) -> None:  # fmt: skip
    """Run APP.py until Ctrl-C, which finishes the epoch in hand."""
    options = HostOptions(
        dev, brokers, mode, state_dir, serve, address, port, skip_lost, master=master, access=access,
        health_port=health_port, app=app,
    )  # fmt: skip
    with watch(machine) as screen:
        loaded = load_app(app)
        screen.follow(Host(loaded, options, screen.say))
