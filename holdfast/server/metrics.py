"""`GET /metrics`: what the app, its stores and the server measure, for Prometheus."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any, Protocol

import prometheus_client
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily
from prometheus_client.exposition import choose_encoder
from prometheus_client.registry import Collector
from prometheus_client.utils import floatToGoString

from holdfast.server.request_meter import RequestMeter
from holdfast.stores.backend import Stores
from holdfast.stores.snapshot import Snapshot

OPEN_METRICS = "application/openmetrics-text"
Sample = tuple[Sequence[str], Any]
"""Labels, and a number or a histogram: `Any`, because the kind of the metric decides."""
Figures = Mapping[str, Any]
"""What was measured, by name: `Any`, because a figure is a number, a histogram, or a mapping from labels to one."""


class Watched(Protocol):
    """An app that runs in this process."""

    def problem(self) -> str | None:
        """Why it does not move, or None."""

    def document(self) -> Figures:
        """Everything that it measures."""


@dataclass(frozen=True)
class Metric:
    """A name with its kind, its meaning, its labels, and how its samples are found among the figures."""

    name: str
    kind: str
    about: str
    labels: Sequence[str]
    samples: Callable[[Figures], Iterable[Sample]]

    def family(self, found: Figures) -> prometheus_client.Metric:
        """The samples of a document."""
        if self.kind == "histogram":
            return self._histogram(found)
        make = CounterMetricFamily if self.kind == "counter" else GaugeMetricFamily
        family = make(self.name, self.about, labels=self.labels)
        for labels, value in self.samples(found):
            family.add_metric(labels, value)
        return family

    def _histogram(self, found: Figures) -> HistogramMetricFamily:
        family = HistogramMetricFamily(self.name, self.about, labels=self.labels)
        for labels, value in self.samples(found):
            bounds = map(floatToGoString, [*value["bounds"], float("inf")])
            below = list(zip(bounds, accumulate(value["counts"]), strict=True))
            family.add_metric(labels, below, value["sum"])
        return family


def _one(name: str, kind: str, about: str, field: str) -> Metric:
    return Metric(name, kind, about, (), lambda found: [((), found[field])])


def _each(name: str, kind: str, about: str, field: str, label: str) -> Metric:
    return Metric(name, kind, about, (label,), lambda found: [((str(k),), v) for k, v in sorted(found[field].items())])


def _part(name: str, kind: str, about: str, field: str, label: str, part: str) -> Metric:
    return Metric(
        name, kind, about, (label,), lambda found: [((str(k),), v[part]) for k, v in sorted(found[field].items())]
    )


APP = (
    _one("holdfast_up", "gauge", "1 while the app makes progress", "up"),
    _one("holdfast_epoch", "gauge", "the last epoch that was committed", "epoch"),
    _one("holdfast_epochs_total", "counter", "epochs since the start", "epochs"),
    _one("holdfast_stalled_seconds", "gauge", "how long the app has made no progress", "still"),
    _one("holdfast_epoch_seconds", "histogram", "how long an epoch takes", "seconds"),
    _each("holdfast_epoch_phase_seconds_total", "counter", "time spent, by Spark's phase", "phases", "phase"),
    _each("holdfast_records_total", "counter", "records read", "records", "topic"),
    _each("holdfast_records_rate", "gauge", "records per second in the last epoch", "rate", "topic"),
    _each("holdfast_lag_records", "gauge", "records that wait to be read", "lag", "topic"),
    _each("holdfast_records_written_total", "counter", "records written", "written", "topic"),
    _each("holdfast_latency_seconds", "histogram", "from a record's time to the commit of its result",
          "latency", "topic"),
    _each("holdfast_stream_time_seconds", "gauge", "the latest time that a stage has seen, since 1970",
          "time", "stage"),
    _each("holdfast_source_time_seconds", "gauge", "the latest time that a source has read", "source_time", "node"),
    _each("holdfast_node_records_total", "counter", "records that a node took", "taken", "node"),
    _each("holdfast_node_busy_seconds_total", "counter", "time that a node worked", "busy", "node"),
    _each("holdfast_late_records_total", "counter", "records that came too late", "late", "node"),
    _each("holdfast_skipped_records_total", "counter", "records that an operation had no use for", "skipped", "node"),
    _each("holdfast_foreign_records_total", "counter", "records of the app's own topics that it did not write",
          "foreign", "topic"),
    _one("holdfast_dead_letters_total", "counter", "records that could not be processed", "dead_total"),
    _each("holdfast_dead_letter_reasons_total", "counter", "the same by reason", "dead", "reason"),
    _each("holdfast_python_seconds_total", "counter", "time in Python functions and around them", "python", "part"),
    _part("holdfast_state_memory_bytes", "gauge", "memory that RocksDB takes for a stage's state",
          "state", "stage", "memory"),
    _one("holdfast_state_cache_bytes", "gauge", "memory in which the app's own process keeps rows of state", "cached"),
    _part("holdfast_state_disk_bytes", "gauge", "a stage's state on disk", "state", "stage", "disk"),
)  # fmt: skip
REPLICA = (
    _one("holdfast_replica_ready", "gauge", "1 once the replica has what was there at its start", "ready"),
    _one("holdfast_replica_epoch", "gauge", "the epoch that the replica has reached", "replica_epoch"),
    _each("holdfast_replica_skipped_records_total", "counter", "records of the app's topics that it did not write",
          "unread", "topic"),
    _part("holdfast_store_rows", "gauge", "keys in a store", "stores", "store", "rows"),
    _part("holdfast_store_bytes", "gauge", "bytes of a store's replica", "stores", "store", "bytes"),
    _each("holdfast_store_lag_records", "gauge", "records of the changelog to be read", "store_lag", "store"),
    _each("holdfast_store_restores_total", "counter", "replicas restored from the beginning of the changelog",
          "restores", "store"),
    _one("holdfast_restore_records", "gauge", "records to be read until replicas are complete", "restore_records"),
    _one("holdfast_restore_seconds", "gauge", "about how long that will take", "restore_seconds"),
)  # fmt: skip


def described() -> Mapping[str, str]:
    """Every metric with its kind."""
    own = {
        f"{each.name}_total" if each.type == "counter" else each.name: each.type for each in RequestMeter().collect()
    }
    return {each.name: each.kind for each in (*APP, *REPLICA)} | own


def of_replica(stores: Stores, snapshot: Snapshot) -> Figures:
    """What is known of the stores' copies."""
    status = stores.follower.status(snapshot)
    sizes = {
        name: {"rows": snapshot.rows_here(name), "bytes": snapshot.size(name)} for name in sorted(stores.catalog.stores)
    }
    lag = {name: records for name, records in status.lag.items() if records is not None}
    epoch = -1 if status.epoch is None else status.epoch
    restoring = status.restoring
    left = {} if restoring is None else {"restore_records": restoring.of - restoring.records}
    if restoring is not None and restoring.seconds is not None:
        left["restore_seconds"] = round(restoring.seconds)
    return {
        "ready": int(status.ready), "replica_epoch": epoch, "unread": status.skipped_by_topic, "stores": sizes,
        "store_lag": lag, "restores": stores.follower.restores, "restore_records": 0, "restore_seconds": 0, **left,
    }  # fmt: skip


@dataclass(frozen=True)
class Scrape(Collector):
    """What one request for the figures gets; without an app there is nothing of the app in it."""

    app: Figures | None
    replica: Figures
    server: Collector

    def collect(self) -> Iterator[prometheus_client.Metric]:
        """All of it."""
        for metrics, found in ((APP, self.app), (REPLICA, self.replica)):
            if found is not None:
                yield from (metric.family(found) for metric in metrics)
        yield from self.server.collect()


def render(found: Scrape, accept: str = "") -> tuple[bytes, str]:
    """The figures and their content type: OpenMetrics if that is asked for, else Prometheus' text."""
    wanted = next((each for each in accept.split(",") if each.partition(";")[0].strip() == OPEN_METRICS), "")
    encode, content_type = choose_encoder(wanted.partition(";")[0].strip())  # a version that is none would fail it
    return encode(found), content_type
