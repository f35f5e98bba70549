"""A JVM that ends between two calls: whoever asks the query is answered so, whatever is asked."""

import subprocess
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

from holdfast.errors import JavaError
from holdfast.spark import kernel
from holdfast.spark.query import SparkQuery

# What one may ask; of the ones in TWICE, with more than one call.
QUESTIONS: dict[str, Callable[[SparkQuery], Any]] = {
    "active": lambda query: query.active,
    "busy": lambda query: query.busy,
    "waiting": lambda query: query.waiting,
    "repeating": lambda query: query.repeating,
    "raise_failure": SparkQuery.raise_failure,
    "progress": SparkQuery.progress,
    "live_offsets": SparkQuery.live_offsets,
    "reports": lambda query: query.reports(0),
    "measured": SparkQuery.measured,
    "counted": lambda query: query.counted("late"),
    "reasons": SparkQuery.reasons,
    "sent": SparkQuery.sent,
    "finish": SparkQuery.finish,
    "abort": SparkQuery.abort,
}


def test_nothing_that_one_may_ask_is_left_out():
    assert {name for name in vars(SparkQuery) if not name.startswith("_")} == QUESTIONS.keys()


class Dying:
    """Stands for an object of a JVM that gives so many answers, and then is not there any more."""

    def __init__(self, answers: int) -> None:
        self._answers = answers

    def __getattr__(self, name: str) -> "Dying":
        return self

    def __call__(self, *arguments: Any) -> "Dying":
        self._answers -= 1
        if self._answers < 0:
            raise ConnectionRefusedError(111, "Connection refused")
        return self


TWICE = ["busy", "waiting", "raise_failure", "progress", "finish"]


@pytest.mark.parametrize(("asked", "answers"), [*((each, 0) for each in QUESTIONS), *((each, 1) for each in TWICE)])
def test_that_the_jvm_is_gone_is_said_whatever_is_asked(asked: str, answers: int, monkeypatch: pytest.MonkeyPatch):
    ended = subprocess.Popen(["true"])
    monkeypatch.setattr(kernel, "_gateway", SimpleNamespace(proc=ended))
    query = SparkQuery.__new__(SparkQuery)
    jvm = Dying(answers)
    query.__dict__.update(dict.fromkeys(("_query", "_gate", "_positions", "_epochs", "_sink", "_reports"), jvm))
    query.__dict__.update(_name="app", _id="id", _live=True, _local=True)

    with pytest.raises(JavaError, match="the JVM that ran Spark is gone"):
        QUESTIONS[asked](query)
