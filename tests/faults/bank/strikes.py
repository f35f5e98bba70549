"""The faults: each strikes a trial once, checks how it was taken, and leaves the trial to go on."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable
from pathlib import Path

from tests.eventually import eventually
from tests.faults.bank.process import gone
from tests.faults.bank.trial import Trial

Strike = Callable[[Trial], None]

# The points of the commit path and how often one is passed at most before the process ends there. An epoch of the bank
# passes those of the transaction once for each partition of the sink, and those of the state some times more.
POINTS = {
    "before-offsets": 3,
    "before-state": 20,
    "after-state": 20,
    "before-transaction": 6,
    "after-transaction": 6,
    "before-epoch": 3,
    "after-epoch": 3,
    "before-commits": 3,
    "after-commits": 3,
}


def moment(trial: Trial) -> None:
    """Give the app something to do, in pieces, and stop at some moment while it does it."""
    for _ in range(3):
        trial.feed(20)
        time.sleep(trial.random.uniform(0, 0.5))


def python(trial: Trial) -> None:
    """kill -9 of the Python process."""
    moment(trial)
    trial.run.kill()


def jvm(trial: Trial) -> None:
    """kill -9 of the driver's JVM: Python ends with a message."""
    moment(trial)
    os.kill(trial.run.jvm(), signal.SIGKILL)
    assert trial.run.ended() == 1
    assert "the JVM" in trial.run.said(), trial.run.said()


def starting(trial: Trial) -> None:
    """kill -9 while the app is starting."""
    trial.run.kill()
    trial.feed()
    trial.revive()
    trial.run.jvm()
    time.sleep(trial.random.uniform(0, 8))
    trial.run.kill()


def broker(trial: Trial) -> None:
    """kill -9 of the broker at any moment, and back again."""
    moment(trial)
    _kill_broker(trial, signal.SIGKILL)
    time.sleep(trial.random.uniform(0, 5))
    trial.restart_broker()


def broker_in_transaction(trial: Trial) -> None:
    """The broker is restarted while a transaction is open that has all its records."""
    hold(trial, "before-transaction")
    _kill_broker(trial, trial.random.choice([signal.SIGKILL, signal.SIGTERM]))
    trial.restart_broker()
    trial.run.let_go()


def _kill_broker(trial: Trial, number: signal.Signals) -> None:
    state = trial.broker.running()
    assert state is not None
    os.kill(state.process.pid, number)
    assert gone(state.process.pid)


def hold(trial: Trial, point: str) -> None:
    """Let the app work until it waits at a point."""
    until_struck(trial, point, hold=True)


def pause(trial: Trial) -> None:
    """SIGSTOP of Python and the JVM for a while."""
    moment(trial)
    _stopped(trial, [trial.run.process.pid, trial.run.jvm()])


def _stopped(trial: Trial, processes: list[int]) -> None:
    for process in processes:
        os.kill(process, signal.SIGSTOP)
    time.sleep(trial.pause)
    for process in processes:
        os.kill(process, signal.SIGCONT)


def zombie(trial: Trial) -> None:
    """A JVM that was stopped, whose app was started again elsewhere, wakes up: what it still writes must not count."""
    hold(trial, "before-transaction")
    old = trial.run.jvm()
    os.kill(old, signal.SIGSTOP)
    trial.run.process.kill()
    trial.run.process.wait()
    trial.revive()
    trial.caught_up()
    os.kill(old, signal.SIGCONT)
    assert gone(old), "the JVM outlived the Python process"


def local_deleted(trial: Trial) -> None:
    """The working directories of RocksDB are deleted under a running app."""
    moment(trial)
    for file in local_files(trial):
        file.unlink(missing_ok=True)
    trial.feed()  # What is left is looked at within this fault, not in the middle of the next.


def local_truncated(trial: Trial) -> None:
    """The files of RocksDB's working directories are cut in half under a running app."""
    moment(trial)
    for file in local_files(trial):
        if file.exists():
            os.truncate(file, file.stat().st_size // 2)
    trial.feed()  # What is left is looked at within this fault, not in the middle of the next.


def local_files(trial: Trial) -> list[Path]:
    """The files of RocksDB on the local disk."""
    return [file for file in (trial.home / "local").rglob("*") if file.is_file() and "StateStore" in str(file)]


def disk(trial: Trial) -> None:
    """The disk of the checkpoint is full: the app ends and says what to do; with room it goes on."""
    trial.disk.fill()
    try:
        trial.feed()
        status = trial.run.ended()
        assert status == 1, status
        assert "a disk is full" in trial.run.said(), trial.run.said()
    finally:
        trial.disk.empty()


def replica(trial: Trial) -> None:
    """kill -9 of a query server."""
    assert trial.replica is not None
    moment(trial)
    trial.replica.kill()


def replica_apply(trial: Trial) -> None:
    """A query server dies in the middle of an epoch."""
    assert trial.replica is not None
    trial.replica.arm(trial.random.randint(1, 3))
    for _ in range(10):
        trial.feed()
        trial.caught_up()
        if trial.replica.process.poll() is not None:
            break
    trial.replica.died(120)


def at(point: str) -> Strike:
    """A JVM ends at a point of the commit path: the driver's, and with it the app, or that of an executor."""

    def strike(trial: Trial) -> None:
        until_struck(trial, point)
        if trial.cluster is None:
            assert trial.run.ended() == 1

    return strike


def until_struck(trial: Trial, point: str, *, hold: bool = False) -> None:
    """Let the app work until it comes to a point; if an earlier fault makes it start again, from there on."""
    times = trial.random.randint(1, POINTS[point])
    deadline = time.monotonic() + 120
    armed = None
    while armed is not trial.run or not armed.has_struck():
        assert time.monotonic() < deadline, f"{point} was not reached"
        trial.revive()
        if armed is not trial.run:
            armed = trial.run
            armed.arm(point, times, hold=hold)
        if trial.behind() == 0:
            trial.feed(10)


def executor(trial: Trial) -> None:
    """kill -9 of an executor: the app goes on."""
    moment(trial)
    os.kill(trial.random.choice(running_executors(trial)), signal.SIGKILL)
    trial.caught_up()


def executors(trial: Trial) -> None:
    """kill -9 of all executors at once."""
    moment(trial)
    for process in running_executors(trial):
        os.kill(process, signal.SIGKILL)


def executor_paused(trial: Trial) -> None:
    """SIGSTOP of an executor that is given up in the meantime and wakes up later, with a transaction open if it can."""
    moment(trial)
    _stopped(trial, [trial.random.choice(running_executors(trial))])


def running_executors(trial: Trial) -> list[int]:
    assert trial.cluster is not None
    return eventually(trial.cluster.executors, seconds=120, what="an executor to come")
