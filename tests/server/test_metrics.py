"""`/metrics` and `/health` of a served app."""

import re
import time

import pytest
from prometheus_client import parser as prometheus
from prometheus_client.openmetrics import parser as openmetrics

pytestmark = pytest.mark.broker

EMPTY = (
    "records", "rate", "lag", "written", "latency", "time", "late", "skipped", "foreign", "dead", "phases", "state",
    "python", "source_time", "taken", "busy",
)  # fmt: skip


class App:
    """An app in this process, as the server sees it."""

    def __init__(self, problem):
        self._problem = problem

    def problem(self):
        return self._problem

    def document(self):
        histogram = {"bounds": [1.0], "counts": [1, 0], "sum": 0.5}
        return {
            "up": not self._problem, "epoch": 4, "epochs": 5, "still": 0.1, "seconds": histogram, "dead_total": 0,
            "cached": 0, **{name: {} for name in EMPTY},
        }  # fmt: skip


@pytest.fixture
def watched(served):
    yield served.watch
    served.watch(None)


def test_the_stores_and_the_server_are_measured(http):
    http.get("/stores/numbers/keys/1")
    answer = http.get("/metrics")
    assert answer.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8"
    for line in ('holdfast_store_rows{store="numbers"} 2500.0', 'holdfast_store_lag_records{store="numbers"} 0.0',
                 'holdfast_store_restores_total{store="numbers"} 1.0', "holdfast_replica_ready 1.0",
                 "holdfast_replica_epoch 6.0", "holdfast_requests_in_progress 1.0"):  # fmt: skip
        assert line in answer.text.splitlines()
    assert re.search(r'holdfast_store_bytes\{store="numbers"\} [1-9]\d+', answer.text)
    assert re.search(r'holdfast_request_seconds_count\{route="/stores/\{store\}/keys/\{key\}"\} [1-9]', answer.text)
    assert "holdfast_up" not in answer.text


def test_prometheus_reads_every_sample(http, watched):
    watched(App(None))
    families = {each.name: each for each in prometheus.text_string_to_metric_families(http.get("/metrics").text)}
    assert [each.value for each in families["holdfast_up"].samples] == [1]
    assert families["holdfast_epoch_seconds"].samples[-3].labels == {"le": "+Inf"}
    assert not [name for name in families if name.endswith("_created")]


@pytest.mark.parametrize(
    "version", ["", "; version=1.0.0", "; version=x", "; version=9.9;escaping=allow-utf-8", "; =;"]
)
def test_open_metrics_are_answered_where_they_are_asked_for(http, watched, version):
    watched(App(None))
    answer = http.get("/metrics", headers={"Accept": f"application/openmetrics-text{version}, text/plain;q=0.5"})
    assert answer.headers["content-type"] == "application/openmetrics-text; version=1.0.0; charset=utf-8"
    names = {each.name for each in openmetrics.text_string_to_metric_families(answer.text)}
    assert {"holdfast_up", "holdfast_requests", "holdfast_epoch_seconds"} <= names


def test_what_is_no_media_type_gets_the_text(http):
    for accept in ("", ";", ",,", "text/plain; version=x", "application/openmetrics-text-of-mine", "*/*;q=x"):
        answer = http.get("/metrics", headers={"Accept": accept})
        assert answer.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8"


def test_an_app_that_does_not_move_is_not_healthy(http, watched):
    watched(App(None))
    assert http.get("/health").status_code == 200
    watched(App("the app has made no progress for 301 s"))
    answer = http.get("/health")
    assert (answer.status_code, answer.json()["error"]["code"]) == (503, "stuck")
    assert "no progress for 301 s" in answer.json()["error"]["message"]
    assert "holdfast_up 0.0" in http.get("/metrics").text


def test_a_replica_that_cannot_go_on_is_not_healthy(http, served):
    follower = served._stores.follower
    follower._failure, follower._failed_at = "no space left on device", time.monotonic()
    answer = http.get("/health")
    follower._failure = None
    assert (answer.status_code, answer.json()["error"]["code"]) == (503, "stuck")
    assert answer.json()["error"]["message"] == "the replica stands still: no space left on device"
    assert http.get("/health").status_code == 200
