"""A process that runs functions for the kernel: calls come on standard input, answers leave on standard output."""

from __future__ import annotations

import os
import pickle
import struct
import sys
from typing import BinaryIO

from holdfast.calls.run import Runner


def main() -> None:
    """Answer calls until there are no more; what functions print goes to standard error."""
    answers = os.fdopen(os.dup(1), "wb", 1 << 16)
    os.dup2(2, 1)
    serve(sys.stdin.buffer, answers)


def serve(calls: BinaryIO, answers: BinaryIO) -> None:
    """Read a name, code if it is new, and arguments, each with its length before it; write an answer."""
    runners: dict[bytes, Runner] = {}
    while (name := _part(calls)) is not None:
        code, arguments = _part(calls), _part(calls)
        assert code is not None
        assert arguments is not None
        if code:
            runners[name] = Runner(*pickle.loads(code))
        answer = runners[name].run(arguments)
        answers.write(struct.pack(">i", len(answer)))
        answers.write(answer)
        answers.flush()


def _part(stream: BinaryIO) -> bytes | None:
    head = stream.read(4)
    return stream.read(struct.unpack(">i", head)[0]) if len(head) == 4 else None


if __name__ == "__main__":
    main()
