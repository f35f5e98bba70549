"""A query server of the bank in a process of its own, which can be made to die in the middle of writing its copy."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

from holdfast.cli.main import main as holdfast
from holdfast.stores.replica import Replica


class ReplicaProcess:
    """`holdfast serve`: follows the changelogs and answers, until it is killed."""

    def __init__(self, home: Path, brokers: str, app: Path) -> None:
        self.home = home
        self._app = app
        self._brokers = brokers
        self._log = home.with_suffix(".log")
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

    def total(self) -> int | None:
        """All money as the server sees it now; None if it has no whole epoch to show, or does not listen yet."""
        url = re.search(r"at (http://\S+);", self._log.read_text())
        try:
            with urllib.request.urlopen(f"{url[1] if url else 'http://127.0.0.1:9'}/total", timeout=10) as answer:
                return json.load(answer) if answer.headers["Holdfast-Epoch"] is not None else None
        except urllib.error.HTTPError as refused:
            if refused.code not in (404, 503):  # not published yet, not copied yet
                raise
            return None
        except OSError:
            return None

    def stop(self) -> None:
        """End it for good."""
        self.process.terminate()
        assert self.process.wait(60) == 0, self._log.read_text()

    def _started(self, writes: int) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", "tests.faults.bank.replica", str(writes), "serve", str(self._app)]
        with self._log.open("w") as log:
            options = ["--brokers", self._brokers, "--state-dir", str(self.home), "--port", "0"]
            return subprocess.Popen(
                [*command, *options], env={**os.environ, "PYTHONUNBUFFERED": "1"}, stdout=log, stderr=log
            )


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


if __name__ == "__main__":
    dying(int(sys.argv.pop(1)))
    holdfast()
