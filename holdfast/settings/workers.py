"""Settings of the processes that run Python functions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from holdfast.errors import HoldfastError, SettingsError
from holdfast.names import did_you_mean
from holdfast.units.duration import milliseconds
from holdfast.units.size import bytes_of


@dataclass(frozen=True)
class WorkerSettings:
    """How long a call may take, by how much a process may grow, how many calls it answers, whose environment it has."""

    timeout_ms: int = 300_000
    memory_bytes: int = 2**30
    calls: int = 0
    environment: str = "same"


def worker_settings(given: Mapping[str, str], what: str = "python") -> WorkerSettings:
    """The settings as they were given, checked.

    >>> worker_settings({"timeout": "30 s", "memory": "500 MB"}).memory_bytes
    524288000
    """
    found: dict[str, Any] = {}
    for name, value in given.items():
        if name not in _READ:
            raise SettingsError(f"{what}[{name!r}] is not a setting{did_you_mean(name, _READ)}")
        field, read = _READ[name]
        found[field] = read(value, f"{what}[{name!r}]")
    return WorkerSettings(**found)


def _duration(value: str, what: str) -> int:
    try:
        length = milliseconds(value, what)
    except HoldfastError as error:
        raise SettingsError(str(error)) from None
    if length == 0:
        raise SettingsError(f"{what} is {value!r}; nothing ends within no time")
    return length


def _size(value: str, what: str) -> int:
    size = bytes_of(value)
    if size is None:
        raise SettingsError(f"{what} is {value!r}; write a size such as 500 MB or 2 GB")
    return size


def _count(value: str, what: str) -> int:
    if not value.isdigit() or int(value) < 1:
        raise SettingsError(f"{what} is {value!r}; a whole number from 1 was wanted")
    return int(value)


def _environment(value: str, what: str) -> str:
    if not value:
        raise SettingsError(f"{what} is empty; write same, send, or the path of a packed environment")
    return value


_READ: Mapping[str, tuple[str, Callable[[str, str], Any]]] = {
    "timeout": ("timeout_ms", _duration),
    "memory": ("memory_bytes", _size),
    "calls": ("calls", _count),
    "environment": ("environment", _environment),
}
