"""Options of the command line, declared from the table of settings."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click
from click.shell_completion import CompletionItem

from holdfast.settings import kinds
from holdfast.settings.table import ADDRESS, APP, BROKERS, HEALTH_PORT, SERVER_PORT, STATE_DIR, TOKEN, Setting

FILE = click.Path(dir_okay=False, path_type=Path)
DIRECTORY = click.Path(path_type=Path)
Command = TypeVar("Command", bound=Callable[..., object] | click.Command)
"""A command, or the function that becomes one; an option leaves its type as it is."""

# An app reads the variables of its settings itself, and a token may be a reference to a file.
_NOT_READ_HERE = frozenset([*(setting.name for setting in APP), TOKEN.name])


def setting_option(setting: Setting, **different: object) -> Callable[[Command], Command]:
    """The option of a setting; `different` is what one command declares in another way."""
    # Parameters of click.Option, each with a type of its own.
    declared: dict[str, Any] = {"help": setting.help, "metavar": setting.metavar, **_form(setting)}
    if setting.variable and setting.name not in _NOT_READ_HERE:
        declared["envvar"] = setting.variable
    return click.option(setting.option, setting.name, **{**declared, **different})


def _form(setting: Setting) -> dict[str, object]:
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


def app_argument() -> Callable[[Command], Command]:
    """Add APP.py, which shells complete as a file."""
    return click.argument("app", metavar="APP.py", shell_complete=_file)


def _file(context: click.Context, parameter: click.Parameter, typed: str) -> list[CompletionItem]:
    return [CompletionItem(typed, type="file")]


def brokers_option() -> Callable[[Command], Command]:
    """Add --brokers."""
    return setting_option(BROKERS)


def state_dir_option(**different: object) -> Callable[[Command], Command]:
    """Add --state-dir."""
    return setting_option(STATE_DIR, **different)


def server_options() -> Callable[[Command], Command]:
    """Add where the query server listens."""

    def add(command: Command) -> Command:
        command = setting_option(SERVER_PORT, type=_port(0), default=SERVER_PORT.default, show_default=True)(command)
        command = setting_option(HEALTH_PORT)(command)
        return setting_option(ADDRESS, default=ADDRESS.default, show_default=True)(command)

    return add
