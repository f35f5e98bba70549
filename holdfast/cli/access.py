"""Options about who may ask a server: where it listens, a token, TLS, and its names."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from holdfast.cli.options import setting_option
from holdfast.settings import secrets
from holdfast.settings.table import ALLOW_HOST, NO_TOKEN, PRODUCE, RIGHTS, SQL, TLS_CERT, TLS_KEY, TOKEN

if TYPE_CHECKING:
    from holdfast.server.access import Access


def token_of(file: Path | None) -> str | None:
    """The token in a file, else in HOLDFAST_TOKEN; a command line can be read by everybody on the machine."""
    if file is not None:
        return secrets.value_of(TOKEN.option, f"file:{file}", Path.cwd())
    given = os.environ.get(TOKEN.variable)
    return secrets.value_of(TOKEN.variable, given, Path.cwd()) if given else None


def access_options(command: Callable[..., object]) -> Callable[..., object]:
    """Add the options of who may ask a server, which the command gets as `access`."""

    @functools.wraps(command)
    def wrapped(
        token_file: Path | None, no_token: bool, sql: bool, produce: bool, allow_host: tuple[str, ...],
        tls_cert: Path | None, tls_key: Path | None, rights: Path | None, **rest: object,
    ) -> object:  # fmt: skip
        from holdfast.server.access import Access

        access = Access(token_of(token_file), tls_cert, tls_key, no_token, allow_host, sql, rights, produce).checked()
        if rest.get("serve", True):
            _refuse_open(access, str(rest.get("address", "")))
        return command(access=access, **rest)

    for setting in (TLS_KEY, TLS_CERT, ALLOW_HOST, PRODUCE, SQL, NO_TOKEN, RIGHTS, TOKEN):
        wrapped = setting_option(setting)(wrapped)
    return wrapped


def _refuse_open(access: Access, host: str) -> None:
    """Wrong use of the command line, which a supervisor does not try again."""
    from holdfast.errors import HoldfastError

    try:
        access.refuse_open_address(host)
    except HoldfastError as error:
        raise click.UsageError(str(error)) from None
