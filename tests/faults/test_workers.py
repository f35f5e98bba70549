"""Python processes that end, hang, grow or cannot start: the call is made again, or the message says what happened."""

import functools
import json
import os
import signal
import sys
import threading
import time
from pathlib import Path

import pytest
from pyspark import cloudpickle

from holdfast.errors import KernelError
from holdfast.spark import kernel
from tests.eventually import eventually


class Echo:
    """Returns what it gets, or fails as it is asked to."""

    def __init__(self, folder):
        self.folder = Path(folder)
        self.kept = []

    def run(self, arguments, ask):
        what = arguments.decode()
        return (getattr(self, what)(ask) if hasattr(self, what) else what).encode()

    def pid(self, ask):
        return str(os.getpid())

    def first(self, name):
        try:
            (self.folder / name).touch(exist_ok=False)
        except FileExistsError:
            return False
        return True

    def exit_once(self, ask):
        if self.first("exit"):
            os._exit(3)
        return "done"

    def exit_always(self, ask):
        with (self.folder / "tries").open("a") as file:
            file.write("x")
        os._exit(3)

    def crash_always(self, ask):
        import ctypes

        ctypes.string_at(0)

    def wait_once(self, ask):
        if self.first("waits"):
            (self.folder / "pid").write_text(str(os.getpid()))
            while True:
                time.sleep(0.01)
        return "done"

    def spin(self, ask):
        while True:
            pass

    def grow(self, ask):
        self.kept.append(bytearray(os.urandom(1 << 20) * 64))
        return str(os.getpid())

    def ask_and_exit(self, ask):
        (self.folder / "asked").write_bytes(ask(b"put"))
        self.exit_always(ask)

    def raise_error(self, ask):
        raise ValueError("no runner should")

    def import_missing(self, ask):
        __import__("a_module_that_is_nowhere")


@pytest.fixture
def call(tmp_path):
    """Call the function as the kernel does; keyword arguments are limits."""
    made = kernel.gateway().jvm
    python = made.io.holdfast.kernel.workers
    cloudpickle.register_pickle_by_value(sys.modules[__name__])
    code = cloudpickle.dumps(functools.partial(Echo, str(tmp_path)))
    cloudpickle.unregister_pickle_by_value(sys.modules[__name__])
    function = python.PythonFunction("echo-1", "echo (shop.py:3)", code)

    def calling(
        what: str, command: str = sys.executable, module: str = "holdfast.workers.process.main", **limits
    ) -> str:
        start = {
            "command": [command, "-m", module],
            "environment": {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        }
        json_node = made.com.fasterxml.jackson.databind.ObjectMapper().readTree(json.dumps({**start, **limits}))
        workers = python.PythonWorkerPool(python.PythonStart.of(json_node), python.PythonLimits.of(json_node))
        same = made.java.util.function.UnaryOperator.identity()  # answers a question with the question
        return bytes(kernel.call(lambda: workers.call(function, what.encode(), same))).decode()

    return calling


def test_a_process_is_kept_for_the_next_call(call):
    assert call("hello") == "hello"
    assert call("pid") == call("pid")


def test_a_call_whose_process_ends_is_made_again(call):
    assert call("exit_once") == "done"


def test_a_call_whose_process_is_killed_is_made_again(call, tmp_path):
    def kill():
        said = tmp_path / "pid"
        os.kill(int(eventually(lambda: said.read_text() if said.exists() else "")), signal.SIGKILL)

    killer = threading.Thread(target=kill)
    killer.start()
    assert call("wait_once") == "done"
    killer.join()


def test_after_two_tries_the_message_names_the_function(call, tmp_path):
    with pytest.raises(KernelError, match=r"echo-1: echo \(shop.py:3\): its process ended with status 3"):
        call("exit_always")
    assert (tmp_path / "tries").read_text() == "xx"
    assert call("hello") == "hello"


def test_a_crash_tells_the_line(call):
    with pytest.raises(KernelError, match=r"its process ended by signal 11 at .*(ctypes|test_workers.py)"):
        call("crash_always")


def test_a_call_that_does_not_end_is_ended_and_tells_the_line(call):
    with pytest.raises(
        KernelError,
        match=r"echo \(shop.py:3\): it did not end within 1000 ms at .*test_workers.py:\d+ in spin; its process",
    ):
        call("spin", timeout_ms=1000)


def test_a_process_that_grew_is_replaced(call):
    call("hello", memory_bytes=100 << 20)
    pids = [call("grow", memory_bytes=100 << 20) for _ in range(6)]
    assert len(set(pids)) == 3
    assert pids == sorted(pids, key=pids.index)


def test_a_process_is_replaced_after_so_many_calls(call):
    pids = [call("pid", calls=2) for _ in range(6)]
    assert len(set(pids)) == 3


def test_what_has_asked_the_kernel_is_not_called_again(call, tmp_path):
    with pytest.raises(KernelError, match="its process ended with status 3"):
        call("ask_and_exit")
    assert ((tmp_path / "asked").read_bytes(), (tmp_path / "tries").read_text()) == (b"put", "x")


def test_an_error_beside_the_function_is_told(call):
    with pytest.raises(
        KernelError, match=r"echo \(shop.py:3\): ValueError: no runner should; the lines that led to it"
    ):
        call("raise_error")
    with pytest.raises(
        KernelError, match=r"it cannot be loaded where it runs: No module named 'a_module_that_is_nowhere'"
    ):
        call("import_missing")


def test_python_that_is_not_there(call):
    with pytest.raises(KernelError, match=r"Python cannot be started on \S+: Cannot run program ./nowhere/python"):
        call("hello", command="/nowhere/python")
    with pytest.raises(KernelError, match=r"echo \(shop.py:3\): Python does not start with status 1"):
        call("hello", module="a_module_that_is_nowhere")
