"""The options of a start, and the directories of an app."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from holdfast.dsl.app import App
from holdfast.errors import SettingsError
from holdfast.settings import Settings
from holdfast.topics.admin import Topics
from holdfast.topics.own_topics import meta_topic

if TYPE_CHECKING:
    from holdfast.spark.session import SparkSession

NO_BROKERS = (
    "no Kafka broker is named{where}: give one with --brokers host:port, HOLDFAST_BROKERS or App(brokers=…), "
    "or let Holdfast run a local one with `holdfast run --dev` or `holdfast broker start`"
)


@dataclass(frozen=True)
class AppDirectory:
    """The directory of an app, and the files in it."""

    directory: Path

    @property
    def checkpoint(self) -> Path:
        """Spark's checkpoint."""
        return self.directory / "checkpoint"

    @property
    def plan(self) -> Path:
        """The plan that the checkpoint belongs to."""
        return self.directory / "plan.json"

    @property
    def log(self) -> Path:
        """The log of the JVM: Spark's and the kernel's."""
        return self.directory / "logs" / "spark.log"


def home(settings: Settings) -> AppDirectory:
    """The directory of an app under its state directory."""
    return AppDirectory(settings.state_dir / settings.name)


@dataclass(frozen=True)
class StartRequest:
    """An app to start, with its settings as this start has them."""

    app: App
    settings: Settings
    spark: SparkSession | None = None
    """A PySpark session of the user's own."""
    skip_lost: bool = False
    idle_ms: int | None = None

    @property
    def home(self) -> AppDirectory:
        """The directory of the app."""
        return home(self.settings)

    @property
    def brokers(self) -> str:
        """The bootstrap servers."""
        return self.settings.brokers or ""

    @property
    def meta(self) -> str:
        """The topic in which the app publishes itself for replicas."""
        return meta_topic(self.settings.name)

    @cached_property
    def kafka(self) -> dict[str, str]:
        """The client settings, with secrets filled in."""
        return self.settings.kafka_client()

    @cached_property
    def topics(self) -> Topics:
        """The topics of the cluster."""
        return Topics(self.brokers, self.kafka)


def settings_for(settings: Settings, brokers: str | None, mode: str | None) -> Settings:
    """The settings with what this start has different; an app without a broker is refused."""
    chosen = replace(settings, brokers=brokers or settings.brokers, mode=mode or settings.mode)
    if not chosen.brokers:
        raise SettingsError(NO_BROKERS.format(where=""))
    return chosen
