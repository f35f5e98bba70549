"""What commands print for programs to read."""

from typing import Any

import click
import orjson


def as_json(answer: Any) -> None:
    """Print an answer as one line of JSON."""
    click.echo(orjson.dumps(answer).decode())
