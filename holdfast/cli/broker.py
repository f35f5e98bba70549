"""`holdfast broker`: the local Kafka, started to stay."""

from pathlib import Path

import click

from holdfast.cli.options import state_dir_option
from holdfast.cli.output import as_json
from holdfast.ops.broker import OPEN, Broker, BrokerState
from holdfast.settings.table import STATE_DIR

at_state_dir = state_dir_option(
    type=click.Path(file_okay=False, path_type=Path), default=Path(STATE_DIR.default), show_default=True,
    envvar=STATE_DIR.variable, help="Where the broker keeps its data.",
)  # fmt: skip
json_option = click.option("--json", "machine", is_flag=True, help="Print JSON.")


@click.group()
def broker() -> None:
    """Start, stop and look at the local Kafka."""


@broker.command()
@at_state_dir
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    help="Listen here; 0 takes any free port; without it 9092, or another when that is taken.",
)
@click.option(
    "--password", is_flag=True, help="Let in only who knows a password; it lies in a file that only you may read."
)
@json_option
def start(state_dir: Path, port: int | None, password: bool, machine: bool) -> None:
    """Start a single-node Kafka that runs until `holdfast broker stop`."""
    local = Broker(state_dir, port=port, password=password)
    before = local.running()
    local.start(detached=True)
    state = local.running()
    same = state is not None and before is not None and state.process == before.process
    _report(local, state, "already runs" if same else "runs", machine)


@broker.command()
@at_state_dir
@json_option
def stop(state_dir: Path, machine: bool) -> None:
    """Stop the Kafka of a state directory; its data stays."""
    stopped = Broker(state_dir).stop_any()
    if machine:
        as_json({"stopped": stopped, "state_dir": str(state_dir.absolute())})
    else:
        click.echo("stopped" if stopped else f"no broker runs in {state_dir.absolute()}")


@broker.command()
@at_state_dir
@json_option
@click.pass_context
def status(context: click.Context, state_dir: Path, machine: bool) -> None:
    """Show whether the Kafka of a state directory runs; status 1 when it does not."""
    local = Broker(state_dir)
    state = local.running()
    _report(local, state, "runs", machine)
    context.exit(0 if state else 1)


def _report(local: Broker, state: BrokerState | None, verb: str, machine: bool) -> None:
    home = local.home.parent
    if machine:
        found = (
            {"address": state.address, "pid": state.process.pid, "owner": state.owner and state.owner.pid}
            if state
            else {}
        )
        as_json({"running": state is not None, **found, "state_dir": str(home), "log": str(local.log_file)})
    elif state is None:
        click.echo(f"no broker runs in {home}; start one with: holdfast broker start")
    else:
        until = f", stops with process {state.owner.pid}" if state.owner else ""
        click.echo(f"Kafka {verb} at {state.address} (process {state.process.pid}{until}), log in {local.log_file}")
        click.echo(f"its password is in {state.password_file}" if state.kafka else f"{OPEN}; with --password only you")
