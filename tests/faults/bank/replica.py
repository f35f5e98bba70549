"""A copy of the bank's stores in a process of its own, which can be told to die in the middle of writing."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

from holdfast.stores.backend import Stores
from holdfast.stores.replica import Replica


class ReplicaProcess:
    """`python -m tests.faults.bank.replica`: follows the changelogs until it is killed."""

    def __init__(self, home: Path, brokers: str) -> None:
        self.home = home
        self._brokers = brokers
        self.process = self._started(0)

    def kill(self) -> None:
        """kill -9 at any moment, and start again."""
        self.process.kill()
        self.process.wait()
        self.process = self._started(0)

    def arm(self, writes: int) -> None:
        """Start it again so that it dies in its n-th write, with half of the changes made and nothing committed."""
        self.process.kill()
        self.process.wait()
        self.process = self._started(writes)

    def died(self, seconds: float) -> None:
        """Wait for the death that was arranged, and start again."""
        assert self.process.wait(seconds) == -signal.SIGKILL
        self.process = self._started(0)

    def stop(self) -> None:
        """End it for good."""
        self.process.terminate()
        self.process.wait(60)

    def _started(self, writes: int) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", "tests.faults.bank.replica", self._brokers, str(self.home), str(writes)]
        return subprocess.Popen(command)


def dying(writes: int) -> None:
    """Make the n-th write of a replica the last thing that this process does."""
    write, left = Replica._write, [writes]

    def half(self: Replica, txn: Any, puts: list[Any], progress: Any, meta: Any) -> None:
        left[0] -= bool(puts)
        if puts and left[0] == 0:
            write(self, txn, puts[: len(puts) // 2], progress, meta)
            os.kill(os.getpid(), signal.SIGKILL)
        write(self, txn, puts, progress, meta)

    Replica._write = half  # type: ignore[method-assign]


def main() -> None:
    """Follow the bank's changelogs until SIGTERM."""
    brokers, home, writes = sys.argv[1:]
    dying(int(writes))
    stopped = threading.Event()
    signal.signal(signal.SIGTERM, lambda number, frame: stopped.set())
    with Stores("bank", brokers, Path(home)):
        while not stopped.wait(0.2):
            pass


if __name__ == "__main__":
    main()
