"""A program under trial: its broker, its app, its reader and its query server, kept going whatever strikes."""

from __future__ import annotations

import random
import shutil
import time
from pathlib import Path
from types import TracebackType

from holdfast.ops.broker import Broker
from holdfast.ops.ports import is_free
from holdfast.runtime.checkpoint import unfinished_epoch
from holdfast.topics.admin import Topics
from tests.eventually import eventually
from tests.faults.bank.copies import Copies
from tests.faults.bank.disk import Disk
from tests.faults.bank.power import Power
from tests.faults.bank.process import Run, Setup
from tests.faults.bank.proxy import HOST, Proxy
from tests.faults.bank.reader import Reader
from tests.faults.bank.replica import ReplicaProcess
from tests.faults.bank.subject import Subject
from tests.faults.cluster import Cluster
from tests.ports import lasting_port

INSTALMENT = 60
WORKERS = 3
CORES = 2
ATTEMPTS = 5
SECONDS = 240.0


class Trial:
    """Everything that belongs to one trial, in one directory."""

    def __init__(self, home: Path, seed: int, subject: Subject, pause: float = 20, workers: int = 0) -> None:
        self.home = home
        self.random = random.Random(seed)
        self.subject = subject
        self.pause = pause
        self.seconds = SECONDS
        self.restarts = 0
        self.attempts = 0
        self.cores = CORES
        self.width: int | None = None
        self.disk = Disk(home / "state")
        self.app = home / "state" / subject.name
        self.power = Power(home, self.app)
        self.copies = Copies(home / "copies", self.app)
        self._ports = [lasting_port() for _ in range(3)]
        self.restart_broker()
        self.brokers = self.broker.address
        self.proxy = Proxy(self._ports[2], self._ports[1], seed)
        self.topics = Topics(self.brokers)
        self.reader = Reader(self.brokers, subject)
        self.topics.ensure(subject.topics)
        self.topics.produce(subject.opening())
        self.cluster = Cluster(home / "cluster", workers, cores=1) if workers else None
        self.run = self._started()
        self.replica = ReplicaProcess(home / "replica", self.brokers, subject.file) if subject.stateful else None

    def feed(self, count: int = INSTALMENT) -> None:
        """Write some more input."""
        self.topics.produce(self.subject.next(count))

    def behind(self) -> int:
        """How many records of the output are missing yet."""
        self.reader.poll()
        return self.subject.missing(self.reader.read)

    def caught_up(self) -> None:
        """Wait until all output is there, and start the app again if it has ended."""
        deadline = time.monotonic() + self.seconds
        while missing := self.behind():
            self.revive()
            if time.monotonic() > deadline:
                wrong = self.subject.audit(self.reader.read, self.brokers, [])
                raise AssertionError("\n".join([f"{missing} records do not come within {self.seconds:.0f} s", *wrong]))
            time.sleep(0.05)
        # A fault behind the last transaction of an epoch leaves nothing to wait for, and no app for the next fault.
        self.revive()
        if self.replica is not None:
            assert self.replica.total() in (0, None), "the query server shows half an epoch"

    def idle(self) -> None:
        """Wait until the app has committed the epoch that it works on."""
        eventually(lambda: unfinished_epoch(self.app / "checkpoint"), lambda epoch: epoch is None, what="its commit")

    def failed_tasks(self) -> list[str]:
        """The tasks that failed, as Spark's log has them."""
        log = self.app / "logs" / "spark.log"
        return [line for line in log.read_text().splitlines() if "Lost task" in line]

    def revive(self) -> None:
        """Start the app, unless it runs; one that ended by itself must have said why in words."""
        if not self.run.alive:
            assert "Traceback" not in self.run.said(), self.run.said()
            self.attempts = 0 if "epoch" in self.run.said() else self.attempts + 1
            assert self.attempts < ATTEMPTS, f"it does not come up any more: {self.run.said()}"
            self.restarts += 1
            self.run = self._started()

    def audit(self) -> list[str]:
        """Touch everything once more; then compare it with the model and give what differs."""
        self.revive()
        self.topics.produce(self.subject.sweep())
        self.caught_up()
        self.run.stop()
        copies = []
        if self.replica is not None:
            self.replica.stop()
            copies.append(self.replica.home)
        self.reader.poll()
        return self.subject.audit(self.reader.read, self.brokers, copies)

    def restart_broker(self) -> None:
        """Start the broker again where it was, when the one that was killed has let go of its ports."""
        port, behind, shown = self._ports
        eventually(lambda: is_free(port) and is_free(behind), what=f"ports {port} and {behind} to be free")
        settings = {
            "listeners": f"SLOW://{HOST}:{behind}",
            "advertised.listeners": f"SLOW://{HOST}:{shown}",
            "listener.security.protocol.map": "SLOW:PLAINTEXT",
        }
        self.broker = Broker(self.home, port=port, settings=settings).start()

    def __enter__(self) -> Trial:
        return self

    def begin(self) -> None:
        """Wait until the app has done its first work."""
        self.feed()
        self.caught_up()

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        for process in [self.run.process, *([self.replica.process] if self.replica else [])]:
            process.kill()
            process.wait()
        if self.cluster is not None:
            self.cluster.stop()
        self.reader.close()
        self.proxy.close()
        self.broker.stop()
        if kind is not None:
            shutil.copytree(self.home / "state", self.home / "state-kept", dirs_exist_ok=True)
        self.disk.close()

    def _started(self) -> Run:
        self.power.on()
        brokers = f"{HOST}:{self._ports[2]}"
        if self.cluster is None:
            return Run(self.home, self.subject.file, Setup(brokers, f"local[{self.cores}]", self.power.environment()))
        return Run(self.home, self.subject.file, Setup(brokers, self.cluster.url, width=self.width))
