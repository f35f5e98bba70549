"""What a subscriber gets: the store at first, then every epoch, without a gap and without a repeat."""

import json
import threading

import httpx
import pytest

import holdfast as hf
from holdfast.server import consistency
from holdfast.server.server import Server
from holdfast.stores.backend import Stores
from tests.stores.publisher import Publisher

pytestmark = pytest.mark.broker


@pytest.fixture
def app(broker):
    publisher = Publisher(broker.address)
    program = hf.App(publisher.name)
    program.stream("clicks", str, key=str).group_by_key().count(store="counts")
    publisher.publish(program.topology.json()["nodes"], counts=("string", "long"))
    publisher.put("counts", [("a", 1), ("b", 2), ("c", 3)], epoch=1)
    return publisher


@pytest.fixture
def server(app, tmp_path):
    stores = Stores(app.name, app.brokers, tmp_path / "state")
    with Server(None, stores, port=0) as server:
        stores.wait_ready(90)
        yield server


class Events:
    """Server-sent events, read one by one."""

    def __init__(self, url, store="counts", headers=None, **parameters):
        self._client = httpx.Client(base_url=url, timeout=30)
        self._open = self._client.stream("GET", f"/stores/{store}/changes", params=parameters, headers=headers)
        self.response = self._open.__enter__()
        self._lines = self.response.iter_lines()

    def next(self):
        fields = {}
        for line in self._lines:
            if line.startswith(":"):
                continue
            if not line and fields:
                return fields["event"], fields.get("id"), json.loads(fields["data"])
            if line:
                name, _, value = line.partition(": ")
                fields[name] = value
        raise EOFError

    def until(self, epoch):
        """All changes up to an epoch, in the order of epochs and keys."""
        found = []
        while True:
            _, _, data = self.next()
            found += [(data["epoch"], each["key"], each["value"]) for each in data["changes"]]
            if data["epoch"] >= epoch:
                return sorted(found)

    def close(self):
        self._open.__exit__(None, None, None)
        self._client.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


def pairs(entries):
    return {each["key"]: each["value"] for each in entries}


def test_the_store_and_then_what_changes(app, server):
    with Events(server.url) as events:
        assert events.response.headers["content-type"].startswith("text/event-stream")
        kind, id_, data = events.next()
        assert (kind, id_, pairs(data["entries"])) == ("snapshot", None, {"a": 1, "b": 2, "c": 3})
        assert events.next() == ("epoch", "1", {"epoch": 1, "id": "1", "changes": []})
        app.put("counts", [("a", 5), ("b", None)], epoch=2)
        kind, id_, data = events.next()
        assert (kind, id_, pairs(data["changes"])) == ("epoch", "2", {"a": 5, "b": None})


def test_an_epoch_without_changes_is_a_mark(app, server):
    with Events(server.url, key="c") as events:
        assert pairs(events.next()[2]["entries"]) == {"c": 3}
        events.next()
        app.put("counts", [("a", 5)], epoch=2)
        assert events.next() == ("epoch", "2", {"epoch": 2, "id": "2", "changes": []})
        app.put("counts", [("c", 6)], epoch=3)
        assert events.next() == ("epoch", "3", {"epoch": 3, "id": "3", "changes": [{"key": "c", "value": 6}]})


def test_several_keys(app, server):
    with Events(server.url, key=["a", "c", "none"]) as events:
        assert pairs(events.next()[2]["entries"]) == {"a": 1, "c": 3}
        events.next()
        app.put("counts", [("a", 2), ("b", 3), ("none", 4)], epoch=2)
        assert pairs(events.next()[2]["changes"]) == {"a": 2, "none": 4}


@pytest.mark.parametrize("span", [{"from": "b"}, {"prefix": "b"}, {"from": "b", "to": "bz"}])
def test_a_range(app, server, span):
    with Events(server.url, **span) as events:
        assert "a" not in pairs(events.next()[2]["entries"])
        events.next()
        app.put("counts", [("a", 2), ("bb", 3)], epoch=2)
        assert pairs(events.next()[2]["changes"]) == {"bb": 3}


def test_an_empty_store(app, broker, tmp_path):
    publisher = Publisher(broker.address)
    publisher.publish(counts=("string", "long"))
    publisher.put("counts", [], epoch=1)
    stores = Stores(publisher.name, publisher.brokers, tmp_path / "empty")
    with Server(None, stores, port=0) as server:
        stores.wait_ready(90)
        with Events(server.url) as events:
            assert events.next() == ("epoch", "1", {"epoch": 1, "id": "1", "changes": []})


def test_who_comes_back_goes_on_where_it_was(app, server):
    with Events(server.url) as events:
        events.next()
        assert events.next()[1] == "1"
    for epoch in (2, 3, 4):
        app.put("counts", [("a", epoch), (f"k{epoch}", epoch)], epoch=epoch)
    with Events(server.url, headers={"Last-Event-ID": "1"}) as events:
        assert events.until(4) == [(n, key, n) for n in (2, 3, 4) for key in ("a", f"k{n}")]
    with Events(server.url, after="3") as events:
        assert events.until(4) == [(4, "a", 4), (4, "k4", 4)]


def test_another_server_goes_on_too(app, server, tmp_path):
    stores = Stores(app.name, app.brokers, tmp_path / "other")
    with Server(None, stores, port=0) as other:
        stores.wait_ready(90)
        app.put("counts", [("a", 9)], epoch=2)
        with Events(server.url, after="1") as events:
            assert events.until(2) == [(2, "a", 9)]
        with Events(other.url, after="1") as events:
            assert events.until(2) == [(2, "a", 9)]


def test_a_server_that_was_started_again_goes_on(app, tmp_path):
    for epoch in (2, 3):
        stores = Stores(app.name, app.brokers, tmp_path / "again")
        with Server(None, stores, port=0) as server:
            stores.wait_ready(90)
            app.put("counts", [("a", epoch)], epoch=epoch)
            with Events(server.url, after=str(epoch - 1)) as events:
                assert events.until(epoch) == [(epoch, "a", epoch)]


def test_a_server_that_stops_ends_its_subscriptions(app, tmp_path, caplog):
    stores = Stores(app.name, app.brokers, tmp_path / "stopped")
    server = Server(None, stores, port=0).start()
    try:
        stores.wait_ready(90)
        events = Events(server.url)
        assert [events.next()[0] for _ in range(2)] == ["snapshot", "epoch"]
    finally:
        server.stop()
    with pytest.raises(EOFError):  # all that was sent has an end; a connection that breaks is another error
        events.next()
    assert not [record for record in caplog.records if record.levelname == "ERROR"]


def test_what_is_gone_is_said(app, server, monkeypatch):
    monkeypatch.setattr(consistency, "TIMEOUT", 0.1)
    refused = httpx.get(f"{server.url}/stores/counts/changes", headers={"Last-Event-ID": "0"})
    assert refused.status_code == 410
    assert refused.json()["error"]["code"] == "history_gone"
    assert "what is known begins behind epoch 1" in refused.json()["error"]["message"]
    ahead = httpx.get(f"{server.url}/stores/counts/changes", params={"after": "99"})
    assert ahead.status_code == 410


def test_an_app_that_begins_again_ends_subscriptions(app, server):
    app.put("counts", [("a", 2)], epoch=7)
    with Events(server.url) as events:
        assert events.next()[0] == "snapshot"
        while events.next()[2]["epoch"] < 7:
            pass
        app.put("counts", [("a", 3)], epoch=0)
        kind, _, data = events.next()
        assert (kind, data["error"]["code"]) == ("error", "history_gone")


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("after=-1", "'-1' is no epoch"),
        ("key=a&prefix=b", "key and a range are both given"),
        ("limit=3", "unknown query parameter 'limit'"),
        ("from=a&from=b", "given twice"),
    ],
)
def test_what_cannot_be_meant_is_refused(server, query, said):
    refused = httpx.get(f"{server.url}/stores/counts/changes?{query}")
    assert refused.status_code == 400
    assert said in refused.json()["error"]["message"]


def test_a_json_object_per_line(app, server):
    wanted = {"Accept": "application/x-ndjson"}
    with httpx.stream("GET", f"{server.url}/stores/counts/changes", headers=wanted, timeout=30) as response:
        assert response.headers["content-type"].startswith("application/x-ndjson")
        lines = response.iter_lines()
        assert pairs(json.loads(next(lines))["entries"]) == {"a": 1, "b": 2, "c": 3}
        assert json.loads(next(lines)) == {"epoch": 1, "id": "1", "changes": []}
        app.put("counts", [("a", 2)], epoch=2)
        assert json.loads(next(lines)) == {"epoch": 2, "id": "2", "changes": [{"key": "a", "value": 2}]}


def test_the_snapshot_and_the_changes_give_the_store_whatever_comes_meanwhile(app, server):
    """Snapshots that begin while epochs come: after each mark a subscriber has exactly what the store had."""
    model = {"a": 1, "b": 2, "c": 3}
    history = {1: dict(model)}
    stop = threading.Event()

    def write():
        for epoch in range(2, 40):
            changes = [(f"k{(epoch * n) % 50}", None if (epoch + n) % 3 == 0 else epoch) for n in range(1, 40)]
            for key, value in changes:
                model.pop(key, None) if value is None else model.__setitem__(key, value)
            history[epoch] = dict(model)
            app.put("counts", changes, epoch=epoch)
        stop.set()

    writer = threading.Thread(target=write)
    writer.start()
    seen = 0
    while not stop.is_set():
        with Events(server.url) as events:
            state = {}
            while True:
                kind, _, data = events.next()
                if kind == "snapshot":
                    state |= pairs(data["entries"])
                    continue
                state = {k: v for k, v in (state | pairs(data["changes"])).items() if v is not None}
                assert state == history[data["epoch"]]
                seen += 1
                if seen % 3 == 0 or stop.is_set():
                    break
    writer.join()
    assert seen


def test_who_asks_for_the_head_alone_subscribes_to_nothing(app, server):
    with httpx.Client(base_url=server.url, timeout=5) as client:
        head = client.head("/stores/counts/changes")
        assert head.headers["content-type"].startswith("text/event-stream")
        assert client.get("/stores/counts/count").json() == {"count": 3}


def test_who_was_further_than_this_server_waits_for_it(app, server):
    later = threading.Timer(0.5, app.put, ("counts", [("a", 2)]), {"epoch": 2})
    last = threading.Timer(1, app.put, ("counts", [("a", 3)]), {"epoch": 3})
    for timer in (later, last):
        timer.start()
    with Events(server.url, after="2") as events:
        assert events.response.status_code == 200
        assert events.until(3) == [(3, "a", 3)]
    last.join()


def test_a_store_that_goes_away_ends_its_subscriptions(app, server):
    app.publish(others=("string", "long"))
    app.put("others", [("x", 1)], epoch=2)
    with Events(server.url) as events:
        while events.next()[0] != "epoch":
            pass
        del app.stores["counts"]
        app.publish()
        app.put("others", [("x", 2)], epoch=3)
        while (event := events.next())[0] == "epoch":
            pass
        assert (event[0], event[2]["error"]["code"]) == ("error", "history_gone")


def test_subscribers_are_counted_and_are_no_requests(app, server):
    with Events(server.url) as events:
        events.next()
        figures = httpx.get(f"{server.url}/metrics").text
        assert "holdfast_subscribers 1.0" in figures
        assert "holdfast_requests_in_progress 1.0" in figures
