"""How an app starts in real-time mode, and how replicas learn of it."""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path

from holdfast.documents import Document
from holdfast.errors import SettingsError
from holdfast.plan import real_time_limits
from holdfast.runtime import backlog
from holdfast.runtime.checkpoint import committed_offsets, last_epoch, partitions, query_id, unfinished_epoch
from holdfast.runtime.epochs import changelog_ends, publish_live
from holdfast.runtime.real_time_query import RealTimeQuery
from holdfast.runtime.topics import partitions_of
from holdfast.settings import Settings
from holdfast.spark import session
from holdfast.spark.java_value import JavaValue
from holdfast.spark.query import SparkQuery
from holdfast.topics.admin import Topics
from holdfast.topology.graph import Topology

FEW = 1_000
EXECUTORS_SECONDS = 60.0
# One thread that reads is enough for what comes row by row, and it puts all partitions into the order of time.
READERS = 1
MARK = "real-time"


def slots(settings: Settings, plan: Topology, checkpoint: Path) -> int:
    """How many tasks Spark has to run at the same time."""
    width = partitions(checkpoint) or int(session.configuration(settings)["spark.sql.shuffle.partitions"])
    return real_time_limits.slots(READERS, plan, width)


def check_slots(java_session: JavaValue, wanted: int) -> None:
    """Refuse a session that cannot run all tasks of a program at the same time: they would wait for each other.

    Executors of a cluster report one after the other.
    """
    there, deadline = session.slots(java_session), time.monotonic() + EXECUTORS_SECONDS
    while there < wanted and not session.runs_here(java_session) and time.monotonic() < deadline:
        time.sleep(0.1)
        there = session.slots(java_session)
    if there < wanted:
        raise SettingsError(
            f"real-time mode runs every stage at the same time and needs {wanted} slots of Spark here, but there are "
            f"{there}: give it more cores, or fewer Spark partitions before the first start "
            "(App(spark={'spark.sql.shuffle.partitions': …})), or use mode='exactly-once'"
        )


def live(settings: Settings, options: Document) -> Document:
    """The options of the query in real-time mode, made of those of the ordinary one."""
    source = {**options["source"], "live": settings.real_time_epoch_ms, "readers": READERS}
    sink = {name: value for name, value in options["sink"].items() if name != "markers"}
    return {**options, "trigger": "real-time", "source": source, "sink": {**sink, "live": True}}


class Modes:
    """The two ways in which an app may run on one checkpoint."""

    def __init__(
        self, settings: Settings, directory: Path, plan: Topology, topics: Topics, java_session: JavaValue,
        runnable: Document, options: Document,
    ) -> None:  # fmt: skip
        self._settings = settings
        self._mark = directory / MARK
        self._checkpoint = directory / "checkpoint"
        self._plan = plan
        self._topics = topics
        self._session = java_session
        self._runnable = runnable
        self._options = options

    def ordinary(self, frames: Mapping[str, JavaValue]) -> SparkQuery:
        """Start it in epochs."""
        if self._mark.exists():
            self._publish_mode(live=False)
            self._mark.unlink()
        return SparkQuery(self._session, self._runnable, self._options, frames)

    def _real_time(self) -> SparkQuery:
        self._mark.touch()
        self._publish_mode(live=True)
        return SparkQuery(self._session, self._runnable, live(self._settings, self._options))

    def _publish_mode(self, live: bool) -> None:
        ends = changelog_ends(self._topics.brokers, self._settings.kafka_client(), self._plan)
        publish_live(self._topics, self._plan.app, last_epoch(self._checkpoint), query_id(self._checkpoint), ends, live)

    def catching_up(self, repeated: int = 0) -> RealTimeQuery:
        """Start it in real-time mode; if it is behind, or has epochs to repeat, it catches up in epochs first."""
        read = committed_offsets(self._checkpoint)
        topics = partitions_of(self._topics, self._plan)
        waiting = backlog.behind(self._topics.brokers, self._settings.kafka_client(), topics, read or {})
        return RealTimeQuery(
            self._settings.name,
            lambda real_time: self._real_time() if real_time else self.ordinary({}),
            behind=unfinished_epoch(self._checkpoint) is not None or repeated > 0 or waiting > FEW,
            room=None if session.runs_here(self._session) else self._has_room,
        )

    def _has_room(self) -> bool:
        return session.slots(self._session) >= slots(self._settings, self._plan, self._checkpoint)
