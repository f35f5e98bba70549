"""`holdfast sql`: ask a running server in SQL, once or in a shell."""

from __future__ import annotations

import csv
import io
import sys
from datetime import date, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from holdfast.cli.access import token_of
from holdfast.cli.options import setting_option
from holdfast.cli.output import as_json, readable
from holdfast.cli.query import cell, print_table, server_address
from holdfast.settings.table import CA, SERVER_URL, TOKEN, URL
from holdfast.stores import values

if TYPE_CHECKING:
    from holdfast.client import SqlResult

_TIMEOUT = 60
_ROWS = 1000


@click.command()
@click.argument("query", required=False)
@setting_option(SERVER_URL, default=URL, show_default=True)
@setting_option(TOKEN, help="The server's token; or HOLDFAST_TOKEN.")
@setting_option(CA)
@click.option("--limit", type=click.IntRange(min=1), default=_ROWS, show_default=True, help="At most so many rows.")
@click.option("--json", "form", flag_value="json", help="Print JSON.")
@click.option("--csv", "form", flag_value="csv", help="Print CSV.")
def sql(query: str | None, url: str, token_file: Path | None, ca: Path | None, limit: int, form: str | None) -> None:
    """Show the rows of QUERY, a SELECT over the stores; without QUERY, ask for one after the other.

    In the shell a query ends with a semicolon; Tab completes stores and columns, Ctrl-D ends it.
    """
    from holdfast.cli.sql_shell import Shell
    from holdfast.client import Client

    with Client(server_address(url), token_of(token_file), ca, _TIMEOUT) as client:
        if query is not None:
            show(client.sql(query, limit=limit), form)
        else:
            Shell(client, lambda asked: show(client.sql(asked, limit=limit), form)).run()


def show(result: SqlResult, form: str | None) -> None:
    """Print the rows of a query, and on the other stream whether there are more."""
    if form == "json":
        as_json(result.rows)
    elif form == "csv":
        click.echo(_csv(result), nl=False)
    else:
        print_table(result.columns, [[_shown(value) for value in row] for row in _rows(result)])
    if result.is_truncated:
        click.echo("there are more: raise --limit, or aggregate", err=True)


def _rows(result: SqlResult) -> list[tuple[object, ...]]:
    """Rows as they are: columns may have the same name."""
    columns = [column.to_pylist(maps_as_pydicts="lossy") for column in result.to_arrow().columns]
    return list(zip(*columns, strict=True))


def _shown(value: object) -> object:
    """A value for people: times as text and not as JSON has them."""
    if isinstance(value, datetime):
        return values.iso(value)
    return value if value is None or isinstance(value, int | float | str | dict | list) else _text(value)


def _text(value: object) -> str:
    return value.isoformat() if isinstance(value, date) else str(value)


def _csv(result: SqlResult) -> str:
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(result.columns)
    writer.writerows([cell(_shown(value)) for value in row] for row in _rows(result))
    return readable(file.getvalue(), lines=True) if sys.stdout.isatty() else file.getvalue()
