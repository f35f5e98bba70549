"""A replica that is being restored says how far it is, and about how long the rest takes."""

import httpx
import pytest

from holdfast.server.server import Server
from holdfast.stores.backend import Stores
from holdfast.stores.connection import Connection
from tests.eventually import eventually
from tests.stores.publisher import Publisher

pytestmark = pytest.mark.broker


def figures(text):
    return {
        line.split()[0]: float(line.split()[1]) for line in text.splitlines() if line.startswith("holdfast_restore")
    }


def test_ready_stores_and_metrics_say_how_far_a_restore_is(broker, tmp_path, monkeypatch):
    app = Publisher(broker.address).publish(numbers=("long", "long"))
    app.put("numbers", [(n, n) for n in range(1000)], epoch=1)
    apply, taken = Connection._apply, []

    def some(connection, polled):
        """As much as there is of the program, and half of the records."""
        kept = [each for each in polled.changes if each.partition.topic.endswith("-meta") or each.offset < 100]
        taken.extend(each for each in polled.changes if each not in kept)
        polled.changes[:] = kept
        polled.ends = {partition: end for partition, end in polled.ends.items() if partition.topic.endswith("-meta")}
        apply(connection, polled)

    monkeypatch.setattr(Connection, "_apply", some)
    stores = Stores(app.name, broker.address, tmp_path / "state")
    with Server(None, stores, port=0) as server, httpx.Client(base_url=server.url, timeout=20) as http:
        said = eventually(
            lambda: http.get("/ready").json()["error"]["message"], until=lambda text: "300 of 1,000 records" in text
        )
        assert "(30 %)" in said
        restoring = http.get("/stores").json()["restoring"]
        assert (restoring["records"], restoring["of"]) == (300, 1000)
        assert figures(http.get("/metrics").text)["holdfast_restore_records"] == 700
        assert len(taken) == 700
    monkeypatch.undo()
    stores = Stores(app.name, broker.address, tmp_path / "state")
    with Server(None, stores, port=0) as server, httpx.Client(base_url=server.url, timeout=20) as http:
        stores.wait_ready(60)
        assert stores.follower.restores == {}  # it went on from its file
        assert http.get("/stores").json()["restoring"] is None
        assert figures(http.get("/metrics").text) == {"holdfast_restore_records": 0.0, "holdfast_restore_seconds": 0.0}
        assert http.get("/stores/numbers/count").json() == {"count": 1000}
