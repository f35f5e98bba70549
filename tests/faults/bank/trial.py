"""A bank under trial: its broker, its app, its reader and its query server, kept going whatever strikes."""

from __future__ import annotations

import random
import shutil
import time
from pathlib import Path
from types import TracebackType

from holdfast.ops.broker import Broker
from holdfast.ops.ports import choose_port, is_free
from holdfast.topics.admin import Topics
from tests.faults.bank.audit import audit
from tests.faults.bank.disk import Disk
from tests.faults.bank.ledger import TOPICS, Ledger
from tests.faults.bank.process import Run
from tests.faults.bank.reader import Reader
from tests.faults.bank.replica import ReplicaProcess
from tests.faults.cluster import Cluster

INSTALMENT = 60
WORKERS = 3
ATTEMPTS = 5


class Trial:
    """Everything that belongs to one trial, in one directory."""

    def __init__(self, home: Path, seed: int, accounts: int, pause: float = 20, cluster: bool = False) -> None:
        self.home = home
        self.random = random.Random(seed)
        self.ledger = Ledger(seed, accounts)
        self.pause = pause
        self.restarts = 0
        self.attempts = 0
        self.disk = Disk(home / "state")
        self.port = choose_port()
        self.broker = Broker(home, port=self.port).start()
        self.brokers = self.broker.address
        self.topics = Topics(self.brokers)
        self.reader = Reader(self.brokers)
        self.topics.ensure(TOPICS)
        self.topics.produce(self.ledger.opening())
        self.cluster = Cluster(home / "cluster", WORKERS, cores=1) if cluster else None
        self.run = self._started()
        self.replica = ReplicaProcess(home / "replica", self.brokers)

    def feed(self, transfers: int = INSTALMENT) -> None:
        """Write some transfers."""
        self.topics.produce(self.ledger.next(transfers))

    def behind(self) -> int:
        """How many transfers have no receipt yet."""
        self.reader.poll()
        return self.ledger.transfers - len(self.reader.read["receipts"])

    def caught_up(self) -> None:
        """Wait until there is a receipt for every transfer, and start the app again if it has ended."""
        self.reader.wait("receipts", self.ledger.transfers, self.revive)
        assert self.replica.total() in (0, None), "the query server shows half an epoch"

    def revive(self) -> None:
        """Start the app, unless it runs; one that ended by itself must have told why in words."""
        if not self.run.alive:
            assert "Traceback" not in self.run.said(), self.run.said()
            self.attempts = 0 if "epoch" in self.run.said() else self.attempts + 1
            assert self.attempts < ATTEMPTS, f"it does not come up any more: {self.run.said()}"
            self.restarts += 1
            self.run = self._started()

    def audit(self) -> list[str]:
        """Touch everything once more; then compare it with the model and give what differs."""
        self.revive()
        self.topics.produce(self.ledger.sweep())
        self.caught_up()
        self.reader.wait("statements", 2 * self.ledger.transfers, self.revive)
        self.reader.wait("tickets", self.ledger.transfers, self.revive)
        self.run.stop()
        self.replica.stop()
        return audit(self.ledger, self.reader, self.brokers, [self.replica.home])

    def restart_broker(self) -> None:
        """Start the broker again where it was, when the one that was killed has let go of its port."""
        deadline = time.monotonic() + 60
        while not is_free(self.port):
            assert time.monotonic() < deadline, f"port {self.port} is taken"
            time.sleep(0.05)
        self.broker = Broker(self.home, port=self.port).start()

    def __enter__(self) -> Trial:
        return self

    def begin(self) -> None:
        """Wait until the accounts are there and the first transfers are done."""
        self.feed()
        self.caught_up()

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        for process in (self.run.process, self.replica.process):
            process.kill()
            process.wait()
        if self.cluster is not None:
            self.cluster.stop()
        self.reader.close()
        self.broker.stop()
        if kind is not None:
            shutil.copytree(self.home / "state", self.home / "state-kept", dirs_exist_ok=True)
        self.disk.close()

    def _started(self) -> Run:
        return Run(self.home, self.brokers, self.cluster.url if self.cluster else None)
