"""The dashboard of a test: the same page as of an app that runs, fed by the driver batch by batch."""

from __future__ import annotations

import base64
import contextlib
import json
import tempfile
import time
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

import orjson

from holdfast.documents import Document
from holdfast.dsl.app import App
from holdfast.runtime.publish import program
from holdfast.server.dashboard.dashboard import Dashboard
from holdfast.server.server import Server
from holdfast.spark import kernel
from holdfast.stores import values
from holdfast.stores.backend import Stores
from holdfast.stores.catalog import Catalog, Store
from holdfast.stores.follower import Follower
from holdfast.stores.replica import Put
from holdfast.stores.snapshot import Progress, Snapshot
from holdfast.stores.status import Status
from holdfast.testing.kernel_driver import KernelDriver
from holdfast.topics.own_topics import dead_letter_topic
from holdfast.topics.records import Record
from holdfast.topology.graph import Topology

_NOWHERE = "127.0.0.1:9"


class ShownDriver:
    """A driver's dashboard at `url`."""

    def __init__(self, app: App, plan: Topology, types: Document, driver: KernelDriver, port: int) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="holdfast-shown-")
        self._driver, self._began = driver, _now()
        self._epoch, self._ended = -1, time.monotonic()
        self._shown: dict[str, Mapping[bytes, bytes]] = {}
        published = {"topology": plan.json(), "stores": types["stores"], "program": program(app.file, plan, types)}
        self._stores = _DriverStores(app.name, Path(self._folder.name), published)
        self._dashboard = Dashboard(self._stores, follows=False)
        self._server = Server(app, self._stores, port=port, dashboard=self._dashboard).start()
        self.update([])

    @property
    def url(self) -> str:
        """Where it is."""
        return self._server.url

    def wait(self) -> None:
        """Let somebody look at it, until Ctrl-C."""
        print(f"the test is shown at {self.url}; Ctrl-C goes on", flush=True)
        with contextlib.suppress(KeyboardInterrupt):
            while True:
                time.sleep(3600)

    def stop(self) -> int:
        """Show it no more; gives the port that is free again."""
        port = int(self.url.rpartition(":")[2])
        self._server.stop()
        self._folder.cleanup()
        return port

    def update(self, outputs: list[Document]) -> None:
        """Show what a batch has done."""
        self._epoch += 1
        stores = self._stores.catalog.stores.values()
        puts = [put for store in stores for put in self._changes(store)]
        self._stores.replica.apply(puts, {}, {"epoch": str(self._epoch).encode()})
        letters = [each for each in outputs if each["topic"] == dead_letter_topic(self._stores.app)]
        for number, each in enumerate(letters):
            self._dashboard.letters.add(_record(each, self._epoch * 1000 + number))
        self._dashboard.add(self._figures())
        self._dashboard.look()

    def _changes(self, store: Store) -> list[Put]:
        """What differs from what was shown before."""
        read = values.converter(store.key)
        content = json.loads(kernel.call(lambda: self._driver.store(store.name)))
        now = {store.keys.encode(read(key)): orjson.dumps(value) for key, value in content}
        before, self._shown[store.name] = self._shown.get(store.name, {}), now
        changed = {key: value for key, value in now.items() if before.get(key) != value}
        gone = dict.fromkeys(before.keys() - now.keys())
        return [Put(store.name, key, value, epoch=self._epoch) for key, value in (changed | gone).items()]

    def _figures(self) -> Document:
        """Telemetry as an app publishes it; an epoch is a batch of the test, from the end of the one before."""
        counted: Document = json.loads(kernel.call(self._driver.measured))
        now, ended = _now(), time.monotonic()
        millis, self._ended = int((ended - self._ended) * 1000), ended
        at = datetime.fromtimestamp((now - millis) / 1000, UTC).isoformat()
        taken = counted.get("taken", {})
        nodes = self._stores.catalog.topology["nodes"] if self._stores.catalog.topology else []
        read = {topic: taken.get(node["id"], 0) for node in nodes for topic in node.get("topics", ())}
        return {
            "v": 1, "at": now, "run": "test", "began": self._began, "mode": "test", "status": "test", "problem": None,
            "epoch": self._epoch, "records": read, "taken": taken, "by_input": counted.get("by_input", {}),
            "busy": {node: spent / 1e9 for node, spent in counted.get("busy", {}).items()},
            "source_time": {node: millis / 1000 for node, millis in counted.get("source_time", {}).items()},
            "late": counted.get("late", {}), "skipped": counted.get("skipped", {}),
            "last": [{"epoch": self._epoch, "at": at, "ms": millis, "records": 0, "phases": {}}],
        }  # fmt: skip


class _DriverFollower(Follower):
    """Follows nothing: the driver writes what there is."""

    alive = True
    stuck = None

    def start(self) -> None:
        """There is nothing to follow."""

    def publish(self, document: Document) -> None:
        """Take the program as if its app had published it."""
        self._state.catalog = self._state.catalog.updated(b"topology", orjson.dumps(document))

    def status(self, snapshot: Snapshot) -> Status:
        """Everything is there."""
        lag: dict[str, int | None] = dict.fromkeys(self.catalog.stores, 0)
        return Status(True, (), "test", lag, snapshot.epoch, snapshot.epoch or 0)


class _DriverStores(Stores):
    """The stores of a driver as a server reads them."""

    def __init__(self, app: str, folder: Path, published: Document) -> None:
        super().__init__(app, _NOWHERE, folder)
        follower = _DriverFollower(app, self.replica, self.kafka)
        follower.publish(published)
        self.follower = follower
        for store in self.catalog.stores.values():
            self.replica.rebuild(store.name, Progress(store.changelog, "test", store.key, store.value))

    @property
    def catalog(self) -> Catalog:
        """The driver's program."""
        return self.follower.catalog


def _record(found: Document, offset: int) -> Record:
    headers = tuple((name, _bytes(text)) for name, text in found["headers"])
    key, value = _bytes(found["key"]), _bytes(found["value"])
    return Record(found["topic"], key, value, found["timestamp"], headers, 0, offset)


def _bytes(text: str | None) -> bytes | None:
    return None if text is None else base64.b64decode(text)


def _now() -> int:
    return int(time.time() * 1000)
