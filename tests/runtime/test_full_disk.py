"""A disk that is full: one message that says what to do, wherever it was noticed."""

import errno

import pytest

import holdfast as hf
from holdfast.errors import HoldfastError
from holdfast.runtime import lock, start
from holdfast.spark.kernel import error_of


class Thrown:
    """A Java exception as py4j shows it."""

    def __init__(self, message, cause=None):
        self._message, self._cause = message, cause

    def getMessage(self):
        return self._message

    def getCause(self):
        return self._cause

    def getClass(self):
        return self

    def getName(self):
        return "java.io.IOException"


def test_noticed_by_spark():
    error = error_of(Thrown("Job aborted", Thrown("No space left on device")))
    assert "a disk is full" in str(error)
    assert "make room, then start the app again" in str(error)


def test_another_failure_keeps_its_words():
    assert str(error_of(Thrown("Job aborted", Thrown("Is a directory")))) == "Job aborted"


def test_noticed_at_the_start(monkeypatch, tmp_path):
    def full(directory, name):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(lock, "hold", full)
    app = hf.App("full", brokers="127.0.0.1:9", state_dir=str(tmp_path))
    app.stream("in", str).to("out")
    with pytest.raises(HoldfastError, match="a disk is full"):
        start(app)
