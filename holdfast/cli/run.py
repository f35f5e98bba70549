"""`holdfast run`: an app until it is stopped."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from holdfast.cli.access import access_options
from holdfast.cli.live import watch
from holdfast.dsl.loader import load_app
from holdfast.ops.host import Host, Wanted
from holdfast.settings import MODES


def server_options(command: Any) -> Any:
    """Add where the query server listens."""
    command = click.option("--port", type=click.IntRange(1, 65535), default=7000, show_default=True, help="Its port.")(
        command
    )
    command = click.option(
        "--health-port", type=click.IntRange(1, 65535), envvar="HOLDFAST_HEALTH_PORT",
        help="Answer /health and /ready here, too, by yes or no to everybody.",
    )(command)  # fmt: skip
    return click.option("--host", "address", default="127.0.0.1", show_default=True, help="Where the server listens.")(
        command
    )


@click.command()
@click.argument("app", metavar="APP.py")
@click.option("--dev", is_flag=True, help="Run a local Kafka under the state directory.")
@click.option("--brokers", metavar="HOST:PORT", help="Bootstrap servers; or HOLDFAST_BROKERS.")
@click.option("--mode", type=click.Choice(MODES), help="How to run; the app's own setting otherwise.")
@click.option("--serve", is_flag=True, help="Answer queries over REST.")
@server_options
@access_options
@click.option(
    "--state-dir", type=click.Path(path_type=Path), help="Where state is kept; .holdfast beside the app otherwise."
)
@click.option(
    "--master", metavar="URL", help="Where tasks run: spark://HOST:PORT; all cores of this machine otherwise."
)
@click.option("--skip-lost", is_flag=True, help="Go on without records that Kafka deleted before they were read.")
@click.option("--json", "machine", is_flag=True, help="Log as JSON lines.")
def run(
    app: str, dev: bool, brokers: str | None, mode: str | None, serve: bool, address: str, port: int,
    health_port: int | None, access: Any, state_dir: Path | None, master: str | None, skip_lost: bool, machine: bool,
) -> None:  # fmt: skip
    """Run APP.py until Ctrl-C, which finishes the epoch in hand."""
    wanted = Wanted(
        dev, brokers, mode, state_dir, serve, address, port, skip_lost, master=master, access=access,
        health_port=health_port, app=app,
    )  # fmt: skip
    with watch(machine) as screen:
        loaded = load_app(app)
        screen.follow(Host(loaded, wanted, screen.say))
