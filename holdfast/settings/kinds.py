"""Types of settings: each makes a value of what was given, and says where it came from if it cannot."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, SupportsIndex

from holdfast.errors import HoldfastError, SettingsError
from holdfast.units.duration import milliseconds
from holdfast.units.size import bytes_of
from holdfast.units.time import epoch_milliseconds

RESETS = ("earliest", "latest")
_LEAST_MEMORY = 2**20


@dataclass(frozen=True)
class Kind:
    """A type of settings: its name in the docs, and what checks a value that came from an `origin`."""

    name: str
    read: Callable[[object, str], object]
    choices: tuple[str, ...] = ()


def choice(*choices: str) -> Kind:
    """One of some words."""

    def read(value: object, origin: str) -> str:
        if value not in choices:
            raise SettingsError(f"{origin} is {value!r}; it may be {', '.join(choices)}")
        return str(value)

    return Kind("one of " + ", ".join(f"`{each}`" for each in choices), read, choices)


def text(value: object, origin: str) -> str:
    """A text that is not empty."""
    if not isinstance(value, (str, os.PathLike)) or not str(value):
        raise SettingsError(f"{origin} is {value!r}; a text was wanted")
    return str(value)


def broker_list(value: object, origin: str) -> str | None:
    """Bootstrap servers, `host:port` with commas between; None is none."""
    if value is None:
        return None
    servers = text(value, origin)
    for each in servers.split(","):
        host, _, port = each.strip().rpartition(":")
        if not host or not port.isdigit():
            raise SettingsError(
                f"{origin} is {servers!r}; write host:port, for example localhost:9092, several with commas"
            )
    return servers


def mapping(value: object, origin: str) -> dict[str, str]:
    """Names with their values."""
    if not isinstance(value, Mapping):
        # What it holds may be secret.
        raise SettingsError(f"{origin} is of type {type(value).__name__}; a mapping of names to values was wanted")
    return {str(each): _plain(setting) for each, setting in value.items()}


def _plain(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _count(value: object, origin: str) -> int:
    try:
        number = int(value) if isinstance(value, str | SupportsIndex) and not isinstance(value, bool) else 0
    except ValueError:
        number = 0
    if number < 1:
        raise SettingsError(f"{origin} is {value!r}; a whole number from 1 was wanted")
    return number


def _switch(value: object, origin: str) -> bool:
    word = _plain(value)
    if word not in ("true", "false"):
        raise SettingsError(f"{origin} is {value!r}; it may be true or false")
    return word == "true"


def _state_memory(value: object, origin: str) -> int | None:
    """A size such as 512MB; None leaves it to RocksDB."""
    if value is None:
        return None
    size = bytes_of(str(value)) if isinstance(value, (str, int)) and not isinstance(value, bool) else None
    if size is None or size < _LEAST_MEMORY:
        raise SettingsError(f"{origin} is {value!r}; write a size from 1 MB, for example 512MB or 2GB")
    return size


def _size(value: object, origin: str) -> int:
    size = bytes_of(str(value))
    if size is None:
        raise SettingsError(f"{origin} is {value!r}; write a size such as 500 MB or 2 GB")
    return size


def _duration(value: Any, origin: str) -> int:  # `milliseconds` refuses what is no duration
    try:
        return milliseconds(value, origin)
    except HoldfastError as error:
        raise SettingsError(str(error)) from None


def _timeout(value: object, origin: str) -> int:
    length = _duration(value, origin)
    if length == 0:
        raise SettingsError(f"{origin} is {value!r}; nothing ends within no time")
    return length


def _reset(value: Any, origin: str) -> str | int:  # `epoch_milliseconds` refuses what is no time
    if value in RESETS:
        return str(value)
    try:
        return epoch_milliseconds(int(value) if isinstance(value, str) and value.isdigit() else value, origin)
    except HoldfastError:
        shown = value.isoformat() if isinstance(value, datetime) else repr(value)
        raise SettingsError(
            f"{origin} is {shown}; it may be earliest, latest, ISO 8601 with a time zone, or milliseconds since 1970"
        ) from None


def _environment(value: object, origin: str) -> str:
    if not value:
        raise SettingsError(f"{origin} is empty; write same, send, or the path of a packed environment")
    return str(value)


TEXT = Kind("text", text)
PATH = Kind("path", text)
BROKERS = Kind("text", broker_list)
MAPPING = Kind("mapping", mapping)
COUNT = Kind("whole number", _count)
SWITCH = Kind("`true` or `false`", _switch)
STATE_MEMORY = Kind("size", _state_memory)
SIZE = Kind("size", _size)
DURATION = Kind("duration", _duration)
TIMEOUT = Kind("duration", _timeout)
RESET = Kind("text or time", _reset)
ENVIRONMENT = Kind("text", _environment)
PORT = Kind("port", _count)
FLAG = Kind("flag", _switch)
NAMES = Kind("names", text)
