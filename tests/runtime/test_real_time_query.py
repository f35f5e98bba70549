"""The query of an app in real-time mode: when it changes over, and what becomes of a failure."""

import threading
import time
from functools import partial
from operator import lt
from typing import Any

import pytest

from holdfast.errors import JavaError
from holdfast.runtime import real_time_query as module
from holdfast.runtime.progress import summary
from holdfast.runtime.real_time_query import RealTimeQuery
from tests.eventually import eventually


class Fake:
    """A query with prepared reports."""

    def __init__(self, failing: bool = False) -> None:
        self.active, self.waiting, self.busy, self.repeating = True, False, True, False
        self.lags: list[int] = []
        self.failing = failing
        self.read: dict[str, Any] = {}
        self.ended = threading.Event()

    def reports(self, after: int) -> list[dict[str, Any]]:
        found = [
            {
                "batchId": epoch, "batchDuration": 100, "durationMs": {"addBatch": 1},
                "sources": [{"startOffset": None, "endOffset": {"in": {"0": 5}}, "latestOffset": {"in": {"0": 5 + lag}},
                             "numInputRows": 1}],
            }
            for epoch, lag in enumerate(self.lags)
        ]  # fmt: skip
        return found[after + 1 :]

    def progress(self) -> None:
        return None

    def live_offsets(self) -> tuple[dict[str, Any], dict[str, Any]]:
        return self.read, {"in": {"0": 100}}

    def finish(self, seconds: float = 120, *, drop_counts: bool = True) -> None:
        self.active = False
        self.ended.set()

    def abort(self, *, drop_counts: bool = True) -> None:
        self.finish()

    def fail(self) -> None:
        self.active, self.failing = False, True

    def raise_failure(self) -> None:
        if self.failing:
            raise JavaError("it broke")


def begun(failing: bool = False) -> tuple[RealTimeQuery, dict[bool, Fake]]:
    queries = {False: Fake(failing), True: Fake()}
    return RealTimeQuery("app", lambda real_time: queries[real_time], behind=True), queries


def test_it_changes_over_when_an_epoch_took_all_there_was() -> None:
    query, both = begun()
    both[False].lags = [100, 3]
    time.sleep(0.3)
    assert not query.real_time
    both[False].lags = [100, 3, 0]
    eventually(lambda: query.real_time)
    assert both[False].ended.is_set()
    assert query.active
    assert not query.busy
    query.finish()
    assert both[True].ended.is_set()


def test_it_changes_over_when_nothing_waits() -> None:
    query, both = begun()
    both[False].waiting = True
    eventually(lambda: query.real_time)
    query.finish()


def test_it_repeats_all_that_ran_after_its_checkpoint_before_it_changes_over() -> None:
    """With triggers that are far apart it is quiet between two epochs, too."""
    query, both = begun()
    both[False].waiting = both[False].repeating = True
    time.sleep(1.5)
    assert not query.real_time
    both[False].repeating = False
    eventually(lambda: query.real_time)
    query.finish()


def test_a_failure_before_the_change_is_told() -> None:
    query, both = begun(failing=True)
    both[False].lags = [0]
    eventually(lambda: not query.active)
    with pytest.raises(JavaError, match="it broke"):
        query.raise_failure()


class Cluster:
    """Queries as they are asked for, on a cluster that has room for real time or not."""

    def __init__(self) -> None:
        self.room = True
        self.begun: list[tuple[bool, Fake]] = []
        self.query = RealTimeQuery("app", self.begin, behind=False, room=lambda: self.room)

    def begin(self, real_time: bool) -> Any:
        self.begun.append((real_time, Fake()))
        return self.now

    @property
    def now(self) -> Fake:
        return self.begun[-1][1]

    def modes(self) -> list[bool]:
        return [real_time for real_time, _ in self.begun]


def test_an_epoch_that_fails_in_real_time_on_a_cluster_is_repeated_in_batches() -> None:
    cluster = Cluster()
    cluster.room = False
    cluster.now.fail()
    eventually(lambda: cluster.modes() == [True, False])
    assert cluster.query.active
    cluster.now.lags = [0]
    time.sleep(0.3)
    assert not cluster.query.real_time
    cluster.room = True
    cluster.now.lags = [0, 0]
    eventually(lambda: cluster.query.real_time)
    assert cluster.modes() == [True, False, True]
    cluster.query.finish()
    assert not cluster.query.active


def test_to_ask_whether_it_runs_starts_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """`active` aborted the query that had failed and began another, in whichever thread had asked."""
    monkeypatch.setattr(module, "_LOOK", 3600)
    cluster = Cluster()
    failed = cluster.now
    failed.fail()
    for _ in range(100):
        assert cluster.query.active
    assert cluster.modes() == [True]
    assert not failed.ended.is_set()
    cluster.query.finish()
    assert not cluster.query.active


def test_real_time_that_fails_again_and_again_is_given_up() -> None:
    cluster = Cluster()
    for fails in (True, False) * 3:
        before = len(cluster.begun)
        if not fails:
            cluster.now.lags = [0]
        else:
            cluster.now.fail()
        eventually(lambda: len(cluster.begun), partial(lt, before))
    cluster.now.fail()
    eventually(lambda: not cluster.query.active)
    with pytest.raises(JavaError, match="it broke"):
        cluster.query.raise_failure()


def test_a_failure_of_the_batches_after_it_is_told() -> None:
    cluster = Cluster()
    cluster.now.fail()
    eventually(lambda: cluster.modes() == [True, False])
    cluster.now.fail()
    eventually(lambda: not cluster.query.active)
    with pytest.raises(JavaError, match="it broke"):
        cluster.query.raise_failure()


def test_a_query_that_ends_without_a_failure_is_not_begun_again() -> None:
    cluster = Cluster()
    cluster.now.active = False
    eventually(lambda: not cluster.query.active)
    assert cluster.modes() == [True]


def test_without_a_backlog_it_begins_in_real_time() -> None:
    asked = []
    query = RealTimeQuery("app", lambda real_time: asked.append(real_time) or Fake(), behind=False)  # type: ignore[func-returns-value]
    assert asked == [True]
    assert query.real_time


def test_progress_of_an_epoch_that_goes_on() -> None:
    live = Fake()
    query = RealTimeQuery("app", lambda real_time: live, behind=False)  # type: ignore[arg-type,return-value]
    assert query.progress() is None
    live.read = {"in": {"0": 7}}
    query.progress()
    live.read = {"in": {"0": 9}}
    found = summary("app", query.progress(), {}, {})
    assert (found["epoch"], found["records"], found["topics"]["in"]["lag"]) == (None, 2, 91)
