"""Secrets by reference: settings name a variable or a file, and are filled in where a client is made."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path

from holdfast.errors import SettingsError

_VARIABLE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")


def filled(setting: str, given: Mapping[str, str], base: Path) -> dict[str, str]:
    """The values with their references resolved; `setting` is what errors call them.

    >>> filled("kafka", {"acks": "all"}, Path("."))
    {'acks': 'all'}
    """
    return {name: value_of(f"{setting}[{name!r}]", value, base) for name, value in given.items()}


def value_of(what: str, value: str, base: Path) -> str:
    """The value itself, or what a reference names: file:PATH, env:NAME, or ${NAME} anywhere in a text."""
    if value.startswith("file:"):
        return _content(what, base / value.removeprefix("file:"))
    if value.startswith("env:"):
        return _variable(what, value.removeprefix("env:"))
    return _VARIABLE.sub(lambda found: _variable(what, found[1]), value)


def _content(what: str, path: Path) -> str:
    try:
        return path.read_text().strip()
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is not text"
        raise SettingsError(f"{what} is read from {path}: {why}") from None


def _variable(what: str, variable: str) -> str:
    if variable not in os.environ:
        raise SettingsError(f"{what} wants the variable {variable}, which is not set")
    return os.environ[variable]
