"""From an app to a running query."""

from __future__ import annotations

import contextlib
import errno
import json
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from holdfast.dsl.app import App
from holdfast.errors import HoldfastError, SettingsError
from holdfast.plan import real_time_limits, upgrade
from holdfast.plan.idle import as_run
from holdfast.plan.planner import plan as make_plan
from holdfast.runtime import lock, offsets, real_time, unfinished
from holdfast.runtime.checkpoint import last_committed, partitions
from holdfast.runtime.earlier_runs import epochs_to_repeat
from holdfast.runtime.epochs import changelog_ends, publish_beginning
from holdfast.runtime.inputs import Inputs
from holdfast.runtime.lease import Lease
from holdfast.runtime.running import Running
from holdfast.runtime.topics import (
    check_topics,
    ensure_topics,
    forget_epochs,
    identities,
    marker_topic,
    meta_topic,
    partitions_of,
)
from holdfast.settings import Settings
from holdfast.spark import dataframes, kernel, session
from holdfast.spark.pickled_functions import with_functions
from holdfast.spark.query import Query
from holdfast.topics.admin import Topics
from holdfast.topics.client import java_settings
from holdfast.topics.records import Record

NO_BROKERS = (
    "no Kafka broker is named: give one with --brokers host:port, HOLDFAST_BROKERS or App(brokers=…), "
    "or let Holdfast run its own with --dev"
)


@dataclass(frozen=True)
class Home:
    """Where an app keeps its files."""

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


def home(settings: Settings) -> Home:
    """The directory of an app under its state directory."""
    return Home(settings.state_dir / settings.name)


def start(
    app: App,
    spark: Any = None,
    *,
    brokers: str | None = None,
    mode: str | None = None,
    skip_lost: bool = False,
    idle_ms: int | None = None,
) -> Running:
    """Start an app and return at once; `spark` is a PySpark session of the user's own.

    `skip_lost` goes on without records that Kafka has deleted before they were read; `idle_ms` does what is over by the
    clock when nothing has come for so long, as a drain does at its end.
    """
    settings = _settings(app.settings, brokers, mode)
    place = home(settings)
    with _room_on_disk():
        held = lock.hold(place.directory, settings.name)
        lease = Lease(app.name, settings.brokers or "", settings.kafka_client(), meta_topic(app.name))
        try:
            query, created, changes = _query(app, settings, place, lease, spark, skip_lost, idle_ms)
            return Running(app.name, query, held, created, lease, changes)
        except BaseException:
            lease.release()
            held.release()
            raise


@contextlib.contextmanager
def _room_on_disk() -> Iterator[None]:
    """Tell the user what to do when a file cannot be written for want of room."""
    try:
        yield
    except OSError as problem:
        if problem.errno != errno.ENOSPC:
            raise
        raise HoldfastError(kernel.DISK_FULL) from None


def _query(
    app: App, settings: Settings, place: Home, lease: Lease, spark: Any, skip_lost: bool, idle_ms: int | None
) -> tuple[Query, list[str], list[str]]:
    committed = last_committed(place.checkpoint)
    kept = upgrade.recorded_stages(place.plan, committed)
    plan = make_plan(app.topology.json(), kept, upgrade.recorded_topics(place.plan, committed))
    if settings.mode == "real-time":
        real_time_limits.refuse(plan)
    topics = Topics(settings.brokers or "", settings.kafka_client())
    upgrade.check(plan, place.plan, committed=committed)  # what needs no types, before a JVM is started
    inputs = Inputs(place.directory)
    inputs.check(identities(topics, plan))
    lease.check()  # before anything is changed that another instance may use
    check_topics(topics, plan)
    java_session = _session(settings, place, spark, plan)
    frames = _frames(app, plan, spark, java_session)
    types = kernel.check(plan)
    changes = upgrade.check(plan, place.plan, types, committed)
    run_plan = as_run(plan, settings.mode, idle_ms)
    unfinished.check(run_plan, place.plan, place.checkpoint, topics)
    anew = not place.checkpoint.exists()
    if anew:
        forget_epochs(topics, plan)
    created = ensure_topics(topics, plan)
    lease.take()
    options = _options(settings, place, plan, topics)
    repeated = epochs_to_repeat(app, run_plan, options)
    ends = changelog_ends(topics.brokers, settings.kafka_client(), plan)
    upgrade.record(plan, place.plan, types, run_plan, committed)
    publish(topics, plan, types)
    if anew:
        publish_beginning(topics, plan["app"], ends)
    options["sink"]["ends"] = json.dumps(ends)
    options["source"]["failOnDataLoss"] = not skip_lost
    options["source"]["closing"] = idle_ms is not None
    runnable = with_functions(run_plan, app.topology.nodes, types, app.file, settings, java_session)
    modes = real_time.Modes(settings, place.directory, plan, topics, java_session, runnable, options)
    query = modes.catching_up(repeated) if settings.mode == "real-time" else modes.ordinary(frames)
    inputs.record(identities(topics, plan))
    return query, created, changes


def run(app: App) -> None:
    """Start an app and wait for its end; Ctrl-C finishes the epoch."""
    running = start(app)
    try:
        running.wait()
    except KeyboardInterrupt:
        running.stop()


def publish(topics: Topics, plan: dict[str, Any], types: dict[str, Any]) -> None:
    """Write the topology and its types to the meta topic, for query servers."""
    content = {"topology": plan, "stores": types["stores"], "schemas": types["nodes"]}
    now = int(time.time() * 1000)
    topics.produce([Record(meta_topic(plan["app"]), b"topology", json.dumps(content).encode(), timestamp=now)])


def _settings(settings: Settings, brokers: str | None, mode: str | None) -> Settings:
    chosen = replace(settings, brokers=brokers or settings.brokers, mode=mode or settings.mode)
    if not chosen.brokers:
        raise SettingsError(NO_BROKERS)
    return chosen


def _session(settings: Settings, place: Home, spark: Any, plan: dict[str, Any]) -> Any:
    at_once = real_time.slots(settings, plan, place.checkpoint) if settings.mode == "real-time" else 0
    if spark is None:
        made = session.create(settings, place.log, at_once)
    else:
        kernel.adopt(spark.sparkContext._gateway)
        made = spark._jsparkSession
    session.check_speculation(made)
    real_time.check_slots(made, at_once)
    return made


def _frames(app: App, plan: dict[str, Any], spark: Any, java_session: Any) -> dict[str, Any]:
    """Make the DataFrames that the app reads, and write their columns into the plan."""
    if not app.dataframes:
        return {}
    user_session = spark if spark is not None else session.for_python(java_session)
    frames = {}
    for node in plan["nodes"]:
        if node["op"] == "dataframe":
            frame = dataframes.made(app.dataframes[node["id"]], user_session, node)
            node["schema"] = json.loads(frame.schema.json())
            frames[node["id"]] = frame._jdf
    return frames


def _options(settings: Settings, place: Home, plan: dict[str, Any], topics: Topics) -> dict[str, Any]:
    source = offsets.starting(settings.auto_offset_reset, plan, partitions_of(topics, plan))
    return {
        "name": settings.name,
        "checkpoint": place.checkpoint.absolute().as_uri(),
        "width": partitions(place.checkpoint),
        "trigger": "available-now" if settings.mode == "drain" else settings.trigger_ms,
        "kafka": {**java_settings(settings.kafka_client()), "bootstrap.servers": settings.brokers},
        "source": {**source, "maxRecords": settings.max_records, "maxBytes": settings.max_bytes},
        "sink": {"meta": meta_topic(settings.name), "markers": marker_topic(settings.name)},
    }
