"""`holdfast new`: a small project to begin with."""

from __future__ import annotations

from pathlib import Path

import click

from holdfast.cli.output import as_json
from holdfast.ops.new_project import new_project


@click.command()
@click.argument("directory", metavar="NAME", type=click.Path(path_type=Path))
@click.option("--json", "machine", is_flag=True, help="Print JSON.")
def new(directory: Path, machine: bool) -> None:
    """Make a small project in the directory NAME: an app that runs, data, a test and a README."""
    files = new_project(directory)
    if machine:
        as_json({"directory": str(directory.absolute()), "files": files})
        return
    click.echo(f"made {directory}: {', '.join(files)}")
    click.echo(f"  cd {directory}\n  holdfast demo .      # with a local Kafka, the data and a query server")
    click.echo("  python -m pytest     # its test, without Kafka")
