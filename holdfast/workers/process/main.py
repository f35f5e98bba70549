"""A process that runs functions for the kernel: calls come on standard input, answers leave on standard output."""

from __future__ import annotations

import faulthandler
import fcntl
import gc
import os
import pickle
import signal
import struct
import sys
import threading
import time
import traceback
from typing import BinaryIO

from holdfast.topology.runner_spec import Runner
from holdfast.workers.process import lazy_pandas
from holdfast.workers.process.failures import message_of
from holdfast.workers.process.output import ProcessOutput

READY = 0x48464231
FAILED = -(1 << 31)
_PIPE = 1 << 20  # the most that Linux gives; with 64 KB the two sides take turns for each
_LOOK_SECONDS = 2.0
_OBJECTS = 100_000  # so many new ones before Python looks for garbage: the records of a call are none while it runs


def main() -> None:
    """Answer calls until there are no more; what functions print and log goes to standard error."""
    os.umask(int(os.environ.get("_PYTHON_WORKER_UMASK") or f"{os.umask(0o077):o}", 8))
    answers = os.fdopen(os.dup(1), "wb", 1 << 16)
    os.dup2(2, 1)
    output = ProcessOutput()
    _enlarge_pipes(0, answers.fileno())
    _report_crashes()
    threading.Thread(target=_end_with_parent, args=[os.getppid()], daemon=True).start()
    lazy_pandas.defer_pandas()
    gc.set_threshold(_OBJECTS, 10, 10)
    answers.write(struct.pack(">i", READY))
    answers.flush()
    serve(sys.stdin.buffer, answers, output)


def _enlarge_pipes(*pipes: int) -> None:
    for pipe in pipes:
        try:
            fcntl.fcntl(pipe, getattr(fcntl, "F_SETPIPE_SZ", 1031), _PIPE)
        except OSError:  # not a pipe, or not Linux
            return


def _report_crashes() -> None:
    """Write the line where the process is to the file of its argument, when it crashes or the kernel wants to know."""
    if len(sys.argv) > 1:
        trace = open(sys.argv[1], "w")  # noqa: SIM115  (it must stay open)
        faulthandler.enable(trace, all_threads=False)
        faulthandler.register(signal.SIGUSR1, trace, all_threads=False)


def _end_with_parent(parent: int) -> None:
    """A function that never ends must not outlive the kernel."""
    while os.getppid() == parent:
        time.sleep(_LOOK_SECONDS)
    os._exit(1)


def serve(calls: BinaryIO, answers: BinaryIO, output: ProcessOutput) -> None:
    """Read a name, code if it is new, and arguments, each with its length before it; write an answer.

    When new code is loaded, that is said. A question that a function asks meanwhile is written like an answer, its
    length as a negative number; the least number announces why there is no answer.
    """
    runners: dict[bytes, Runner] = {}

    def ask(question: bytes) -> bytes:
        _write(answers, -len(question), question)
        answer = _read_part(calls)
        assert answer is not None
        return answer

    while (name := _read_part(calls)) is not None:
        code = _read_part(calls)
        output.begin(name)
        try:
            if code:
                runners[name] = pickle.loads(code)()
                gc.freeze()
                _write(answers, READY, b"")
            arguments = _read_part(calls)
            assert arguments is not None
            answer = runners[name].run(arguments, ask)
        except Exception as error:
            output.failed(traceback.format_exc())
            answers.write(struct.pack(">i", FAILED))
            answer = _error_message(error).encode()
        output.end()
        _write(answers, len(answer), answer)


def _error_message(error: Exception) -> str:
    if isinstance(error, ModuleNotFoundError):
        return f"it cannot be loaded where it runs: {error}; its module must be installed there or lie next to the app"
    return f"{type(error).__name__}: {message_of(error)}; the lines that led to it are in the log"


def _write(stream: BinaryIO, length: int, part: bytes) -> None:
    stream.write(struct.pack(">i", length))
    stream.write(part)
    stream.flush()


def _read_part(stream: BinaryIO) -> bytes | None:
    head = stream.read(4)
    return stream.read(struct.unpack(">i", head)[0]) if len(head) == 4 else None


if __name__ == "__main__":
    main()
