"""Settings of an app: an argument, then a HOLDFAST_* variable, then holdfast.toml, then the default."""

from __future__ import annotations

import json
import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from types import MappingProxyType
from typing import Any

from holdfast.errors import HoldfastError, SettingsError
from holdfast.names import check_name, did_you_mean
from holdfast.settings import secrets
from holdfast.settings.file_trust import refuse_code
from holdfast.settings.workers import WorkerSettings, worker_settings
from holdfast.units.duration import milliseconds
from holdfast.units.size import bytes_of
from holdfast.units.time import epoch_milliseconds

MAPPINGS = ("kafka", "spark", "python")
FILE = "holdfast.toml"
MODES = ("exactly-once", "real-time", "drain")
ON_ERROR = ("dead-letter", "fail")
RESETS = ("earliest", "latest")
NAMES = (
    "brokers", "mode", "tasks", "trigger", "real_time_epoch", "max_records", "max_bytes", "state_dir", "on_error",
    "auto_offset_reset", "state_memory", "stalled_after", "fsync", "kafka", "spark", "python",
)  # fmt: skip


class _Text(str):
    """A default that can be told from the same text given by the user."""


class _Number(int):
    """A default that can be told from the same number given by the user."""


NOTHING: Mapping[str, str] = MappingProxyType({})
DEFAULTS: Mapping[str, Any] = MappingProxyType(
    {
        "brokers": None,
        "mode": _Text("exactly-once"),
        "tasks": _Number(16),
        "trigger": _Text("500 ms"),
        "real_time_epoch": _Text("5 minutes"),
        "max_records": _Number(1_000_000),
        "max_bytes": _Number(128 * 2**20),
        "state_dir": _Text(".holdfast"),
        "on_error": _Text("dead-letter"),
        "auto_offset_reset": _Text("earliest"),
        "state_memory": None,
        "stalled_after": _Text("5 minutes"),
        "fsync": _Text("true"),
        "kafka": NOTHING,
        "spark": NOTHING,
        "python": NOTHING,
    }
)


@dataclass(frozen=True)
class Settings:
    """The settings of one app, checked."""

    name: str
    base: Path
    brokers: str | None
    mode: str
    tasks: int
    trigger_ms: int
    real_time_epoch_ms: int
    max_records: int
    max_bytes: int
    state_dir: Path
    on_error: str
    auto_offset_reset: str | int
    state_memory: int | None
    stalled_after_ms: int
    fsync: bool
    kafka: Mapping[str, str] = field(repr=False)
    spark: Mapping[str, str] = field(repr=False)
    python: WorkerSettings = field(default_factory=WorkerSettings)

    def kafka_client(self) -> dict[str, str]:
        """The client settings with secrets filled in: ${VARIABLE}, env:VARIABLE and file:PATH."""
        return secrets.filled("kafka", self.kafka, self.base)


def load(name: str, given: Mapping[str, Any], base: Path, environ: Mapping[str, str] | None = None) -> Settings:
    """The settings of the app `name` whose file lies in `base`."""
    layers = (_given(given), _variables(os.environ if environ is None else environ), _file(base))
    found = {each: _first(each, layers) for each in NAMES if each not in MAPPINGS}
    return Settings(
        name=_name(name),
        base=base,
        brokers=broker_list(*found["brokers"]),
        mode=_choice("mode", *found["mode"], MODES),
        tasks=_count(*found["tasks"]),
        trigger_ms=_duration(*found["trigger"]),
        real_time_epoch_ms=_duration(*found["real_time_epoch"]),
        max_records=_count(*found["max_records"]),
        max_bytes=_count(*found["max_bytes"]),
        state_dir=base / _text("state_dir", *found["state_dir"]),
        on_error=_choice("on_error", *found["on_error"], ON_ERROR),
        auto_offset_reset=_reset(*found["auto_offset_reset"]),
        state_memory=_bytes(*found["state_memory"]),
        stalled_after_ms=_duration(*found["stalled_after"]),
        fsync=_switch(*found["fsync"]),
        kafka=_merged("kafka", layers),
        spark=_merged("spark", layers),
        python=worker_settings(_merged("python", layers)),
    )


def broker_list(value: Any, origin: str) -> str | None:
    """Check bootstrap servers, `host:port` with commas between; None is none."""
    if value is None:
        return None
    text = _text("brokers", value, origin)
    for each in text.split(","):
        host, _, port = each.strip().rpartition(":")
        if not host or not port.isdigit():
            raise SettingsError(
                f"{origin} is {text!r}; write host:port, for example localhost:9092, several with commas"
            )
    return text


Layer = Mapping[str, tuple[Any, str]]


def _given(given: Mapping[str, Any]) -> Layer:
    return {name: (value, f"{name}=") for name, value in given.items() if value is not DEFAULTS[name]}


def _variables(environ: Mapping[str, str]) -> Layer:
    found: dict[str, tuple[Any, str]] = {}
    for name in NAMES:
        variable = f"HOLDFAST_{name.upper()}"
        if environ.get(variable):
            value: Any = environ[variable]
            found[name] = (_object(value, variable) if name in MAPPINGS else value, variable)
    if kafka := kafka_variables(environ):
        found["kafka"] = (kafka, "HOLDFAST_KAFKA")
    return found


def kafka_variables(environ: Mapping[str, str]) -> dict[str, str]:
    """Client settings of the environment: HOLDFAST_KAFKA, and one by one: HOLDFAST_KAFKA_ACKS is acks."""
    whole = environ.get("HOLDFAST_KAFKA")
    found = _mapping(_object(whole, "HOLDFAST_KAFKA"), "HOLDFAST_KAFKA") if whole else {}
    for name, value in environ.items():
        if name.startswith("HOLDFAST_KAFKA_") and value:
            found[name.removeprefix("HOLDFAST_KAFKA_").lower().replace("_", ".")] = value
    return found


def _object(text: str, variable: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        # What it holds may be secret.
        raise SettingsError(f'{variable} is not JSON; write an object, for example {{"acks": "all"}}') from None


def _file(base: Path) -> Layer:
    path = next((each / FILE for each in (base, Path.cwd()) if (each / FILE).is_file()), None)
    if path is None:
        return {}
    try:
        content = tomllib.loads(path.read_text())
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, OSError) as error:
        raise SettingsError(f"{path}: {error}") from None
    for name in content:
        if name not in NAMES:
            raise SettingsError(f"{path}: {name!r} is not a setting{did_you_mean(name, NAMES)}")
    refuse_code(path, content, base)
    return {name: (value, f"{path.name}: {name}") for name, value in content.items()}


def _first(name: str, layers: tuple[Layer, ...]) -> tuple[Any, str]:
    return next((layer[name] for layer in layers if name in layer), (DEFAULTS[name], name))


def _merged(name: str, layers: tuple[Layer, ...]) -> Mapping[str, str]:
    merged: dict[str, str] = {}
    for layer in reversed(layers):
        value, origin = layer.get(name, (NOTHING, name))
        merged.update(_mapping(value, origin))
    return MappingProxyType(merged)


def _mapping(value: Any, origin: str) -> dict[str, str]:
    if not isinstance(value, Mapping):
        # What it holds may be secret.
        raise SettingsError(f"{origin} is of type {type(value).__name__}; a mapping of names to values was wanted")
    return {str(each): _plain(setting) for each, setting in value.items()}


def _plain(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _name(name: Any) -> str:
    return check_name("the name of an app", name, SettingsError, longest=100)


def _text(name: str, value: Any, origin: str) -> str:
    if not isinstance(value, (str, os.PathLike)) or not str(value):
        raise SettingsError(f"{origin} is {value!r}; a text was wanted")
    return str(value)


def _choice(name: str, value: Any, origin: str, choices: tuple[str, ...]) -> str:
    if value not in choices:
        raise SettingsError(f"{origin} is {value!r}; it may be {', '.join(choices)}")
    return str(value)


def _count(value: Any, origin: str) -> int:
    try:
        number = int(value) if not isinstance(value, (bool, float)) else 0
    except (TypeError, ValueError):
        number = 0
    if number < 1:
        raise SettingsError(f"{origin} is {value!r}; a whole number from 1 was wanted")
    return number


def _switch(value: Any, origin: str) -> bool:
    text = _plain(value)
    if text not in ("true", "false"):
        raise SettingsError(f"{origin} is {value!r}; it may be true or false")
    return text == "true"


def _bytes(value: Any, origin: str) -> int | None:
    """A size such as 512MB; None leaves it to RocksDB."""
    if value is None:
        return None
    size = bytes_of(str(value)) if isinstance(value, (str, int)) and not isinstance(value, bool) else None
    if size is None or size < 2**20:
        raise SettingsError(f"{origin} is {value!r}; write a size from 1 MB, for example 512MB or 2GB")
    return size


def _duration(value: Any, origin: str) -> int:
    try:
        return milliseconds(value, origin)
    except HoldfastError as error:
        raise SettingsError(str(error)) from None


def _reset(value: Any, origin: str) -> str | int:
    if value in RESETS:
        return str(value)
    try:
        return epoch_milliseconds(int(value) if isinstance(value, str) and value.isdigit() else value, origin)
    except HoldfastError:
        shown = value.isoformat() if isinstance(value, datetime) else repr(value)
        raise SettingsError(
            f"{origin} is {shown}; it may be earliest, latest, ISO 8601 with a time zone, or milliseconds since 1970"
        ) from None
