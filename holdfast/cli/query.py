"""`holdfast query`: ask a running server."""

from __future__ import annotations

import os
import ssl
from collections.abc import Sequence
from dataclasses import dataclass
from http.client import HTTPException
from pathlib import Path
from urllib.error import HTTPError, URLError
from urllib.parse import quote, urlencode, urlsplit
from urllib.request import Request, urlopen

import click
import orjson
from rich.console import Console
from rich.table import Table
from rich.text import Text

from holdfast.cli.access import token_of
from holdfast.cli.options import setting_option
from holdfast.cli.output import as_json, readable
from holdfast.documents import Document
from holdfast.errors import HoldfastError
from holdfast.settings.table import CA, SERVER_URL, TOKEN, URL
from holdfast.stores import exact_json
from holdfast.stores.types import words
from holdfast.types import from_json

_PAGE = 1000
_TIMEOUT = 30
_LONG = 30_000  # characters of an address; a server takes twice as many


class QueryError(HoldfastError):
    """The server refused, or there is none."""


@click.command()
@click.argument("store", required=False)
@click.argument("key", required=False)
@setting_option(SERVER_URL, default=URL, show_default=True)
@setting_option(TOKEN, help="The server's token; or HOLDFAST_TOKEN.")
@setting_option(CA)
@click.option("--from", "start", metavar="KEY", help="The first key; of a record, JSON of its leading fields.")
@click.option("--to", "end", metavar="KEY", help="The last key, included.")
@click.option("--prefix", help="Only keys that begin so.")
@click.option("--limit", type=click.IntRange(min=1), default=100, show_default=True, help="At most so many entries.")
@click.option("--count", is_flag=True, help="How many keys there are.")
@click.option("--watch", is_flag=True, help="Print what there is and then every change, until Ctrl-C.")
@click.option("--json", "machine", is_flag=True, help="Print JSON.")
def query(
    store: str | None, key: str | None, url: str, token_file: Path | None, ca: Path | None, start: str | None,
    end: str | None, prefix: str | None, limit: int, count: bool, watch: bool, machine: bool,
) -> None:  # fmt: skip
    """Show the value of KEY in STORE, the entries of STORE, or, without STORE, which stores there are."""
    bounds = {name: value for name, value in (("from", start), ("to", end), ("prefix", prefix)) if value is not None}
    if (key is not None or count or store is None) and bounds:
        raise click.UsageError("--from, --to and --prefix choose entries of a STORE; leave KEY and --count out")
    if (key is not None or store is None) and count:
        raise click.UsageError("--count counts the keys of a STORE; leave KEY out and give STORE")
    if watch and (store is None or count):
        raise click.UsageError("--watch follows a STORE, or a KEY of it; give STORE and leave --count out")
    if watch:
        _watch(url, token_of(token_file), ca, store or "", key, bounds, machine)
        return
    server = Remote(server_address(url), token_of(token_file), ca)
    if store is None:
        _stores(_ask_for_object(server, "/stores"), machine)
    elif key is not None:
        _value(_key(server, store, key), machine)
    elif count:
        found = _ask_for_object(server, f"/stores/{_quoted(store)}/count")
        as_json(found) if machine else click.echo(found["count"])
    else:
        _entries(*_pages(server, store, bounds, limit), machine)


def _watch(
    url: str, token: str | None, ca: Path | None, store: str, key: str | None, bounds: dict[str, str], machine: bool
) -> None:
    """Print updates as they come; keys are written on the command line as in an address."""
    from holdfast.client import Client

    with Client(server_address(url), token, ca, _TIMEOUT) as client:
        for update in client.follow(store, [] if key is None else [key], bounds):
            if machine:
                changes = [{"key": each, "value": value} for each, value in update.changes.items()]
                click.echo(exact_json.dumps({"epoch": update.epoch, "changes": changes}).decode())
                continue
            for each, value in update.changes.items():
                click.echo(readable(f"{update.epoch}  {cell(each)}  {'deleted' if value is None else cell(value)}"))


def server_address(url: str) -> str:
    """The address of a server that the command line names."""
    parts = urlsplit(url if "://" in url else f"http://{url}")
    if parts.scheme not in ("http", "https") or not parts.netloc:
        raise click.BadParameter(f"{url!r} is not the address of a server; write it as {URL}", param_hint="--url")
    return f"{parts.scheme}://{parts.netloc}{parts.path.rstrip('/')}"


def _quoted(text: str) -> str:
    return quote(os.fsencode(text), safe="")


@dataclass(frozen=True)
class Remote:
    """A server, and what it wants to see of those who ask."""

    url: str
    token: str | None
    ca: Path | None

    def request(self, path: str, body: dict[str, str] | None = None) -> Request:
        """A request for JSON, with JSON in its body if it has one."""
        headers = {"Accept": "application/json"}
        if self.token:
            headers["Authorization"] = f"Bearer {self.token}"
        if body is None:
            return Request(self.url + path, headers=headers)
        return Request(self.url + path, orjson.dumps(body), {**headers, "Content-Type": "application/json"})

    def trust(self) -> ssl.SSLContext | None:
        """Whom to believe, when that is not left to the system."""
        try:
            return ssl.create_default_context(cafile=str(self.ca)) if self.ca else None
        except (OSError, ssl.SSLError) as error:
            raise QueryError(f"--ca {self.ca} cannot be used: {error}") from None


def _ask(server: Remote, path: str, body: dict[str, str] | None = None) -> object:
    try:
        with urlopen(server.request(path, body), timeout=_TIMEOUT, context=server.trust()) as answer:
            return exact_json.loads(answer.read())
    except HTTPError as error:
        raise _refused(server.url, error) from None
    except (URLError, HTTPException, OSError) as error:
        reason = getattr(error, "reason", error)
        raise QueryError(
            f"no server answers at {server.url} ({reason}); start one with `holdfast run APP.py --serve` or "
            "`holdfast serve APP.py`, or say where it is with --url"
        ) from None
    except ValueError:
        raise _no_server_of_ours(server) from None


def _ask_for_object(server: Remote, path: str, body: dict[str, str] | None = None) -> Document:
    found = _ask(server, path, body)
    if not isinstance(found, dict):
        raise _no_server_of_ours(server)
    return found


def _no_server_of_ours(server: Remote) -> QueryError:
    return QueryError(f"what answers at {server.url} is not a Holdfast server; say where it is with --url")


def _refused(server: str, error: HTTPError) -> QueryError:
    try:
        said = orjson.loads(error.read())["error"]
        return QueryError(f"{said['message']}; {said['hint']}" if said["hint"] else said["message"])
    except (ValueError, KeyError, TypeError):
        return QueryError(f"{server} answered {error.code} {error.reason}; is it a Holdfast server? See --url")


def _key(server: Remote, store: str, key: str) -> object:
    """The value of a key; one that is too long for an address is asked for in a body."""
    path, name = f"/stores/{_quoted(store)}", _quoted(key)
    return _ask(server, f"{path}/keys/{name}" if len(name) < _LONG else f"{path}/get", _long({"key": key}, name))


def _long(fields: dict[str, str], written: str) -> dict[str, str] | None:
    return fields if len(written) >= _LONG else None


def _pages(server: Remote, store: str, bounds: dict[str, str], limit: int) -> tuple[list[Document], bool]:
    """Up to `limit` entries, in as many requests as it takes, and whether there are more."""
    entries: list[Document] = []
    after: dict[str, str] = {}
    while True:
        asked = {**bounds, **after, "limit": str(min(_PAGE, limit - len(entries)))}
        path, query = f"/stores/{_quoted(store)}", urlencode(asked)
        where = f"{path}?{query}" if len(query) < _LONG else f"{path}/page"
        page = _ask_for_object(server, where, _long(asked, query))
        entries += page["entries"]
        if page["next"] is None or len(entries) >= limit:
            return entries, page["next"] is not None
        after = {"after": page["next"]}


def _stores(listed: Document, machine: bool) -> None:
    if machine:
        as_json(listed)
        return
    rows = [
        [s["name"], words(from_json(s["key"])), words(from_json(s["value"])), s["count"], s["lag"]]
        for s in listed["stores"]
    ]
    print_table(["store", "key", "value", "keys", "lag"], rows)


def _value(value: object, machine: bool) -> None:
    if machine:
        as_json(value)
    elif isinstance(value, list) and value and all(isinstance(each, dict) for each in value):
        columns = list(dict.fromkeys(name for each in value for name in each))
        print_table(columns, [[each.get(name) for name in columns] for each in value])
    elif isinstance(value, dict | list):
        click.echo(readable(exact_json.indented(value), lines=True))
    else:
        click.echo(readable(cell(value)))


def _entries(entries: list[Document], more: bool, machine: bool) -> None:
    if machine:
        as_json(entries)
        return
    columns = _columns(entries)
    if columns:
        print_table(
            ["key", *columns], [[e["key"], *((e["value"] or {}).get(name) for name in columns)] for e in entries]
        )
    else:
        print_table(["key", "value"], [[e["key"], e["value"]] for e in entries])
    if more:
        click.echo("there are more: raise --limit, or begin later with --from", err=True)


def _columns(entries: list[Document]) -> list[str]:
    """The fields of values that are records; nothing if they are something else."""
    found = [e["value"] for e in entries if e["value"] is not None]
    if not found or not all(isinstance(value, dict) for value in found):
        return []
    return list(dict.fromkeys(name for value in found for name in value))


def print_table(columns: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    """Print rows in the width of the terminal; long values are folded."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    for index, name in enumerate(columns):
        numbers = bool(rows) and all(isinstance(row[index], int | float) for row in rows)
        table.add_column(Text(readable(name)), justify="right" if numbers else "left", overflow="fold")
    for row in rows:
        table.add_row(*(Text(readable(cell(value))) for value in row))
    Console(highlight=False, soft_wrap=False).print(table if rows else "nothing found")


def cell(value: object) -> str:
    """A value as a table or CSV shows it: text as it is, records as JSON."""
    if isinstance(value, str):
        return value
    return "" if value is None else exact_json.dumps(value).decode()
