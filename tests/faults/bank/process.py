"""The processes of an app: `holdfast run`, its JVM, and what they said at their end."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from holdfast.ops.processes import Process
from tests.eventually import eventually
from tests.faults.cluster import SECRET


def gone(pid: int, seconds: float = 60) -> bool:
    """Whether a process ends within so many seconds."""
    process = Process.of(pid)
    return eventually(lambda: not process.alive(), seconds=seconds, what=f"the end of process {pid}")


@dataclass(frozen=True)
class Setup:
    """Where and how an app runs; `width` is the number of partitions of an exchange, if it is said."""

    brokers: str
    master: str
    environment: Mapping[str, str] = field(default_factory=dict)
    width: int | None = None

    def spark(self, fault: str) -> dict[str, str]:
        """Spark's settings."""
        width = {} if self.width is None else {"spark.sql.shuffle.partitions": str(self.width)}
        return {**width, **({} if self.master.startswith("local") else _on_cluster(fault))}


class Run:
    """One life of an app."""

    def __init__(self, home: Path, app: Path, setup: Setup) -> None:
        self.home = home
        self.log = home / "run.log"
        self.order = home / "fault"
        self.order.unlink(missing_ok=True)
        self.struck = Path(f"{self.order}.struck")
        self.struck.unlink(missing_ok=True)  # which lets go what a zombie waits for
        command = [sys.executable, "-m", "holdfast.cli.main", "run", str(app), "--brokers", setup.brokers]
        command += ["--state-dir", str(home / "state"), "--master", setup.master]
        fault = f"-Dholdfast.fault.file={self.order}"
        spark = {"spark.local.dir": str(home / "local"), **setup.spark(fault)}
        settings = {
            "HOLDFAST_SPARK": json.dumps(spark),
            "HOLDFAST_MAX_RECORDS": "2000",
            "JAVA_TOOL_OPTIONS": f"{fault} -XX:TieredStopAtLevel=1",
            **setup.environment,
        }
        with self.log.open("a") as log:
            self._begin = log.tell()
            self.process = subprocess.Popen(
                command, env={**os.environ, **settings}, stdout=log, stderr=log, start_new_session=True
            )

    def arm(self, point: str, times: int, *, hold: bool = False) -> None:
        """Let a JVM end, or wait, when it passes a point for the n-th time from now on."""
        self.struck.unlink(missing_ok=True)
        written = self.order.with_suffix(".partial")
        written.write_text(f"{point}:{times}" + (":hold" if hold else ""))
        written.replace(self.order)

    def has_struck(self) -> bool:
        """Whether a JVM has come to the point."""
        return self.struck.exists()

    def let_go(self) -> None:
        """Let the JVM go on that waits at the point."""
        self.struck.unlink()

    @property
    def alive(self) -> bool:
        """Whether the Python process runs."""
        return self.process.poll() is None

    def jvm(self, seconds: float = 60) -> int:
        """The process of the JVM, once there is one."""
        return eventually(self._jvm, seconds=seconds, what="the JVM") or 0

    def _jvm(self) -> int | None:
        assert self.alive, f"no JVM: {self.said()}"
        pid = self.process.pid
        for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split():
            if "PythonGatewayServer" in Path(f"/proc/{child}/cmdline").read_text():
                return int(child)
        return None

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
        """Wait for the end and give its status; a message and no traceback must say why."""
        status = self.process.wait(seconds)
        assert "Traceback" not in self.said(), self.said()
        return status

    def said(self) -> str:
        """What it has written on the terminal."""
        with self.log.open() as log:
            log.seek(self._begin)
            return log.read()


def _on_cluster(fault: str) -> dict[str, str]:
    """An executor that does not answer is soon given up, so that one that was only stopped comes back as a zombie."""
    return {
        "spark.driver.host": "127.0.0.1",
        "spark.authenticate.secret": SECRET,
        "spark.executor.memory": "600m",
        "spark.executor.cores": "1",
        "spark.executor.extraJavaOptions": f"{fault} -XX:TieredStopAtLevel=1",
        "spark.executor.heartbeatInterval": "2s",
        "spark.network.timeout": "15s",
        "spark.network.timeoutInterval": "5s",
    }
