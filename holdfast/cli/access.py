"""Options about who may ask a server: where it listens, a token, TLS, and its names."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from holdfast.settings import secrets

if TYPE_CHECKING:
    from holdfast.server.access import Access

FILE = click.Path(dir_okay=False, path_type=Path)


def token(file: Path | None) -> str | None:
    """The token in a file, else in HOLDFAST_TOKEN; a command line can be read by everybody on the machine."""
    if file is not None:
        return secrets.value_of("--token-file", f"file:{file}", Path.cwd())
    given = os.environ.get("HOLDFAST_TOKEN")
    return secrets.value_of("HOLDFAST_TOKEN", given, Path.cwd()) if given else None


def access_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add --token-file, --no-token, --allow-host, --tls-cert and --tls-key, which the command gets as `access`."""

    @functools.wraps(command)
    def wrapped(
        token_file: Path | None, no_token: bool, allow_host: tuple[str, ...], tls_cert: Path | None,
        tls_key: Path | None, **rest: Any,
    ) -> Any:  # fmt: skip
        from holdfast.server.access import Access

        access = Access(token(token_file), tls_cert, tls_key, no_token, allow_host).checked()
        if rest.get("serve", True):
            _refuse_open(access, rest.get("address") or rest.get("host") or "")
        return command(access=access, **rest)

    for option in (
        click.option("--tls-key", type=FILE, envvar="HOLDFAST_TLS_KEY", help="The certificate's key, PEM."),
        click.option("--tls-cert", type=FILE, envvar="HOLDFAST_TLS_CERT", help="Serve over TLS; a chain, PEM."),
        click.option("--allow-host", metavar="NAME", multiple=True, envvar="HOLDFAST_ALLOW_HOST",
                     help="Without a token: another name under which the server may be asked."),
        click.option("--no-token", is_flag=True, help="Answer everybody, also where other machines are."),
        click.option("--token-file", type=FILE, help="Answer those who send this token; or HOLDFAST_TOKEN."),
    ):  # fmt: skip
        wrapped = option(wrapped)
    return wrapped


def _refuse_open(access: Access, host: str) -> None:
    """Wrong use of the command line, which a supervisor does not try again."""
    from holdfast.errors import HoldfastError

    try:
        access.refuse_open_address(host)
    except HoldfastError as error:
        raise click.UsageError(str(error)) from None
