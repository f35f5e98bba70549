"""`holdfast run` on a real terminal, on which topics get a row each while records are read."""

import fcntl
import os
import pty
import struct
import subprocess
import sys
import termios
from collections.abc import Callable
from pathlib import Path

import pytest

from holdfast.ops.broker import Broker
from holdfast.topics.admin import Topics
from holdfast.topics.records import Record

pytestmark = [pytest.mark.broker, pytest.mark.spark]

PROGRAM = """
import holdfast as hf

app = hf.App("on-screen", max_records=2000, trigger="100 ms", mode="drain")
app.stream({topic!r}, "n BIGINT", key=str).group_by_key().count(store="counts")
"""


def on_a_terminal(command: list[str], cwd: Path, columns: int = 80) -> tuple[int, str]:
    """Run a command whose output is a terminal; its status and all that it wrote there."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    env = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "LINES", "NO_COLOR")}
    with subprocess.Popen(
        command, stdin=theirs, stdout=theirs, stderr=theirs, cwd=cwd, env={**env, "TERM": "xterm"}
    ) as run:
        os.close(theirs)
        written = bytearray()
        try:
            while chunk := os.read(ours, 65536):
                written += chunk
        except OSError:  # how Linux says that nobody writes any more
            pass
        finally:
            os.close(ours)
    return run.returncode, written.decode()


def test_a_row_per_topic(broker: Broker, topics: Topics, new_topic: Callable[..., str], tmp_path: Path) -> None:
    topic = new_topic("screen")
    topics.produce(Record(topic, b"k%d" % (n % 7), b'{"n": %d}' % n) for n in range(20_000))
    topics.produce([Record(topic, b"k", b"{")])
    (tmp_path / "app.py").write_text(PROGRAM.format(topic=topic))
    command = [sys.executable, "-m", "holdfast.cli.main", "run", "app.py", "--brokers", broker.address]
    status, written = on_a_terminal(command, tmp_path)
    assert status == 0, written
    for wanted in ("topic", "behind", topic, "memory", "epoch", "batch", "starting Spark"):
        assert wanted in written, written
