"""Faults between two lives of an app: it comes back on other cores, with older files, or without some of them."""

from __future__ import annotations

import time

from tests.eventually import eventually
from tests.faults.bank.strikes import hold, moment, running_executors, until_struck
from tests.faults.bank.trial import Trial

WIDTHS = (1, 2, 4)
SLOW_SECONDS = 40
ANSWERS = (0.3, 2.5)
EPOCHS = 4


def cores(trial: Trial) -> None:
    """The app ends between two transactions of an epoch and comes back with another number of cores."""
    until_struck(trial, trial.random.choice(["before-transaction", "after-transaction"]))
    assert trial.run.ended() == 1
    trial.cores = trial.random.choice([each for each in WIDTHS if each != trial.cores])


def cluster_width(trial: Trial) -> None:
    """The driver ends between two transactions of an epoch; it comes back on other workers, with other partitions."""
    assert trial.cluster is not None
    hold(trial, "before-transaction")
    trial.run.kill()
    if len(trial.cluster.workers) > 2 and trial.random.random() < 0.5:
        trial.cluster.remove(trial.random.choice(trial.cluster.workers))
    elif len(trial.cluster.workers) < 4:
        trial.cluster.add()
    trial.width = trial.random.choice([each for each in WIDTHS if each != (trial.width or WIDTHS[-1])])


def put_back(trial: Trial) -> None:
    """The checkpoint is put back from a copy of some epochs ago."""
    moment(trial)
    if trial.random.random() < 0.5:
        trial.run.kill()
    else:
        trial.run.stop()
    trial.copies.take()
    for _ in range(trial.random.randint(2, 5)):
        trial.feed(trial.random.randint(5, 60))
        trial.caught_up()
    moment(trial)
    trial.run.kill()
    print(f"{'':12}{trial.copies.put_back(trial.random)}", flush=True)


def power(trial: Trial) -> None:
    """The machine of the app loses its power, and with it what was not synced."""
    if trial.random.random() < 0.5:
        moment(trial)
        trial.run.kill()
    else:
        until_struck(trial, trial.random.choice(["after-transaction", "before-epoch", "after-epoch", "after-commits"]))
        assert trial.run.ended() == 1
    lost = trial.power.off(trial.random)
    print(f"{'':12}{len(lost)} files lost, cut or emptied", flush=True)


def slow_broker(trial: Trial) -> None:
    """The broker takes long for each answer, until what is written meanwhile is through."""
    trial.proxy.delay = trial.random.choice(ANSWERS)
    print(f"{'':12}{trial.proxy.delay} s for an answer", flush=True)
    deadline = time.monotonic() + SLOW_SECONDS
    try:
        moment(trial)
        while trial.behind() and time.monotonic() < deadline:
            time.sleep(0.1)
    finally:
        trial.proxy.delay = 0.0


def come_and_go(trial: Trial) -> None:
    """An executor comes, works with the others, and goes when there is nothing to do: no task may fail of it."""
    assert trial.cluster is not None
    failed = trial.failed_tasks()
    there = len(running_executors(trial))
    trial.cluster.add()
    eventually(lambda: running_executors(trial), lambda now: len(now) > there, what="the new executor to come")
    work_in_epochs(trial, EPOCHS)
    trial.idle()
    trial.cluster.remove(trial.random.choice(trial.cluster.workers))
    work_in_epochs(trial, EPOCHS)
    assert trial.failed_tasks() == failed, "\n".join(trial.failed_tasks()[len(failed) :])


def work_in_epochs(trial: Trial, count: int) -> None:
    """Let the app do so many epochs at least."""
    for _ in range(count):
        trial.feed(20)
        trial.caught_up()
