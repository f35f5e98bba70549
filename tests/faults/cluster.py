"""A standalone Spark cluster of processes on this machine that share nothing with the app."""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path
from types import TracebackType

from holdfast.spark import authentication, jars
from holdfast.spark.java import find_java
from tests.eventually import eventually

PACKAGE = "org.apache.spark.deploy"
SECRET = "a-secret-of-the-cluster"


def clean_environment() -> dict[str, str]:
    """Nothing in it leads to the checkout or to this environment."""
    kept = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "VIRTUAL_ENV")}
    home = {"SPARK_HOME": str(jars.pyspark_jars().parent), "JAVA_HOME": str(find_java().path.resolve().parents[1])}
    small = "-Dspark.master.rest.enabled=false -XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
    return {**kept, **home, "SPARK_DAEMON_MEMORY": "256m", "SPARK_DAEMON_JAVA_OPTS": small}


class Daemon:
    """One process of the cluster, with a directory and a log of its own."""

    def __init__(self, folder: Path, main: str, *arguments: str) -> None:
        folder.mkdir(parents=True)
        self.log = folder / "log"
        command = [jars.pyspark_jars().parent / "bin" / "spark-class", main, *arguments]
        with self.log.open("w") as log:
            self.process = subprocess.Popen(
                command, cwd=folder, env=clean_environment(), stdout=log, stderr=log, stdin=subprocess.DEVNULL
            )

    def said(self, pattern: str) -> str:
        """Wait for a line of its log and give what the pattern's group found."""

        def written() -> str:
            text = self.log.read_text()
            assert self.process.poll() is None, text
            return text

        text = eventually(written, lambda log: re.search(pattern, log), seconds=120, what=pattern)
        return re.findall(pattern, text)[0]

    def executors(self) -> list[int]:
        """The processes in which a worker runs tasks."""
        pid = self.process.pid
        children = Path(f"/proc/{pid}/task").glob("*/children")
        return [int(child) for each in children for child in each.read_text().split() if _is_executor(child)]

    def stop(self) -> None:
        """End it, and what it runs."""
        self.process.terminate()
        self.process.wait(60)


class Cluster:
    """A master and some workers, each for one executor with so many cores."""

    def __init__(self, home: Path, workers: int = 1, cores: int = 2) -> None:
        home.mkdir(parents=True, exist_ok=True)
        self.secret = home / "secret"
        self.secret.write_text(SECRET)
        known = {**authentication.ENCRYPTED, authentication.SECRET: SECRET}
        (home / "spark.conf").write_text("".join(f"{name} {value}\n" for name, value in known.items()))
        own = ["--properties-file", str(home / "spark.conf")]
        any_port = ["--host", "127.0.0.1", "--webui-port", "0", *own]
        self.work = home / "work"
        self.master = Daemon(home / "master", f"{PACKAGE}.master.Master", *any_port, "--port", "0")
        self.url = self.master.said(r"Starting Spark master at (spark://\S+)")
        self._home = home
        self._options = [*any_port, "--cores", str(cores), "--memory", "1g", "--work-dir", str(self.work)]
        self._started = 0
        self.workers: list[Daemon] = []
        self.add(workers)

    def add(self, count: int = 1) -> None:
        """Let more workers come."""
        before = len(self.workers)
        for _ in range(count):
            self._started += 1
            place = self._home / f"worker{self._started}"
            self.workers.append(Daemon(place, f"{PACKAGE}.worker.Worker", *self._options, self.url))
        for worker in self.workers[before:]:
            worker.said(r"(Successfully registered) with master")

    def remove(self, worker: Daemon) -> None:
        """Let a worker go, and its executor with it."""
        self.workers.remove(worker)
        worker.stop()

    @property
    def variables(self) -> dict[str, str]:
        """What an app must know to be let in."""
        return {"HOLDFAST_SPARK": json.dumps({authentication.SECRET: f"file:{self.secret}"})}

    def executors(self) -> list[int]:
        """The processes in which tasks run."""
        return [executor for worker in self.workers for executor in worker.executors()]

    def stop(self) -> None:
        """End all of it."""
        for daemon in [*self.workers, self.master]:
            daemon.stop()

    def __enter__(self) -> Cluster:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.stop()


def _is_executor(pid: str) -> bool:
    try:
        return "CoarseGrainedExecutorBackend" in Path(f"/proc/{pid}/cmdline").read_text()
    except OSError:
        return False
