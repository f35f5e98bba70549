"""What is measured of a running app: reports added up, and an app that does not move."""

from pathlib import Path
from typing import Any

import pytest

from holdfast.runtime import meter as module
from holdfast.runtime.meter import Meter
from holdfast.server import metrics
from holdfast.server.request_meter import RequestMeter


class Query:
    """A query that does what the test says."""

    def __init__(self) -> None:
        self.active = True
        self.busy = False
        self.epochs: list[dict[str, Any]] = []

    def reports(self, after: int) -> list[dict[str, Any]]:
        return [report for report in self.epochs if report["batchId"] > after]

    def measured(self) -> dict[str, Any]:
        counters = {
            "late": {"hours": 2},
            "skipped": {"join-1": 3},
            "foreign": {"app-replay": 1},
            "time": {"0": 5000},
            "nanoseconds": {"call": 10**9},
            "taken": {"hours": 12},
            "by_input": {"join-1#0": 7},
            "busy": {"hours": 5 * 10**8},
            "source_time": {"in": 5000},
        }
        return {
            "written": {"out": 7, "app-dead-letters": 1},
            "reasons": {"no JSON": 1},
            "counters": counters,
            "latency": {"out": {"bounds": [1.0], "counts": [6, 1], "sum": 9.5}},
        }

    def ran(self, epoch: int, records: int, millis: int = 400) -> None:
        offsets = [{"in": {"0": at}} for at in (epoch * 100, epoch * 100 + records, epoch * 100 + records + 5)]
        source = dict(zip(("startOffset", "endOffset", "latestOffset"), offsets, strict=True), numInputRows=records)
        states = [{"memoryUsedBytes": 2, "customMetrics": {"rocksdbSstFileSize": 4}}, {"memoryUsedBytes": 1}]
        self.epochs.append(
            {
                "batchId": epoch, "batchDuration": millis, "sources": [source], "stateOperators": states,
                "durationMs": {"addBatch": millis - 100, "triggerExecution": millis},
            }
        )  # fmt: skip


@pytest.fixture
def query() -> Query:
    return Query()


@pytest.fixture
def meter(query: Query, tmp_path: Path) -> Meter:
    return Meter("app", query, tmp_path, stalled_after=60)  # type: ignore[arg-type]


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    now = [1000.0]
    monkeypatch.setattr(module.time, "monotonic", lambda: now[0])
    return now


def test_every_epoch_is_added_once(query: Query, meter: Meter) -> None:
    query.ran(0, 10)
    query.ran(1, 20)
    meter.look()
    query.ran(2, 5)
    meter.look()
    meter.look()
    found = meter.document()
    assert (found["epoch"], found["epochs"], found["records"], found["lag"]) == (2, 3, {"in": 35}, {"in": 5})
    assert found["phases"] == {"addBatch": 0.9, "triggerExecution": 1.2}
    assert found["seconds"]["sum"] == pytest.approx(1.2)
    assert found["state"] == {"0": {"memory": 1, "disk": 0}, "1": {"memory": 2, "disk": 4}}


def test_an_app_without_input_is_healthy(query: Query, tmp_path: Path, clock: list[float]) -> None:
    meter = Meter("app", query, tmp_path, stalled_after=60)  # type: ignore[arg-type]
    for _ in range(5):
        clock[0] += 100
        meter.look()
        assert meter.problem() is None


def test_an_epoch_that_does_not_end_is_a_problem_until_it_does(
    query: Query, tmp_path: Path, clock: list[float]
) -> None:
    meter = Meter("app", query, tmp_path, stalled_after=60)  # type: ignore[arg-type]
    query.busy = True
    meter.look()
    clock[0] += 59
    meter.look()
    assert meter.problem() is None
    clock[0] += 2
    meter.look()
    assert meter.problem() == "the app has made no progress for 61 s"
    assert meter.document()["up"] is False
    query.ran(0, 1)
    meter.look()
    assert meter.problem() is None


def test_an_app_that_is_not_heard_of_is_a_problem(query: Query, tmp_path: Path, clock: list[float]) -> None:
    meter = Meter("app", query, tmp_path, stalled_after=60)  # type: ignore[arg-type]
    clock[0] += 100
    assert meter.problem() == "the app has made no progress for 100 s"


def test_an_app_that_has_ended_is_a_problem(query: Query, meter: Meter) -> None:
    query.active = False
    meter.look()
    assert meter.problem() == "the app has ended"


REPLICA = {"ready": 1, "replica_epoch": 3, "unread": {"app-meta": 1}, "stores": {"s": {"rows": 1, "bytes": 2}},
           "store_lag": {"s": 0}, "restores": {"s": 1}, "restore_records": 9, "restore_seconds": 2}  # fmt: skip


def shown(app: metrics.Figures | None) -> str:
    """What Prometheus gets."""
    server = RequestMeter()
    server.add("/stores", 200, 0.002)
    body, content_type = metrics.render(metrics.Scrape(app, REPLICA, server))
    assert content_type.startswith("text/plain")
    return body.decode()


def test_everything_is_exported(query: Query, meter: Meter) -> None:
    query.ran(0, 10)
    meter.look()
    text = shown(meter.document())
    for name, kind in metrics.described().items():
        assert f"# TYPE {name} {kind}\n{name}" in text, f"{name} has no sample"
    for line in ('holdfast_late_records_total{node="hours"} 2.0', 'holdfast_stream_time_seconds{stage="0"} 5.0',
                 'holdfast_latency_seconds_bucket{le="1.0",topic="out"} 6.0',
                 'holdfast_latency_seconds_bucket{le="+Inf",topic="out"} 7.0',
                 'holdfast_latency_seconds_count{topic="out"} 7.0',
                 'holdfast_epoch_seconds_bucket{le="0.25"} 0.0', 'holdfast_epoch_seconds_bucket{le="0.5"} 1.0',
                 'holdfast_request_seconds_bucket{le="0.0025",route="/stores"} 1.0',
                 "holdfast_dead_letters_total 1.0", 'holdfast_python_seconds_total{part="call"} 1.0'):  # fmt: skip
        assert line in text.splitlines()


def test_reasons_are_few(query: Query, meter: Meter, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(query, "measured", lambda: {"reasons": {f"reason {n}": n for n in range(200)}})
    meter.look()
    found = meter.document()["dead"]
    assert (len(found), found["reason 199"], sum(found.values())) == (51, 199, sum(range(200)))


def test_labels_are_escaped(meter: Meter) -> None:
    text = shown({**meter.document(), "dead": {'a "quoted"\nline \\': 1}})
    assert r'holdfast_dead_letter_reasons_total{reason="a \"quoted\"\nline \\"} 1.0' in text


def test_a_server_alone_tells_nothing_of_an_app() -> None:
    text = shown(None)
    assert "holdfast_up" not in text
    assert 'holdfast_store_rows{store="s"} 1.0' in text


def test_each_server_has_figures_of_its_own() -> None:
    first, second = RequestMeter(), RequestMeter()
    first.add("/stores", 200, 0.1)
    assert not [each for metric in second.collect() for each in metric.samples if each.labels.get("route")]


def test_the_last_epochs_have_their_phases(query: Query, meter: Meter) -> None:
    for epoch in range(3):
        query.ran(epoch, 10)
    meter.look()
    first, second = meter.epochs_after(0)
    assert (first["epoch"], second["epoch"]) == (1, 2)
    assert first == {"epoch": 1, "at": None, "ms": 400, "records": 10, "phases": {"addBatch": 300}}


def test_nodes_have_what_they_took_and_how_long_it_lasted(query: Query, meter: Meter) -> None:
    meter.look()
    measured = meter.document()
    assert (measured["taken"], measured["by_input"]) == ({"hours": 12}, {"join-1#0": 7})
    assert (measured["busy"], measured["source_time"]) == ({"hours": 0.5}, {"in": 5.0})
