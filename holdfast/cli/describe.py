"""`holdfast describe` and `holdfast explain`: what a program is, and what it will do."""

from __future__ import annotations

import json
from pathlib import Path

import click

from holdfast.cli.options import app_argument
from holdfast.dsl.loader import load_app
from holdfast.errors import HoldfastError
from holdfast.plan.explain import explain as explanation
from holdfast.plan.planner import plan
from holdfast.topology.describe import describe as description
from holdfast.topology.graph import Topology
from holdfast.topology.picture import mermaid, svg


@click.command()
@app_argument()
@click.option("--json", "as_json", is_flag=True, help="Print the plan as JSON.")
@click.option("--mermaid", "as_mermaid", is_flag=True, help="Print a Mermaid flowchart.")
@click.option("--svg", "svg_file", metavar="FILE", help="Write a picture to FILE; '-' prints it.")
def describe(app: str, as_json: bool, as_mermaid: bool, svg_file: str | None) -> None:
    """Show the topology of APP.py: sources, processors, stores, sinks and the stage of each."""
    if sum([as_json, as_mermaid, svg_file is not None]) > 1:
        raise click.UsageError("--json, --mermaid and --svg exclude each other")
    planned = _planned(app)
    if svg_file is not None:
        _write(svg_file, svg(planned))
    elif as_json:
        click.echo(json.dumps(planned.json(), ensure_ascii=False, indent=2))
    else:
        click.echo(mermaid(planned) if as_mermaid else description(planned))


@click.command()
@app_argument()
def explain(app: str) -> None:
    """Say stage by stage what APP.py reads, keeps and writes, and where and why records travel."""
    click.echo(explanation(_planned(app)))


def _planned(app: str) -> Topology:
    return plan(load_app(app).topology)


def _write(file: str, text: str) -> None:
    if file == "-":
        click.echo(text)
        return
    try:
        Path(file).write_text(text + "\n", encoding="utf-8")
    except OSError as error:
        reason = error.strerror or error
        raise HoldfastError(f"{file} cannot be written: {reason}; choose another file with --svg") from None
    click.echo(f"wrote {file}")
