"""Settings of the processes that run Python functions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from holdfast.errors import SettingsError
from holdfast.names import did_you_mean
from holdfast.settings.table import WORKERS

_DEFAULTS = {setting.attribute: setting.default for setting in WORKERS}


@dataclass(frozen=True)
class WorkerSettings:
    """How long a call may take, by how much a process may grow, how many calls it answers, whose environment it has."""

    timeout_ms: int = _DEFAULTS["timeout_ms"]
    memory_bytes: int = _DEFAULTS["memory_bytes"]
    calls: int = _DEFAULTS["calls"]
    environment: str = _DEFAULTS["environment"]


def worker_settings(given: Mapping[str, str], what: str = "python") -> WorkerSettings:
    """The settings as they were given, checked.

    >>> worker_settings({"timeout": "30 s", "memory": "500 MB"}).memory_bytes
    524288000
    """
    known = {setting.name: setting for setting in WORKERS}
    found: dict[str, Any] = {}  # each of the type that its setting reads
    for name, value in given.items():
        if name not in known:
            raise SettingsError(f"{what}[{name!r}] is not a setting{did_you_mean(name, known)}")
        found[known[name].attribute] = known[name].kind.read(value, f"{what}[{name!r}]")
    return WorkerSettings(**found)
