"""What functions print and log: line by line, with level and function."""

import logging
import os
import struct
import subprocess
import sys
import threading

import pytest

from holdfast.workers.process.main import FAILED, READY
from holdfast.workers.process.output import LONGEST, FunctionOutput, OutputHandler, OutputLines, _text


@pytest.fixture
def written():
    """An output, and what gives the lines that it has written."""
    reading, writing = os.pipe()
    output = FunctionOutput(writing)
    output.function = b"price@1"

    def lines():
        os.close(writing)
        with os.fdopen(reading, "rb") as pipe:
            return [line[1:].rstrip(b"\n").split(b"\x1f") for line in pipe]

    return output, lines


def test_a_line_has_the_level_and_the_function(written):
    output, lines = written
    shown = _text(OutputLines(output, logging.INFO))
    print("seen", 7, file=shown)
    print("a\nb", file=shown)
    shown.buffer.write(b"raw\n")
    assert lines() == [[b"INFO", b"price@1", text] for text in (b"seen 7", b"a", b"b", b"raw")]


def test_a_line_that_was_begun_is_written_at_the_end_of_the_call(written):
    output, lines = written
    raw = OutputLines(output, logging.WARNING)
    shown = _text(raw)
    print("so far", end="", file=shown, flush=True)
    print(", so good", end="", file=shown)
    raw.end_line()
    raw.end_line()
    assert lines() == [[b"WARN", b"price@1", b"so far, so good"]]


def test_a_long_line_is_cut(written):
    output, lines = written
    print("x" * (LONGEST + 1), file=_text(OutputLines(output, logging.INFO)))
    assert [len(each[2]) for each in lines()] == [LONGEST, 1, 0]


def test_threads_do_not_mix_their_lines(written):
    output, lines = written
    shown = _text(OutputLines(output, logging.INFO))

    def say(word):
        for _ in range(50):
            shown.write(word)
            shown.write(word + "\n")

    threads = [threading.Thread(target=say, args=[word]) for word in ("a", "b", "c")]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert {each[2] for each in lines()} == {b"aa", b"bb", b"cc"}


def test_loggers_keep_their_levels_and_names(written):
    output, lines = written
    log = logging.Logger("shop.prices")
    log.addHandler(OutputHandler(output))
    log.debug("small")
    log.error("odd %s", "\ud800")
    try:
        raise ValueError("no price")
    except ValueError:
        log.exception("failed")
    found = lines()
    assert [each[0] for each in found[:3]] == [b"DEBUG", b"ERROR", b"ERROR"]
    assert [each[2] for each in found[:3]] == [
        b"shop.prices: small", b"shop.prices: odd \\ud800", b"shop.prices: failed",
    ]  # fmt: skip
    assert found[-1][2] == b"ValueError: no price"


def test_the_process_says_why_there_is_no_answer():
    """Code that cannot be loaded; the answer stays free of what is written."""
    part = lambda data: struct.pack(">i", len(data)) + data  # noqa: E731
    command = [sys.executable, "-m", "holdfast.workers.process.main"]
    ended = subprocess.run(
        command, input=part(b"price@1") + part(b"no pickle"), capture_output=True, timeout=60, check=False
    )
    assert ended.stdout[:8] == struct.pack(">ii", READY, FAILED)
    lines = ended.stderr.splitlines()
    assert lines[0] == b"\x1eERROR\x1fprice@1\x1fTraceback (most recent call last):"
    assert all(line.startswith(b"\x1eERROR\x1fprice@1\x1f") for line in lines)
