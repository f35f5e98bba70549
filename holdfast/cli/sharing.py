"""Options of a server that shares its stores with others."""

from __future__ import annotations

import functools
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from holdfast.cli.options import setting_option
from holdfast.settings import secrets
from holdfast.settings.table import ADVERTISE, SHARE, SHARE_SECRET, SHARING, STANDBYS

if TYPE_CHECKING:
    from holdfast.sharing.sharing import Sharing

_SHORTEST = 16


def sharing_options(command: Callable[..., object]) -> Callable[..., object]:
    """Add the options of sharing, which the command gets as `sharing`, None without --share."""

    @functools.wraps(command)
    def wrapped(
        share: bool, standbys: int, advertise: str | None, share_port: int | None, share_secret: Path | None,
        share_ca: Path | None, **rest: object,
    ) -> object:  # fmt: skip
        sharing = _sharing(standbys, advertise, share_port, share_secret, share_ca) if share else None
        return command(sharing=sharing, **rest)

    different = {STANDBYS.name: {"type": click.IntRange(0, 10), "default": STANDBYS.default, "show_default": True}}
    for setting in reversed(SHARING):
        wrapped = setting_option(setting, **different.get(setting.name, {}))(wrapped)
    return wrapped


def _sharing(standbys: int, url: str | None, port: int | None, secret: Path | None, authority: Path | None) -> Sharing:
    from holdfast.sharing.sharing import Sharing

    if secret is None:
        raise click.UsageError(f"{SHARE.option} wants a secret that all servers know: give {SHARE_SECRET.option} FILE")
    text = secrets.value_of(SHARE_SECRET.option, f"file:{secret}", Path.cwd())
    if len(text) < _SHORTEST:
        raise click.UsageError(f"the secret in {secret} has fewer than {_SHORTEST} letters")
    if url is not None and not url.startswith(("http://", "https://")):
        raise click.UsageError(f"{ADVERTISE.option} is an address such as http://10.0.0.1:7100; got {url}")
    return Sharing(standbys, text, port or 0, (url or "").rstrip("/"), authority)
