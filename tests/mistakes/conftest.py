"""The real command line in a process of its own, and what a refusal must look like."""

import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.server.conftest import published, served

__all__ = ["published", "served"]

APP = """
import holdfast as hf
from holdfast import functions as F

app = hf.App("first")
events = app.stream("events", "name STRING NOT NULL, score INT NOT NULL, note STRING", key=str)
people = app.table("people", "city STRING NOT NULL", key=int)
"""
UNSET = ("HOLDFAST_BROKERS", "HOLDFAST_STATE_DIR", "HOLDFAST_URL", "PYTHONPATH")


@dataclass(frozen=True)
class Refusal:
    """How a command ended, and what it said."""

    status: int
    said: str

    def means(self, *words: str, status: int = 1) -> None:
        """Check that it is one message with these words and no traceback."""
        assert self.status == status, self.said
        assert "Traceback" not in self.said
        assert len([line for line in self.said.splitlines() if line.startswith("Error: ")]) == 1, self.said
        for each in words:
            assert each in self.said, f"{each!r} is not in: {self.said}"


@pytest.fixture
def no_last_broker(tmp_path: Path) -> dict[str, str]:
    """Variables for a place of the test's own to remember the broker started last; the jars are the user's."""
    cache = Path(os.environ.get("HOLDFAST_CACHE") or Path.home() / ".cache" / "holdfast")
    own = tmp_path / "cache"
    own.mkdir()
    (own / "jars").symlink_to(cache / "jars")
    return {"HOLDFAST_CACHE": str(own)}


@pytest.fixture
def holdfast(tmp_path: Path) -> Callable[..., Refusal]:
    """Run a command in the test's directory."""
    inherited = {name: value for name, value in os.environ.items() if name not in UNSET}

    def run(*arguments: object, **variables: str) -> Refusal:
        command = [sys.executable, "-m", "holdfast.cli.main", *map(str, arguments)]
        done = subprocess.run(
            command, cwd=tmp_path, env={**inherited, **variables}, capture_output=True, text=True, timeout=120,
            stdin=subprocess.DEVNULL, check=False,
        )  # fmt: skip
        return Refusal(done.returncode, done.stdout + done.stderr)

    return run


@pytest.fixture
def program(tmp_path: Path) -> Callable[[str], str]:
    """Write an app file: two sources and the given lines; gives its name."""

    def write(lines: str, name: str = "first.py") -> str:
        (tmp_path / name).write_text(APP + lines + "\n")
        return name

    return write


@pytest.fixture
def line() -> int:
    """The number of the first line that a test adds to a program."""
    return APP.count("\n") + 1
