"""Processes are known by pid and start time."""

import subprocess
import sys

from holdfast.ops.ports import choose_port, is_free
from holdfast.ops.processes import Process

SLEEP = [sys.executable, "-c", "import time; time.sleep(60)"]


def test_this_process_is_alive() -> None:
    assert Process.current().alive()


def test_a_pid_that_was_given_to_another_process_is_recognised() -> None:
    assert not Process(Process.current().pid, "1").alive()


def test_a_process_that_ended_but_was_not_waited_for_is_dead() -> None:
    with subprocess.Popen(SLEEP) as child:
        process = Process.of(child.pid)
        assert process.alive()
        child.kill()
        assert process.wait(10)
        assert child.returncode is None


def test_end_stops_it() -> None:
    with subprocess.Popen(SLEEP) as child:
        process = Process.of(child.pid)
        process.end(timeout=10)
        assert not process.alive()


def test_a_port_in_use_is_not_chosen() -> None:
    import socket

    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        assert not is_free(port)
        assert choose_port(port) != port
    assert choose_port(port) == port
