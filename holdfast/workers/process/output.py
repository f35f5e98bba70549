"""What functions print and log: it leaves the process line by line, each with its level and the function it came from.

The kernel reads standard error and puts the lines into its log. A line is the mark, level, function and text; one
without the mark was written past Python, by a library in C or a program that a function has started.
"""

from __future__ import annotations

import io
import logging
import os
import sys
import threading
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

MARK, SEPARATOR = b"\x1e", b"\x1f"
LONGEST = 8_000
_TARGET = 2
_LEVELS = ((logging.ERROR, b"ERROR"), (logging.WARNING, b"WARN"), (logging.INFO, b"INFO"))


class FunctionOutput:
    """Where lines go, and the function that runs, by the name that it has on the wire."""

    def __init__(self, target: int = _TARGET) -> None:
        self.function = b""
        self._target = target
        self._writing = threading.Lock()

    def write(self, level: int, line: bytes) -> None:
        """Write a line, in parts if it is long."""
        name = next((name for least, name in _LEVELS if level >= least), b"DEBUG")
        head = SEPARATOR.join([MARK + name, self.function, b""])
        parts = [line[at : at + LONGEST] for at in range(0, len(line), LONGEST)] or [b""]
        rest = memoryview(b"".join(head + part + b"\n" for part in parts))
        with self._writing:
            while rest:
                rest = rest[os.write(self._target, rest) :]


class OutputLines(io.RawIOBase):
    """The bytes of standard output or standard error; each thread has a line of its own that it has not ended yet."""

    def __init__(self, output: FunctionOutput, level: int) -> None:
        self._output = output
        self._level = level
        self._begun = threading.local()

    def writable(self) -> bool:
        """It can be written to."""
        return True

    def fileno(self) -> int:
        """For programs that a function starts."""
        return _TARGET

    def write(self, part: ReadableBuffer, /) -> int:
        """Write the lines that are whole, and a line that has become long."""
        data = bytes(part)
        *lines, rest = (getattr(self._begun, "line", b"") + data).split(b"\n")
        self._begun.line = rest
        for line in lines:
            self._output.write(self._level, line)
        if len(rest) > LONGEST:
            self.end_line()
        return len(data)

    def end_line(self) -> None:
        """Write what this thread has begun: the function has come to its end."""
        if rest := getattr(self._begun, "line", b""):
            self._begun.line = b""
            self._output.write(self._level, rest)


class OutputHandler(logging.Handler):
    """A handler that sends the log records of functions to the kernel, with level and logger."""

    def __init__(self, output: FunctionOutput) -> None:
        super().__init__()
        self._output = output

    def emit(self, record: logging.LogRecord) -> None:
        """Write its lines, and those of a traceback."""
        try:
            text = self.format(record) if record.name == "root" else f"{record.name}: {self.format(record)}"
            for line in text.split("\n"):
                self._output.write(record.levelno, line.encode(errors="backslashreplace"))
        except Exception:
            self.handleError(record)


class ProcessOutput:
    """The output of this process: `print` is logged as INFO, standard error as WARN, and loggers begin at INFO."""

    def __init__(self) -> None:
        self._output = FunctionOutput()
        self._lines = OutputLines(self._output, logging.INFO), OutputLines(self._output, logging.WARNING)
        sys.stdout, sys.stderr = map(_text, self._lines)
        logging.getLogger().addHandler(OutputHandler(self._output))
        logging.getLogger().setLevel(logging.INFO)

    def begin(self, function: bytes) -> None:
        """What comes from here on is this function's."""
        self._output.function = function

    def end(self) -> None:
        """The function has answered."""
        for each in self._lines:
            each.end_line()

    def failed(self, lines: str) -> None:
        """Log why there is no answer."""
        for line in lines.rstrip("\n").split("\n"):
            self._output.write(logging.ERROR, line.encode(errors="backslashreplace"))


def _text(lines: OutputLines) -> TextIO:
    # Without a buffer: what a function has printed is out when its process is killed.
    return io.TextIOWrapper(lines, encoding="utf-8", errors="backslashreplace", newline="\n", write_through=True)  # type: ignore[type-var]
