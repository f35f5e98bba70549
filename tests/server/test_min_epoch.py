"""`?min_epoch=` waits for an epoch, but not for ever."""

import threading

import httpx
import pytest

import holdfast as hf
from holdfast.server import consistency
from holdfast.server.server import Server
from holdfast.stores.backend import Stores
from tests.eventually import eventually
from tests.stores.publisher import Publisher

pytestmark = pytest.mark.broker
PATHS = ("/stores", "/stores/numbers", "/stores/numbers/count", "/stores/numbers/keys/7")


@pytest.mark.parametrize("path", PATHS)
def test_an_epoch_that_is_there(http, path):
    plain, waited = http.get(path), http.get(path, params={"min_epoch": "6"})
    assert (waited.status_code, waited.headers["holdfast-epoch"]) == (200, "6")
    assert waited.json().keys() == plain.json().keys() if isinstance(plain.json(), dict) else waited.json() == 70


@pytest.mark.parametrize("path", PATHS)
def test_an_epoch_that_does_not_come(http, path, monkeypatch):
    monkeypatch.setattr(consistency, "TIMEOUT", 0.1)
    refused = http.get(path, params={"min_epoch": "7"})
    assert refused.status_code == 504
    assert refused.json()["error"] == {
        "code": "epoch_not_reached",
        "message": "epoch 7 was not reached in 0.1 s: the copy is at epoch 6",
        "hint": "the app has not ended that epoch yet; ask again, or without min_epoch",
    }


@pytest.mark.parametrize("query", ["min_epoch=x", "min_epoch=-1", "min_epoch=", "min_epoch=1&min_epoch=2"])
def test_no_epoch(http, query):
    refused = http.get(f"/stores?{query}")
    assert (refused.status_code, refused.json()["error"]["code"]) == (400, "bad_parameter")


def test_only_where_stores_are_read(http):
    refused = http.get("/health?min_epoch=1")
    assert refused.json()["error"]["code"] == "unknown_parameter"
    assert "min_epoch" in http.get("/stores/numbers?colour=red").json()["error"]["hint"]


def test_an_epoch_that_comes_whole(broker, tmp_path):
    publisher = Publisher(broker.address).publish(left=("string", "long"), right=("string", "long"))
    app = hf.App(publisher.name)
    stores = Stores(app.name, broker.address, tmp_path)
    with Server(app, stores, port=0) as server:
        publisher.put("left", [("a", 1)], epoch=1)
        eventually(lambda: stores.status().epoch == 1)
        answers = []

        def ask():
            answers.append(httpx.get(f"{server.url}/stores/left/keys/a?min_epoch=2", timeout=30))

        asking = threading.Thread(target=ask)
        asking.start()
        publisher.put("left", [("a", 2)], epoch=2, mark=False)
        eventually(lambda: stores.status().lag["left"] == 1)
        assert httpx.get(f"{server.url}/stores/left/keys/a").json() == 1
        assert answers == []
        publisher.put("right", [("a", 2)], epoch=2)
        asking.join()
        assert (answers[0].json(), answers[0].headers["holdfast-epoch"]) == (2, "2")
