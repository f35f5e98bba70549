"""The server itself: health, topology, page, own routes, ports, an end without leftovers."""

import re
import socket
import threading

import httpx
import pytest

import holdfast as hf
from holdfast.server.server import Server
from holdfast.stores.backend import Stores
from tests.eventually import eventually
from tests.server.conftest import BOARDS
from tests.stores.publisher import Publisher

pytestmark = pytest.mark.broker


def test_every_answer_carries_the_epoch(http):
    for path in ("/", "/stores", "/health", "/ready", "/topology.json", "/leaderboard", "/mounted/x", "/nowhere"):
        assert http.get(path).headers["holdfast-epoch"] == "6"


def test_health_and_readiness(http, published):
    health = http.get("/health").json()
    assert (health["status"], health["role"], health["app"]) == ("ok", "writer", published.name)
    assert http.get("/ready").json()["ready"] is True


def test_topology_as_text_json_and_picture(http, published):
    assert http.get("/topology").text.startswith(f"Topology: {published.name}")
    assert http.get("/topology.json").json()["app"] == published.name
    picture = http.get("/topology.svg")
    assert picture.headers["content-type"].startswith("image/svg+xml")
    assert picture.text.lstrip().startswith("<svg")


def test_the_page_has_nothing_of_the_app_in_it_and_loads_nothing_from_outside(http, published):
    page = http.get("/")
    assert page.headers["content-type"] == "text/html; charset=utf-8"
    assert "default-src 'none'" in page.headers["content-security-policy"]
    assert published.name not in page.text
    assert "https://" not in page.text
    for path in re.findall(r'(?:href|src)="(dashboard/[^"]+)"', page.text):
        assert http.get(f"/{path}").status_code == 200


def test_what_the_page_asks_for(http, published):
    now = http.get("/dashboard/now").json()
    assert (now["name"], now["replica"]["ready"], now["app"]) == (published.name, True, None)
    counts = {store["name"]: (store["count"], store["key"]) for store in now["stores"]}
    assert counts["numbers"] == (2500, "long")
    drawn = http.get("/dashboard/topology").json()
    assert [box["title"] for box in drawn["boxes"]] == ["scores", "scores"]
    assert ["GET", "/leaderboard/{product_id}"] in drawn["routes"]
    assert "groups" in http.get("/dashboard/letters").json()
    history = http.get("/dashboard/history", params={"since": 0, "step": 1000}).json()
    assert history["app"]["t"] == []
    wrong = http.get("/dashboard/history", params={"since": "x"})
    assert (wrong.status_code, wrong.json()["error"]["code"]) == (400, "bad_parameter")
    for path in (
        "/dashboard/static/nothing.js",
        "/dashboard/static/../handlers.py",
        "/dashboard/static/%2e%2e/files.py",
    ):
        assert http.get(path).status_code == 404


def test_the_leaderboard(http):
    assert http.get("/leaderboard").json() == {str(game): board for game, board in BOARDS.items()}
    assert http.get("/leaderboard/1").json() == BOARDS[1]
    assert http.get("/async/6", params={"twice": "true"}).json() == [BOARDS[6]] * 2


def test_own_routes_refuse_as_the_server_does(http):
    absent, wrong = http.get("/leaderboard/77"), http.get("/leaderboard/x")
    assert (absent.status_code, absent.json()["error"]["code"]) == (404, "key_not_found")
    assert (wrong.status_code, wrong.json()["error"]["code"]) == (400, "wrong_type")
    assert "product_id: wanted long" in wrong.json()["error"]["message"]
    assert http.post("/leaderboard").status_code == 405


def test_parameters_by_annotation(http):
    answer = http.get("/echo/2026-01-01T00:00:00Z?n=1&n=2&order=down&amount=1.50&text=a%20b").json()
    assert answer == {
        "when": "2026-01-01T00:00:00Z",
        "colour": "red",
        "n": [1, 2],
        "order": "down",
        "amount": 1.5,
        "text": "a b",
    }
    for query, words in {
        "n=x": "n: wanted long",
        "order=left": "one of up, down",
        "amount=x": "decimal",
        "colour=b": "red",
    }.items():
        refused = http.get(f"/echo/2026-01-01T00:00:00Z?{query}")
        assert refused.status_code == 400
        assert words in refused.json()["error"]["message"]
    missing = http.get("/needs").json()["error"]
    assert (missing["code"], missing["hint"]) == ("missing_parameter", "add ?n=… to the address")


def test_values_of_every_kind_become_json(http):
    assert http.get("/values").json() == {
        "order": {"id": 1, "note": ""},
        "when": "2026-01-01T00:00:00Z",
        "amount": 1.1,
        "raw": "aGk=",
        "items": [0, 1, 2],
        "7": None,
    }


def test_record_keys_become_text(http):
    assert http.get("/visits").json()['{"user":"a","page":-1}'] == 1


def test_a_body_becomes_a_dataclass(http):
    assert http.post("/orders", json={"id": 4}).json() == {"taken": {"id": 4, "note": ""}}
    for body in (b"{", b"[]", b'{"id": 1, "colour": 2}', b"{}"):
        assert http.post("/orders", content=body, headers={"Content-Type": "application/json"}).status_code == 400


def test_a_body_may_have_records_in_records(http):
    sent = {"to": {"street": "Kirchgasse", "number": 7}, "orders": [{"id": 1, "note": "x"}], "amount": 1.5,
            "colour": "red", "how": "fast", "on": "2026-01-01"}  # fmt: skip
    assert http.post("/deliveries", json=sent).json() == sent
    refused = http.post("/deliveries", json={**sent, "orders": [{"id": "one"}]})
    assert (refused.status_code, refused.json()["error"]) == (
        400,
        {
            "code": "wrong_type",
            "message": "delivery: Expected `int`, got `str` - at `$.orders[0].id`",
            "hint": "it comes from the body of the request",
        },
    )


@pytest.mark.parametrize("path", ["/broken", "/unserialisable"])
def test_a_failing_handler_leaks_nothing(http, path):
    answer = http.get(path)
    assert answer.status_code == 500
    assert answer.json()["error"]["code"] == "internal"
    assert "secret" not in answer.text
    assert "Traceback" not in answer.text


def test_a_mounted_application_answers(http):
    assert http.get("/mounted/x").text.endswith("/x")


def test_one_request_sees_one_snapshot(broker, tmp_path):
    publisher = Publisher(broker.address).publish(numbers=("long", "long"))
    app = hf.App(publisher.name)
    app.stream("clicks", str, key=int).group_by_key().count(store="numbers")
    numbers = app.store("numbers")
    going, written = threading.Event(), threading.Event()

    @app.get("/twice")
    def twice():
        before = dict(numbers.all())
        going.set()
        assert written.wait(20)
        return [before, dict(numbers.all()), len(numbers)]

    stores = Stores(app.name, broker.address, tmp_path)
    with Server(app, stores, port=0) as server:
        stores.wait_ready(90)
        publisher.put("numbers", [(1, 1)])
        eventually(lambda: stores.store("numbers").count() == 1)
        answers = []
        asking = threading.Thread(target=lambda: answers.append(httpx.get(f"{server.url}/twice", timeout=30).json()))
        asking.start()
        assert going.wait(10)
        publisher.put("numbers", [(2, 2)], epoch=2)
        eventually(lambda: stores.store("numbers").count() == 2)
        written.set()
        asking.join()
        assert answers == [[{"1": 1}, {"1": 1}, 1]]


def test_before_the_program_has_run_the_server_says_so(broker, tmp_path):
    with Server(None, Stores("never-run", broker.address, tmp_path), port=0) as server:
        for path in ("/ready", "/stores/x", "/topology.svg"):
            answer = httpx.get(server.url + path)
            assert (answer.status_code, answer.json()["error"]["code"]) == (503, "not_ready")
            assert "holdfast run" in answer.json()["error"]["message"]
        assert httpx.get(server.url + "/stores").json()["stores"] == []
        assert httpx.get(server.url + "/").status_code == 200
        assert httpx.get(server.url + "/health").status_code == 200


def test_a_taken_port_is_named(broker, tmp_path):
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        server = Server(None, Stores("taken", broker.address, tmp_path), port=port)
        with pytest.raises(hf.HoldfastError, match=f"port {port} is taken .* --port"), server:
            pass


def test_nothing_is_left_after_the_end(published, tmp_path):
    before = set(threading.enumerate())
    stores = Stores(published.name, published.brokers, tmp_path)
    with Server(None, stores, port=0) as server:
        stores.wait_ready(90)
        url = server.url
        assert httpx.get(url + "/stores").status_code == 200
    assert set(threading.enumerate()) <= before
    with pytest.raises(httpx.ConnectError):
        httpx.get(url)
    with Stores(published.name, published.brokers, tmp_path) as again:
        assert again.store("numbers").count() == 2500


def test_a_path_of_the_servers_own_cannot_be_taken(broker, tmp_path):
    app = hf.App("taken-path")
    with pytest.raises(hf.HoldfastError, match="server's own"):
        app.get("/stores/mine")


def test_a_handler_that_does_not_fit_its_path_is_refused_when_the_server_is_built(broker, tmp_path):
    app = hf.App("unfit")

    @app.get("/a/{b}")
    def handler(c: int):
        return c

    stores = Stores("unfit", broker.address, tmp_path)
    with pytest.raises(hf.HoldfastError, match=r"test_server.py:\d+: the path has {b}"):
        Server(app, stores)
    stores.stop()
