"""`holdfast run` in a process of its own, with a server, for apps that keep a store of teams."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.eventually import eventually


class Run:
    """The process, and what its server says of the teams."""

    def __init__(self, app: Path, brokers: str, port: int, *more: str) -> None:
        command = [sys.executable, "-m", "holdfast.cli.main", "run", str(app), "--brokers", brokers]
        self.process = subprocess.Popen(
            [*command, "--serve", "--port", str(port), *more], stderr=subprocess.PIPE, text=True, start_new_session=True
        )
        self.url = f"http://127.0.0.1:{port}"

    def teams(self) -> dict[str, Any]:
        """The store, or nothing while the server does not answer."""
        try:
            with urllib.request.urlopen(f"{self.url}/stores/teams", timeout=5) as answer:
                return {each["key"]: each["value"] for each in json.load(answer)["entries"]}
        except OSError:
            return {}

    def has(self, count: int) -> bool:
        """Whether so many events are counted."""
        return bool(sum(team["n"] for team in self.teams().values()) >= count)

    def wait_for(
        self, condition: Callable[[], bool], seconds: float = 300, more: Callable[[], object] = lambda: ""
    ) -> None:
        """Wait until it holds; the process must not end meanwhile."""

        def holds() -> bool:
            assert self.process.poll() is None, self.process.stderr and self.process.stderr.read()
            return condition()

        try:
            eventually(holds, seconds=seconds)
        except AssertionError as problem:
            problem.add_note(f"{self.teams()}; {more()}")
            raise

    def jvm(self) -> int:
        """The process of its JVM."""
        children = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text().split()
        return next(int(pid) for pid in children if "java" in Path(f"/proc/{pid}/cmdline").read_text())

    def kill(self) -> None:
        """End it and all of its children at once, if it still runs."""
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.communicate()

    def stop(self) -> str:
        """Ask it to end; gives what it said."""
        self.process.send_signal(signal.SIGTERM)
        said = self.process.communicate(timeout=180)[1]
        assert self.process.returncode == 0, said
        return said
