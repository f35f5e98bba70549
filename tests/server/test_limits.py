"""Clients that send too much, too slowly or not at all, and those that do not read: the server answers all others."""

import asyncio
import contextlib
import json
import socket
import threading
import time

import httpx
import pytest
from starlette.responses import StreamingResponse

import holdfast as hf
from holdfast.server.limits import Limits
from holdfast.server.server import Server
from holdfast.stores.backend import Stores
from tests.eventually import eventually

pytestmark = pytest.mark.broker
LIMITS = Limits(body=10_000, head=1, upload=1, answer=1, reader=1, requests=5, connections=50)
JSON = {"Content-Type": "application/json"}
SIZE = 50_000_000
released = threading.Event()


@pytest.fixture(scope="module")
def hurried(published, tmp_path_factory):
    """A server with short timeouts."""
    app = hf.App(published.name)

    @app.post("/size")
    def size(body: list):
        return len(body)

    @app.get("/sleepy")
    def sleepy():
        released.wait(60)
        return "late"

    @app.get("/dreamy")
    async def dreamy():
        await asyncio.sleep(60)

    @app.get("/dripping")
    async def dripping():
        async def drops():
            for _ in range(100):
                yield b"x"
                await asyncio.sleep(0.1)

        return StreamingResponse(drops())

    @app.get("/large")
    def large():
        return "x" * SIZE

    stores = Stores(app.name, published.brokers, tmp_path_factory.mktemp("state"))
    with Server(app, stores, port=0, limits=LIMITS) as server:
        stores.wait_ready(90)
        yield server
        released.set()


@pytest.fixture
def client(hurried):
    with httpx.Client(base_url=hurried.url, timeout=30) as client:
        yield client


def connect(server):
    port = int(server.url.rsplit(":", 1)[1])
    return socket.create_connection(("127.0.0.1", port), timeout=30)


def hung_up(connection):
    """Read to the end; true if there is one."""
    try:
        while connection.recv(1 << 20):
            pass
    except ConnectionError:
        pass
    return True


def test_a_body_may_have_a_size(client):
    assert client.post("/size", json=[1, 2]).json() == 2
    answer = client.post("/size", content=b"[" + b"1," * 10_000 + b"1]", headers=JSON)
    assert (answer.status_code, answer.json()["error"]["code"]) == (413, "too_large")


def test_a_body_of_unknown_length_is_counted(client):
    answer = client.post("/size", content=(b"1" * 1000 for _ in range(30)), headers=JSON)
    assert (answer.status_code, answer.json()["error"]["code"]) == (413, "too_large")


def test_an_answer_that_does_not_come_is_not_waited_for(client):
    for path in ("/sleepy", "/dreamy"):
        answer = client.get(path)
        assert (answer.status_code, answer.json()["error"]["code"]) == (503, "too_slow")


UPLOAD = b"POST /size HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n["


REFUSED = UPLOAD.replace(b"/size", b"/nowhere")  # is answered before its body has come


@pytest.mark.parametrize("sent", [b"", b"GET /stores HTTP/1.1\r\nX: ", UPLOAD, REFUSED])
def test_a_request_that_never_ends_is_hung_up_on(hurried, client, sent):
    with connect(hurried) as slow:
        slow.sendall(sent)
        assert client.get("/stores").status_code == 200
        assert hung_up(slow)


def test_a_body_that_comes_drop_by_drop_is_hung_up_on_though_its_request_was_refused(hurried):
    with connect(hurried) as slow:
        slow.sendall(REFUSED)
        assert slow.recv(1 << 16).startswith(b"HTTP/1.1 404 ")
        with pytest.raises(ConnectionError):
            send_slowly(slow, 50)


def send_slowly(connection, count):
    for _ in range(count):
        time.sleep(0.2)
        connection.sendall(b"1")


def answered(connection, sent):
    """Status and code of the error that comes back; the connection is closed behind it."""
    connection.sendall(sent)
    received = b""
    while more := connection.recv(1 << 16):
        received += more
    head, _, body = received.partition(b"\r\n\r\n")
    assert b"content-type: application/json" in head.lower()
    return int(head.split()[1]), json.loads(body)["error"]["code"]


@pytest.mark.parametrize("sent", [b"nonsense\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n", b"\x00\r\n\r\n"])
def test_what_is_no_http_is_refused_as_everything_is(hurried, sent):
    with connect(hurried) as connection:
        assert answered(connection, sent) == (400, "bad_request")


def test_a_head_may_have_a_size(hurried, client):
    some = {"X-Large": "x" * 60_000}
    assert client.get("/stores", headers=some).status_code == 200
    for more in (b"x" * 70_000, b"x" * 70_000 + b"\r\n\r\n"):
        with connect(hurried) as connection:
            assert answered(connection, b"GET /stores HTTP/1.1\r\nX: " + more) == (431, "head_too_large")


def test_the_size_of_a_head_does_not_count_the_body_behind_it(client):
    body = b"[" + b" " * 9000 + b"]"
    for length in range(60_000, 60_100, 7):  # the empty line comes in one piece or in two
        assert client.post("/size", content=body, headers={**JSON, "X-Large": "x" * length}).status_code == 200


def test_nonsense_behind_a_request_is_not_answered_in_the_middle_of_its_answer(hurried):
    with connect(hurried) as connection:
        connection.sendall(b"GET /dripping HTTP/1.1\r\nHost: localhost\r\n\r\n")
        received = connection.recv(1 << 16)
        connection.sendall(b"nonsense\r\n\r\n")
        with contextlib.suppress(ConnectionError):
            while more := connection.recv(1 << 20):
                received += more
    assert received.startswith(b"HTTP/1.1 200 ")
    assert b"bad_request" not in received
    assert not received.endswith(b"0\r\n\r\n")  # it was not answered to its end, either


def test_nonsense_behind_an_answer_that_waits_to_be_read_comes_behind_all_of_it(hurried):
    with connect(hurried) as connection:
        connection.sendall(b"GET /large HTTP/1.1\r\nHost: localhost\r\n\r\n")
        received = connection.recv(1 << 16)
        connection.sendall(b"nonsense\r\n\r\n")
        with contextlib.suppress(ConnectionError):
            while more := connection.recv(1 << 20):
                received += more
    second = received.find(b"HTTP/1.1 400 ")
    assert second == -1 or second > SIZE


def test_a_client_that_does_not_read_is_hung_up_on(hurried, client):
    with connect(hurried) as deaf:
        deaf.sendall(b"GET /large HTTP/1.1\r\nHost: localhost\r\n\r\n")
        eventually(lambda: "holdfast_connections 2.0" in client.get("/metrics").text)
        assert client.get("/stores/numbers/count").status_code == 200
        eventually(lambda: "holdfast_connections 1.0" in client.get("/metrics").text)
        received = 0
        with contextlib.suppress(ConnectionError):
            while more := len(deaf.recv(1 << 20)):
                received += more
        assert received < SIZE


def test_more_requests_than_fit_are_refused_and_the_rest_is_answered(hurried, client):
    answers = []

    def ask():
        answers.append(httpx.get(f"{hurried.url}/dreamy", timeout=30).json()["error"]["code"])

    threads = [threading.Thread(target=ask) for _ in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert set(answers) <= {"busy", "too_slow"}
    assert "too_slow" in answers
    assert client.get("/stores").status_code == 200


def test_more_connections_than_fit_are_closed(hurried, client):
    crowd = []
    try:
        for _ in range(LIMITS.connections + 50):
            with contextlib.suppress(ConnectionError):  # reset before it was made
                crowd.append(connect(hurried))
        assert len(crowd) < LIMITS.connections + 50 or hung_up(crowd[-1])
    finally:
        for each in crowd:
            each.close()
    eventually(lambda: httpx.get(f"{hurried.url}/stores", timeout=30).status_code == 200)
