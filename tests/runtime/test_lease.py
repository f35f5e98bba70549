"""Two instances of one app: the second is refused and names the first, wherever it runs."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator

import pytest

from holdfast.errors import AlreadyRuns
from holdfast.ops.broker import Broker
from holdfast.runtime import lease
from holdfast.runtime.lease import Instance, Lease
from tests.eventually import eventually

pytestmark = pytest.mark.broker

HOLDS = """
import sys, time
from holdfast.runtime import lease
if len(sys.argv) > 4:
    lease._pid_namespace = lambda: sys.argv[4]
held = lease.Lease(sys.argv[1], sys.argv[2], {}, sys.argv[3]).take()
print(held._instance.pid, flush=True)
time.sleep(300)
"""


@pytest.fixture
def first(broker: Broker, new_topic: Callable[..., str]) -> Iterator[Callable[..., tuple[subprocess.Popen, Lease]]]:
    """Another process that holds the lease, and a lease of this one for the same app."""
    started: list[subprocess.Popen] = []

    def start(*space: str) -> tuple[subprocess.Popen, Lease]:
        topic = new_topic("lease")
        command = [sys.executable, "-c", HOLDS, topic, broker.address, topic, *space]
        started.append(subprocess.Popen(command, stdout=subprocess.PIPE))
        assert started[-1].stdout is not None
        started[-1].stdout.readline()
        mine = Lease(topic, broker.address, {}, topic)
        eventually(mine._others, what="the other instance to show up")
        return started[-1], mine

    yield start
    for process in started:
        process.kill()
        process.wait()


def test_on_this_machine(first: Callable[..., tuple[subprocess.Popen, Lease]]) -> None:
    process, mine = first()
    with pytest.raises(AlreadyRuns, match=rf"already runs on \S+ in process {process.pid}, since 20.*Z; stop"):
        mine.take()
    process.send_signal(signal.SIGKILL)
    process.wait()
    began = time.monotonic()
    mine.take()  # the broker does not know yet, this machine does
    assert time.monotonic() - began < 5
    mine.release()


def test_on_another_machine(
    first: Callable[..., tuple[subprocess.Popen, Lease]], monkeypatch: pytest.MonkeyPatch
) -> None:
    process, mine = first("pid:[elsewhere]")
    monkeypatch.setattr(lease, "EXPIRY", 0.5)
    with pytest.raises(AlreadyRuns, match=f"in process {process.pid}"):
        mine.check()
    process.kill()
    process.wait()
    monkeypatch.setattr(lease, "EXPIRY", 60)
    mine.check()  # as soon as the broker has forgotten it
    assert mine._others() == []


def test_released_and_taken_again(broker: Broker, new_topic: Callable[..., str]) -> None:
    topic = new_topic("lease")
    for _ in range(2):
        lease = Lease(topic, broker.address, {}, topic).take()
        with pytest.raises(AlreadyRuns):
            Lease(topic, broker.address, {}, topic).check()
        lease.release()
    assert Lease(topic, broker.address, {}, topic).other() is None


def test_twice_in_this_process(broker: Broker, new_topic: Callable[..., str]) -> None:
    topic = new_topic("lease")
    first = Lease(topic, broker.address, {}, topic).take()
    with pytest.raises(AlreadyRuns, match=f"in process {os.getpid()}"):
        Lease(topic, broker.address, {}, topic).check()
    first.in_use = lambda: False  # its app has ended by itself
    Lease(topic, broker.address, {}, topic).take().release()


def test_a_process_that_ended_is_gone_only_if_it_was_here() -> None:
    here = Instance.current()
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    assert Instance(here.host, here.pid_namespace, ended.pid, 0).has_ended(here)
    assert not Instance("elsewhere", here.pid_namespace, ended.pid, 0).has_ended(here)
    assert not Instance(here.host, here.pid_namespace, os.getppid(), 0).has_ended(here)
