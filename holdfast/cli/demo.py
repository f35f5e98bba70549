"""`holdfast demo`: an example with everything around it, in one command."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from holdfast.cli.access import access_options
from holdfast.cli.options import server_options, state_dir_option
from holdfast.cli.screen import watch
from holdfast.dsl.loader import load_app
from holdfast.ops import examples
from holdfast.ops.host import Host, HostOptions
from holdfast.settings.table import STATE_DIR
from holdfast.topics.admin import Topics

if TYPE_CHECKING:
    from holdfast.server.access import Access

# The test data ends; its last windows shall close while somebody watches.
IDLE_MS = 5_000


@click.command()
@click.argument("name", default="leaderboard", shell_complete=lambda context, parameter, typed: _names(typed))
@server_options()
@access_options
@state_dir_option(default=Path(STATE_DIR.default), show_default=True, help="Where broker and state are kept.")
@click.option("--list", "listed", is_flag=True, help="Show the examples and do nothing else.")
def demo(
    name: str, address: str, port: int, health_port: int | None, access: Access, state_dir: Path, listed: bool
) -> None:
    """Run an example with a local Kafka, its test data, a query server and its page; Ctrl-C stops all of it.

    NAME is an example's, or a directory with app.py and data/, such as `holdfast new` makes.
    """
    if listed:
        for each, example in examples.known().items():
            click.echo(f"{each:<12} {example.about}")
        return
    with watch() as screen:
        example = examples.find(name)
        options = HostOptions(
            dev=True, state_dir=state_dir, serve=True, address=address, port=port, idle_ms=IDLE_MS, access=access,
            health_port=health_port, app=str(example.app),
        )  # fmt: skip
        app = load_app(example.app)

        def fill(topics: Topics) -> None:
            if written := examples.load_data(example, topics):
                screen.say(f"wrote {written} records of test data")

        screen.follow(Host(app, options, screen.say, fill), ready=lambda host: _hints(host, example, access))


def _names(typed: str) -> list[str]:
    return [each for each in examples.known() if each.startswith(typed)]


def _hints(host: Host, example: examples.Example, access: Access) -> str:
    assert host.server is not None
    server, routes = host.server.url.partition("://")[2], host.app.routes
    tries = [each.replace("localhost:7000", server) for each in example.commands if "holdfast demo" not in each]
    tries = tries or [f"curl {host.server.url}{route.path}" for route in routes if "{" not in route.path]
    if access.token:
        tries.append("send the header Authorization: Bearer and the token with each request")
    lines = [f"  {each}" for each in [*tries, f"open {host.server.url}/ in a browser"]]
    return "\n".join(["ready; in another terminal try:", *lines, "Ctrl-C stops everything"])
