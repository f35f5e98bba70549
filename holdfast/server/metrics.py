"""`GET /metrics`: what the app, its stores and the server measure, in Prometheus' text format."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import accumulate
from typing import Any, Protocol

from holdfast.server.guard import Requests
from holdfast.stores.backend import Stores
from holdfast.stores.snapshot import Snapshot

CONTENT = "text/plain; version=0.0.4; charset=utf-8"
Sample = tuple[Mapping[str, str], Any]
Document = Mapping[str, Any]


class Watched(Protocol):
    """An app that runs in this process."""

    def problem(self) -> str | None:
        """Why it does not move, or None."""

    def document(self) -> Document:
        """Everything that it measures."""


@dataclass(frozen=True)
class Metric:
    """A name with its kind, what it says, and how its samples are found."""

    name: str
    kind: str
    about: str
    samples: Callable[[Any], Iterable[Sample]]


def _one(name: str) -> Callable[[Document], Iterable[Sample]]:
    return lambda found: [({}, found[name])]


def _each(name: str, label: str) -> Callable[[Document], Iterable[Sample]]:
    return lambda found: [({label: str(each)}, value) for each, value in sorted(found[name].items())]


def _part(name: str, label: str, part: str) -> Callable[[Document], Iterable[Sample]]:
    return lambda found: [({label: str(each)}, value[part]) for each, value in sorted(found[name].items())]


APP = (
    Metric("holdfast_up", "gauge", "1 while the app moves", lambda found: [({}, int(found["up"]))]),
    Metric("holdfast_epoch", "gauge", "the last epoch that was committed", _one("epoch")),
    Metric("holdfast_epochs_total", "counter", "epochs since the start", _one("epochs")),
    Metric("holdfast_still_seconds", "gauge", "how long the app has not moved", _one("still")),
    Metric("holdfast_epoch_seconds", "histogram", "how long an epoch takes", _one("seconds")),
    Metric("holdfast_epoch_phase_seconds_total", "counter", "time spent, by Spark's phase", _each("phases", "phase")),
    Metric("holdfast_records_total", "counter", "records read", _each("records", "topic")),
    Metric("holdfast_records_rate", "gauge", "records per second in the last epoch", _each("rate", "topic")),
    Metric("holdfast_lag_records", "gauge", "records that wait to be read", _each("lag", "topic")),
    Metric("holdfast_written_total", "counter", "records written", _each("written", "topic")),
    Metric("holdfast_latency_seconds", "histogram", "from a record's time to the commit of its result",
           _each("latency", "topic")),
    Metric("holdfast_stream_time_seconds", "gauge", "the latest time that a stage has seen, since 1970",
           _each("time", "stage")),
    Metric("holdfast_late_total", "counter", "records that came too late", _each("late", "node")),
    Metric("holdfast_skipped_total", "counter", "records that an operation had no use for", _each("skipped", "node")),
    Metric("holdfast_foreign_total", "counter", "records of the app's own topics that it did not write",
           _each("foreign", "topic")),
    Metric("holdfast_dead_letters_total", "counter", "records that could not be processed", _one("dead_total")),
    Metric("holdfast_dead_letter_reasons_total", "counter", "the same by reason", _each("dead", "reason")),
    Metric("holdfast_python_seconds_total", "counter", "time in Python functions and around them",
           _each("python", "part")),
    Metric("holdfast_state_memory_bytes", "gauge", "memory that RocksDB takes for a stage's state",
           _part("state", "stage", "memory")),
    Metric("holdfast_state_cache_bytes", "gauge", "memory in which the app's own process keeps rows of state",
           _one("cached")),
    Metric("holdfast_state_disk_bytes", "gauge", "a stage's state on disk", _part("state", "stage", "disk")),
)  # fmt: skip
REPLICA = (
    Metric("holdfast_replica_ready", "gauge", "1 once the copy has what was there at its start", _one("ready")),
    Metric("holdfast_replica_epoch", "gauge", "the epoch up to which the copy was read", _one("replica_epoch")),
    Metric("holdfast_replica_skipped_total", "counter", "records of the app's topics that it did not write",
           _each("unread", "topic")),
    Metric("holdfast_store_rows", "gauge", "keys in a store", _part("stores", "store", "rows")),
    Metric("holdfast_store_bytes", "gauge", "bytes of a store's copy", _part("stores", "store", "bytes")),
    Metric("holdfast_store_lag_records", "gauge", "records of the changelog to be read", _each("store_lag", "store")),
    Metric("holdfast_restores_total", "counter", "copies read from the beginning", _each("restores", "store")),
)  # fmt: skip
SERVER = (
    Metric("holdfast_requests_total", "counter", "requests answered", lambda found: found["answered"]),
    Metric("holdfast_requests_now", "gauge", "requests being answered", _one("now")),
    Metric("holdfast_connections_now", "gauge", "connections that are open", _one("connections")),
    Metric("holdfast_connections_refused_total", "counter", "connections beyond the limits", _one("refused")),
    Metric("holdfast_query_seconds", "histogram", "how long an answer took", _each("query_seconds", "route")),
)
METRICS = (*APP, *REPLICA, *SERVER)


def of_server(requests: Requests) -> Document:
    """What the server measures of itself."""
    answered = [
        ({"route": route, "status": str(status)}, count) for (route, status), count in sorted(requests.statuses.items())
    ]
    return {
        "answered": answered,
        "now": requests.now,
        "connections": requests.connections,
        "refused": requests.slots.refused if requests.slots else 0,
        "query_seconds": requests.seconds(),
    }


def of_replica(stores: Stores, snapshot: Snapshot) -> Document:
    """What is known of the stores' copies."""
    status = stores.follower.status(snapshot)
    sizes = {
        name: {"rows": snapshot.count(name), "bytes": snapshot.size(name)} for name in sorted(stores.catalog.stores)
    }
    lag = {name: records for name, records in status.lag.items() if records is not None}
    epoch = -1 if status.epoch is None else status.epoch
    return {
        "ready": int(status.ready), "replica_epoch": epoch, "unread": status.skipped_by_topic, "stores": sizes,
        "store_lag": lag, "restores": stores.follower.restores,
    }  # fmt: skip


def render(app: Document | None, replica: Document, server: Document) -> str:
    """The page; without an app in this process there is nothing of the app in it."""
    lines: list[str] = []
    for metrics, found in ((APP, app), (REPLICA, replica), (SERVER, server)):
        for metric in metrics if found is not None else ():
            lines += _lines(metric, found)
    return "\n".join([*lines, ""])


def _lines(metric: Metric, found: object) -> Iterator[str]:
    yield f"# HELP {metric.name} {metric.about}"
    yield f"# TYPE {metric.name} {metric.kind}"
    for labels, value in metric.samples(found):
        if metric.kind == "histogram":
            yield from _histogram(metric.name, labels, value)
        else:
            yield f"{metric.name}{_labels(labels)} {_number(value)}"


def _histogram(name: str, labels: Mapping[str, str], value: Document) -> Iterator[str]:
    bounds = [*map(_number, value["bounds"]), "+Inf"]
    for bound, below in zip(bounds, accumulate(value["counts"]), strict=True):
        yield f"{name}_bucket{_labels({**labels, 'le': bound})} {below}"
    yield f"{name}_sum{_labels(labels)} {_number(value['sum'])}"
    yield f"{name}_count{_labels(labels)} {sum(value['counts'])}"


def _labels(labels: Mapping[str, str]) -> str:
    return "{" + ",".join(f'{name}="{_escaped(text)}"' for name, text in labels.items()) + "}" if labels else ""


def _escaped(text: str) -> str:
    return text.replace("\\", r"\\").replace("\n", r"\n").replace('"', r"\"")


def _number(value: float) -> str:
    return repr(round(value, 9)) if isinstance(value, float) else str(value)
