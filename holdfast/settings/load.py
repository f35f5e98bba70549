"""Settings of an app: an argument, then a HOLDFAST_* variable, then holdfast.toml, then the default."""

from __future__ import annotations

import json
import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any

from holdfast.errors import SettingsError
from holdfast.names import check_name, did_you_mean
from holdfast.settings import secrets
from holdfast.settings.file_trust import refuse_code
from holdfast.settings.kinds import mapping
from holdfast.settings.table import APP, DEFAULTS, MAPPINGS, NAMES, NOTHING
from holdfast.settings.workers import WorkerSettings, worker_settings

FILE = "holdfast.toml"


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
    telemetry: bool
    kafka: Mapping[str, str] = field(repr=False)
    spark: Mapping[str, str] = field(repr=False)
    python: WorkerSettings = field(default_factory=WorkerSettings)

    def kafka_client(self) -> dict[str, str]:
        """The client settings with secrets filled in: ${VARIABLE}, env:VARIABLE and file:PATH."""
        return secrets.filled("kafka", self.kafka, self.base)


def load(name: str, given: Mapping[str, object], base: Path, environ: Mapping[str, str] | None = None) -> Settings:
    """The settings of the app `name` whose file lies in `base`."""
    layers = (_given(given), _variables(os.environ if environ is None else environ), _file(base))
    found: dict[str, Any] = {}  # each of the type that its setting reads
    for setting in APP:
        if setting.name in MAPPINGS:
            found[setting.attribute] = _merged(setting.name, layers)
        else:
            found[setting.attribute] = setting.kind.read(*_first(setting.name, layers))
    found["state_dir"] = base / found["state_dir"]
    found["python"] = worker_settings(found["python"])
    return Settings(name=_name(name), base=base, **found)


Layer = Mapping[str, tuple[object, str]]


def _given(given: Mapping[str, object]) -> Layer:
    return {name: (value, f"{name}=") for name, value in given.items() if value is not DEFAULTS[name]}


def _variables(environ: Mapping[str, str]) -> Layer:
    found: dict[str, tuple[object, str]] = {}
    for setting in APP:
        if environ.get(setting.variable):
            value = environ[setting.variable]
            given: object = _object(value, setting.variable) if setting.name in MAPPINGS else value
            found[setting.name] = (given, setting.variable)
    if kafka := kafka_variables(environ):
        found["kafka"] = (kafka, "HOLDFAST_KAFKA")
    return found


def kafka_variables(environ: Mapping[str, str]) -> dict[str, str]:
    """Client settings of the environment: HOLDFAST_KAFKA, and one by one: HOLDFAST_KAFKA_ACKS is acks."""
    whole = environ.get("HOLDFAST_KAFKA")
    found = mapping(_object(whole, "HOLDFAST_KAFKA"), "HOLDFAST_KAFKA") if whole else {}
    for name, value in environ.items():
        if name.startswith("HOLDFAST_KAFKA_") and value:
            found[name.removeprefix("HOLDFAST_KAFKA_").lower().replace("_", ".")] = value
    return found


def _object(text: str, variable: str) -> object:
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


def _first(name: str, layers: tuple[Layer, ...]) -> tuple[object, str]:
    return next((layer[name] for layer in layers if name in layer), (DEFAULTS[name], name))


def _merged(name: str, layers: tuple[Layer, ...]) -> Mapping[str, str]:
    merged: dict[str, str] = {}
    for layer in reversed(layers):
        value, origin = layer.get(name, (NOTHING, name))
        merged.update(mapping(value, origin))
    return MappingProxyType(merged)


def _name(name: object) -> str:
    return check_name("the name of an app", name, SettingsError, longest=100)
