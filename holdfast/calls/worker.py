"""A process that runs functions for the kernel: calls come on standard input, answers leave on standard output."""

from __future__ import annotations

import gc
import os
import pickle
import struct
import sys
from typing import BinaryIO

from holdfast.topology.maker import Runs

_OBJECTS = 100_000  # so many new ones before Python looks for garbage: the records of a call are none while it runs


def main() -> None:
    """Answer calls until there are no more; what functions print goes to standard error."""
    answers = os.fdopen(os.dup(1), "wb", 1 << 16)
    os.dup2(2, 1)
    gc.set_threshold(_OBJECTS, 10, 10)
    serve(sys.stdin.buffer, answers)


def serve(calls: BinaryIO, answers: BinaryIO) -> None:
    """Read a name, code if it is new, and arguments, each with its length before it; write an answer.

    A question that a function asks meanwhile is written like an answer, its length as a negative number.
    """
    runners: dict[bytes, Runs] = {}

    def ask(question: bytes) -> bytes:
        _write(answers, -len(question), question)
        answer = _part(calls)
        assert answer is not None
        return answer

    while (name := _part(calls)) is not None:
        code, arguments = _part(calls), _part(calls)
        assert code is not None
        assert arguments is not None
        if code:
            runners[name] = pickle.loads(code)()
            gc.freeze()
        answer = runners[name].run(arguments, ask)
        _write(answers, len(answer), answer)


def _write(stream: BinaryIO, length: int, part: bytes) -> None:
    stream.write(struct.pack(">i", length))
    stream.write(part)
    stream.flush()


def _part(stream: BinaryIO) -> bytes | None:
    head = stream.read(4)
    return stream.read(struct.unpack(">i", head)[0]) if len(head) == 4 else None


if __name__ == "__main__":
    main()
