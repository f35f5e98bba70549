"""The faults: each strikes a trial once, checks how it was taken, and leaves the trial to go on."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable
from pathlib import Path

from tests.faults.bank.process import gone
from tests.faults.bank.trial import Trial

# The points of the commit path and how often one is passed at most before the process ends there. An epoch of the bank
# passes those of the transaction twice, once for each partition of the sink, and those of the state some times more.
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
    """Give the app something to do and wait for some moment while it does."""
    trial.feed()
    time.sleep(trial.random.uniform(0, 2))


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
    """kill -9 of the broker while transactions are open, and back again."""
    moment(trial)
    state = trial.broker.running()
    assert state is not None
    os.kill(state.process.pid, signal.SIGKILL)
    assert gone(state.process.pid)
    time.sleep(trial.random.uniform(0, 5))
    trial.restart_broker()


def pause(trial: Trial) -> None:
    """SIGSTOP of Python and the JVM for a while."""
    moment(trial)
    processes = [trial.run.process.pid, trial.run.jvm()]
    for process in processes:
        os.kill(process, signal.SIGSTOP)
    time.sleep(trial.pause)
    for process in processes:
        os.kill(process, signal.SIGCONT)


def zombie(trial: Trial) -> None:
    """A JVM that was stopped, whose app was started again elsewhere, wakes up: what it still writes must not count."""
    moment(trial)
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


def local_truncated(trial: Trial) -> None:
    """The files of RocksDB's working directories are cut in half under a running app."""
    moment(trial)
    for file in local_files(trial):
        if file.exists():
            os.truncate(file, file.stat().st_size // 2)


def local_files(trial: Trial) -> list[Path]:
    """The files of RocksDB on the local disk."""
    return [file for file in (trial.home / "local").rglob("*") if file.is_file() and "StateStore" in str(file)]


def disk(trial: Trial) -> None:
    """The disk of the checkpoint is full: the app ends with a message, or waits; with room it goes on."""
    trial.disk.fill()
    try:
        trial.feed()
        status = trial.run.ended()
        assert status == 1, status
        assert "a disk is full" in trial.run.said(), trial.run.said()
    finally:
        trial.disk.empty()


def replica(trial: Trial) -> None:
    """kill -9 of a query server's copy."""
    moment(trial)
    trial.replica.kill()


def replica_apply(trial: Trial) -> None:
    """A copy dies in the middle of an epoch."""
    trial.replica.arm(trial.random.randint(1, 3))
    for _ in range(10):
        trial.feed()
        trial.caught_up()
        if trial.replica.process.poll() is not None:
            break
    trial.replica.died(120)


def at(point: str) -> Callable[[Trial], None]:
    """The JVM ends at a point of the commit path."""

    def strike(trial: Trial) -> None:
        if trial.run.alive:
            trial.run.stop()
        trial.feed()
        trial.revive(f"{point}:{trial.random.randint(1, POINTS[point])}")
        deadline = time.monotonic() + 120
        while trial.run.alive:
            assert time.monotonic() < deadline, f"{point} was not reached"
            if trial.behind() == 0:
                trial.feed(10)
            time.sleep(0.1)
        assert trial.run.ended() == 1

    return strike


STRIKES: dict[str, Callable[[Trial], None]] = {
    "kill -9 Python": python,
    "kill -9 JVM": jvm,
    "kill -9 at the start": starting,
    "kill -9 broker": broker,
    "SIGSTOP, SIGCONT": pause,
    "zombie JVM": zombie,
    "local state deleted": local_deleted,
    "local state truncated": local_truncated,
    "full disk": disk,
    "kill -9 replica": replica,
    "replica in apply": replica_apply,
    **{f"point {point}": at(point) for point in POINTS},
}
