"""The bank's processes: `holdfast run`, its JVM, and what they said at their end."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

APP = Path(__file__).with_name("app.py")


def gone(pid: int, seconds: float = 60) -> bool:
    """Whether a process has ended within so many seconds."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        try:
            if Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z":
                return True
        except OSError:
            return True
        time.sleep(0.1)
    return False


class Run:
    """One life of the app."""

    def __init__(self, home: Path, brokers: str, fault: str = "", max_records: int = 100) -> None:
        self.home = home
        self.log = home / "run.log"
        command = [sys.executable, "-m", "holdfast.cli.main", "run", str(APP), "--brokers", brokers]
        settings = {
            "HOLDFAST_SPARK": json.dumps({"spark.local.dir": str(home / "local")}),
            "HOLDFAST_MAX_RECORDS": str(max_records),
        }
        if fault:
            settings["JAVA_TOOL_OPTIONS"] = f"-Dholdfast.fault={fault}"
        with self.log.open("w") as log:
            self.process = subprocess.Popen(
                [*command, "--state-dir", str(home / "state")],
                env={**os.environ, **settings}, stdout=log, stderr=log, start_new_session=True,
            )  # fmt: skip

    @property
    def alive(self) -> bool:
        """Whether the Python process runs."""
        return self.process.poll() is None

    def jvm(self, seconds: float = 60) -> int:
        """The process of the JVM, once there is one."""
        deadline = time.monotonic() + seconds
        pid = self.process.pid
        while time.monotonic() < deadline and self.alive:
            for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split():
                if "PythonGatewayServer" in Path(f"/proc/{child}/cmdline").read_text():
                    return int(child)
            time.sleep(0.1)
        raise AssertionError(f"no JVM: {self.said()}")

    def kill(self) -> None:
        """kill -9 of the Python process; its JVM must not outlive it."""
        jvm = self.jvm()
        self.process.kill()
        self.process.wait()
        assert gone(jvm), "the JVM outlived the Python process"

    def stop(self) -> None:
        """Stop as a user would."""
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(180)
        assert self.process.returncode == 0, self.said()

    def ended(self, seconds: float = 120) -> int:
        """Wait for the end and give its status; a message and no traceback must tell why."""
        status = self.process.wait(seconds)
        assert "Traceback" not in self.said(), self.said()
        return status

    def said(self) -> str:
        """What it has written on the terminal."""
        return self.log.read_text()
