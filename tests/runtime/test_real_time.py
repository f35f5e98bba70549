"""Real-time mode before the query: how many slots it needs, and what becomes of its options."""

from pathlib import Path

import pytest

from holdfast.errors import SettingsError
from holdfast.runtime import real_time
from holdfast.settings import load


class Session:
    """As much of Spark's session as tells whether it is a cluster's."""

    def __init__(self, local: bool) -> None:
        self.local = local

    def sparkContext(self) -> "Session":
        return self

    def isLocal(self) -> bool:
        return self.local


def test_too_few_slots_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("holdfast.spark.session.slots", lambda java_session: 3)
    real_time.check_slots(Session(local=True), 3)
    with pytest.raises(SettingsError, match=r"needs 7 slots of Spark here, but there are 3: give it more cores"):
        real_time.check_slots(Session(local=True), 7)


def test_executors_of_a_cluster_may_come_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    there = iter([0, 2, 4])
    monkeypatch.setattr("holdfast.spark.session.slots", lambda java_session: next(there))
    real_time.check_slots(Session(local=False), 4)


def test_the_sink_of_real_time_has_no_markers(tmp_path: Path) -> None:
    settings = load("app", {"real_time_epoch": "1 minute", "spark": {"spark.master": "local[3]"}}, tmp_path, {})
    options = {"trigger": 500, "source": {"a": 1}, "sink": {"meta": "m", "markers": "x"}}
    assert real_time.live(settings, options) == {
        "trigger": "real-time",
        "source": {"a": 1, "live": 60_000, "readers": 1},
        "sink": {"meta": "m", "live": True},
    }
