"""When the class archive is made: while the app is idle, and never beside an app that works."""

import subprocess
import sys
from collections.abc import Callable, Iterator

import pytest

from holdfast.spark import idle_archive
from holdfast.spark.idle_archive import IdleTraining
from tests.eventually import eventually


class App:
    busy = True


class Trainings:
    """Processes that end with their standard input, as a training does, or at once."""

    def __init__(self) -> None:
        self.started: list[subprocess.Popen[bytes]] = []
        self.program = "input()"

    def __call__(self) -> "subprocess.Popen[bytes]":
        command = [sys.executable, "-c", self.program]
        self.started.append(subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.DEVNULL))
        return self.started[-1]


@pytest.fixture
def trainings() -> Trainings:
    return Trainings()


@pytest.fixture
def begin(trainings: Trainings, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[App], IdleTraining]]:
    monkeypatch.setattr(idle_archive, "_missing", idle_archive.threading.Event())
    begun: list[IdleTraining] = []

    def start(app: App) -> IdleTraining:
        begun.append(IdleTraining(lambda: app.busy, trainings, look=0.02, idle=0.1).start())
        return begun[-1]

    yield start
    for each in begun:
        each.stop()


def ended(process: "subprocess.Popen[bytes]") -> bool:
    return process.poll() is not None


def test_it_waits_for_the_app_to_be_idle_and_ends_when_it_is_busy_again(
    trainings: Trainings, begin: Callable[[App], IdleTraining]
) -> None:
    idle_archive.want()
    app = App()
    begin(app)
    with pytest.raises(AssertionError):
        eventually(lambda: trainings.started, seconds=0.5)
    app.busy = False
    eventually(lambda: trainings.started)
    app.busy = True
    eventually(lambda: ended(trainings.started[0]))
    app.busy = False
    eventually(lambda: len(trainings.started) == 2)


def test_it_ends_with_the_app(trainings: Trainings, begin: Callable[[App], IdleTraining]) -> None:
    idle_archive.want()
    app = App()
    app.busy = False
    training = begin(app)
    eventually(lambda: trainings.started)
    training.stop()
    eventually(lambda: ended(trainings.started[0]))


def test_it_is_made_once_and_only_where_it_is_missing(
    trainings: Trainings, begin: Callable[[App], IdleTraining]
) -> None:
    app = App()
    app.busy = False
    begin(app)
    idle_archive.want()
    trainings.program = "pass"
    begin(app)
    eventually(lambda: not idle_archive._missing.is_set())
    assert len(trainings.started) == 1
