"""Options of the command line, declared from the table of settings."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from holdfast.settings import kinds
from holdfast.settings.table import ADDRESS, APP, BROKERS, HEALTH_PORT, SERVER_PORT, STATE_DIR, TOKEN, Setting

FILE = click.Path(dir_okay=False, path_type=Path)
DIRECTORY = click.Path(path_type=Path)
Decorator = Callable[[Any], Any]

# An app reads the variables of its settings itself, and a token may be a reference to a file.
_NOT_READ_HERE = frozenset([*(setting.name for setting in APP), TOKEN.name])


def setting_option(setting: Setting, **different: object) -> Decorator:
    """The option of a setting; `different` is what one command declares in another way."""
    declared = {"help": setting.help, "metavar": setting.metavar, **_form(setting)}
    if setting.variable and setting.name not in _NOT_READ_HERE:
        declared["envvar"] = setting.variable
    return click.option(setting.option, setting.name, **{**declared, **different})


def _form(setting: Setting) -> dict[str, Any]:
    """How click reads a setting of that kind."""
    if setting.kind.choices:
        return {"type": click.Choice(setting.kind.choices)}
    if setting.kind is kinds.FLAG:
        return {"is_flag": True}
    if setting.kind is kinds.NAMES:
        return {"multiple": True}
    if setting.kind is kinds.PATH:
        return {"type": DIRECTORY if setting is STATE_DIR else FILE}
    return {"type": _port(1)} if setting.kind is kinds.PORT else {}


def _port(least: int) -> click.IntRange:
    return click.IntRange(least, 65535)


def brokers_option() -> Decorator:
    """Add --brokers."""
    return setting_option(BROKERS)


def state_dir_option(**different: object) -> Decorator:
    """Add --state-dir."""
    return setting_option(STATE_DIR, **different)


def server_options(least_port: int = 1, **different: object) -> Decorator:
    """Add where the query server listens; `different` is what a command says in another way of its port."""

    def add(command: object) -> Any:
        at_port = {"type": _port(least_port), "default": SERVER_PORT.default, "show_default": True, **different}
        command = setting_option(SERVER_PORT, **at_port)(command)
        command = setting_option(HEALTH_PORT, type=_port(least_port))(command)
        return setting_option(ADDRESS, default=ADDRESS.default, show_default=True)(command)

    return add
