"""The wheel, installed into an empty environment outside the checkout, and `holdfast demo` run from there."""

import contextlib
import fcntl
import json
import os
import pty
import shutil
import signal
import socket
import struct
import subprocess
import sys
import termios
import threading
from collections.abc import Callable, Iterator
from importlib import metadata
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import pytest
from packaging.requirements import Requirement

from tests.eventually import eventually

ROOT = Path(__file__).parents[2]
UV = Path(sys.executable).with_name("uv")
COMMAND_SECONDS = 300
DROPPED = ("PYTHONPATH", "VIRTUAL_ENV", "HOLDFAST_BROKERS", "HOLDFAST_STATE_DIR", "HOLDFAST_URL")


def clean_environment() -> dict[str, str]:
    """The environment without what would lead back to the checkout or to another broker."""
    return {name: value for name, value in os.environ.items() if name not in DROPPED}


def call(*command: str | Path, cwd: Path, stdin: str = "", **env: str) -> str:
    """Run a command and give what it printed; one that hangs is named."""
    known = {**clean_environment(), **env}
    done = subprocess.run(
        command, cwd=cwd, env=known, input=stdin, capture_output=True, text=True, check=False, timeout=COMMAND_SECONDS
    )
    assert done.returncode == 0, f"{command}: {done.stdout}\n{done.stderr}"
    return done.stdout


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp("dist")
    call(sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", target, cwd=ROOT)
    (built,) = target.glob("*.whl")
    return built


def locked() -> list[str]:
    """The names of the distributions that an installation needs here, without those of development."""
    lines = (ROOT / "requirements.lock").read_text().splitlines()
    pins = [Requirement(line.rstrip(" \\")) for line in lines if line[:1].isalpha()]
    return [pin.name for pin in pins if pin.marker is None or pin.marker.evaluate()]


def link(name: str, target: Path) -> None:
    """A distribution of this environment, file by file, in another: Spark alone would be half a gigabyte more."""
    distribution = metadata.distribution(name)
    for file in distribution.files or ():
        if ".." in file.parts:
            continue
        source, goal = Path(str(distribution.locate_file(file))), target / file
        goal.parent.mkdir(parents=True, exist_ok=True)
        try:
            os.link(source, goal)
        except OSError:
            shutil.copy2(source, goal)


@pytest.fixture(scope="session")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The bin directory of an environment that has the wheel and its locked dependencies, nothing else."""
    home = tmp_path_factory.mktemp("installed")
    call(sys.executable, "-m", "venv", "--without-pip", home / "env", cwd=home)
    python = home / "env" / "bin" / "python"
    packages = Path(call(python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))", cwd=home).strip())
    for name in locked():
        link(name, packages)
    call(UV, "pip", "install", "-q", "--python", python, "--no-deps", wheel, cwd=home)
    call(UV, "pip", "check", "--python", python, cwd=home)
    return python.parent


def free_port() -> int:
    """A port that nobody listens on now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    return port


def descendants(pid: int) -> set[int]:
    """The processes that a process has started, and those they have."""
    try:
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except OSError:
        return set()
    return {int(child) for child in children}.union(*(descendants(int(child)) for child in children))


def alive(pid: int) -> bool:
    """Whether a process runs."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


class Demo:
    """`holdfast demo` on a pseudo-terminal of its own."""

    def __init__(self, command: Path, cwd: Path, columns: int = 100) -> None:
        self.url = f"http://127.0.0.1:{free_port()}"
        ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        self.process = subprocess.Popen(
            [command, "demo", "--port", self.url.rpartition(":")[2]], cwd=cwd, stdin=theirs, stdout=theirs,
            stderr=theirs, env={**clean_environment(), "TERM": "xterm"}, start_new_session=True,
        )  # fmt: skip
        os.close(theirs)
        self._said = bytearray()
        self._reader = threading.Thread(target=self._read, args=(ours,), daemon=True)
        self._reader.start()

    def _read(self, terminal: int) -> None:
        # The terminal's end is an error on Linux.
        with contextlib.suppress(OSError):
            while data := os.read(terminal, 65536):
                self._said += data
        os.close(terminal)

    @property
    def said(self) -> str:
        """What stood on the terminal so far."""
        return self._said.decode(errors="replace")

    def get(self, path: str) -> Any:
        """Ask the server; None while it does not answer."""
        try:
            with urlopen(self.url + path, timeout=5) as answer:
                return json.load(answer)
        except OSError:
            return None

    def wait_for(self, path: str, answer: Any) -> None:
        """Wait until the server gives this answer."""

        def seen() -> tuple[Any, str]:
            assert self.process.poll() is None, self.said
            return self.get(path), self.said

        eventually(seen, lambda both: both[0] == answer, seconds=120, what=f"{path} to be {answer}")

    def interrupt(self) -> None:
        """Press Ctrl-C; everything it started must be gone at the end, with status 0."""
        family = descendants(self.process.pid)
        assert family
        self.process.send_signal(signal.SIGINT)
        assert self.process.wait(60) == 0, self.said
        self._reader.join(10)
        eventually(lambda: [pid for pid in family if alive(pid)], lambda left: not left, seconds=10)


@pytest.fixture
def demo(installed: Path, tmp_path: Path) -> Iterator[Callable[[], Demo]]:
    """Run the installed `holdfast demo` in an empty directory."""
    started: list[Demo] = []

    def run() -> Demo:
        started.append(Demo(installed / "holdfast", tmp_path))
        return started[-1]

    yield run
    for each in started:
        if each.process.poll() is None:
            each.process.kill()
