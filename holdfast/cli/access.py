"""Options about who may ask a server: a token, and TLS."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from holdfast.topics import secrets

if TYPE_CHECKING:
    from holdfast.server.limits import Access

FILE = click.Path(dir_okay=False, path_type=Path)


def token(file: Path | None) -> str | None:
    """The token in a file, else in HOLDFAST_TOKEN; a command line can be read by everybody on the machine."""
    if file is not None:
        return secrets.value_of("--token-file", f"file:{file}", Path.cwd())
    given = os.environ.get("HOLDFAST_TOKEN")
    return secrets.value_of("HOLDFAST_TOKEN", given, Path.cwd()) if given else None


def access_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add --token-file, --tls-cert and --tls-key, which the command gets as `access`."""

    @functools.wraps(command)
    def wrapped(token_file: Path | None, tls_cert: Path | None, tls_key: Path | None, **rest: Any) -> Any:
        return command(access=_access(token(token_file), tls_cert, tls_key), **rest)

    for option in (
        click.option("--tls-key", type=FILE, envvar="HOLDFAST_TLS_KEY", help="The certificate's key, PEM."),
        click.option("--tls-cert", type=FILE, envvar="HOLDFAST_TLS_CERT", help="Serve over TLS; a chain, PEM."),
        click.option("--token-file", type=FILE, help="Answer those who send this token; or HOLDFAST_TOKEN."),
    ):
        wrapped = option(wrapped)
    return wrapped


def _access(known: str | None, certificate: Path | None, key: Path | None) -> Access:
    from holdfast.server.limits import Access

    return Access(known, certificate, key).checked()
