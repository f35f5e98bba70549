"""Processes by pid and start time: a pid alone may belong to another process by now."""

import os
import signal
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Process:
    """A process by its pid and the time it started."""

    pid: int
    started: str

    @staticmethod
    def of(pid: int) -> "Process":
        """Describe a running process."""
        return Process(pid, _started(pid) or "")

    @staticmethod
    def current() -> "Process":
        """Describe this process."""
        return Process.of(os.getpid())

    def alive(self) -> bool:
        """Whether this very process still runs."""
        return bool(self.started) and _started(self.pid) == self.started

    def wait(self, seconds: float) -> bool:
        """Wait until it has ended; whether it has."""
        deadline = time.monotonic() + seconds
        while self.alive():
            if time.monotonic() > deadline:
                return False
            time.sleep(0.05)
        return True

    def end(self, timeout: float = 30) -> None:
        """Ask it to stop, and kill it when it does not."""
        for request, seconds in ((signal.SIGTERM, timeout), (signal.SIGKILL, 10.0)):
            if not self.alive():
                return
            try:
                os.kill(self.pid, request)
            except ProcessLookupError:
                return
            if self.wait(seconds):
                return


def _started(pid: int) -> str | None:
    """Give the start time of a process, None when there is none or only its zombie."""
    try:
        after_name = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return None if Path("/proc/self/stat").exists() else _started_by_ps(pid)
    return None if after_name[0] in "ZX" else after_name[19]


def _started_by_ps(pid: int) -> str | None:
    done = subprocess.run(["ps", "-o", "stat=,lstart=", "-p", str(pid)], capture_output=True, text=True, check=False)
    state, _, started = done.stdout.strip().partition(" ")
    return None if not started or state.startswith("Z") else started.strip()
