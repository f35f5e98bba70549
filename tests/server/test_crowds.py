"""Crowds of connections: those that say nothing hold nothing for long, and health is answered meanwhile."""

import contextlib
import logging
import os
import re
import socket
import ssl
import threading
import time

import httpx
import pytest

import holdfast as hf
from holdfast.server.access import EVERYBODY, Access
from holdfast.server.limits import Limits
from holdfast.server.log_rate_limit import LogRateLimit
from holdfast.server.server import Server
from holdfast.stores.backend import Stores
from tests.eventually import eventually
from tests.security.secured import make_certificates

pytestmark = pytest.mark.broker
LIMITS = Limits(head=1, handshake=1, answer=5, requests=3, connections=30, connections_per_address=40, reserve=5)
going, released = threading.Event(), threading.Event()


@pytest.fixture(scope="module")
def crowded(published, tmp_path_factory):
    """A small server with TLS, and a port for its health."""
    made = make_certificates(tmp_path_factory.mktemp("certificates"))
    app = hf.App(published.name)

    @app.get("/blocking")
    async def blocking():
        going.set()
        released.wait(20)  # the event loop, and not this request alone

    @app.get("/slow")
    def slow():
        released.wait(20)

    stores = Stores(app.name, published.brokers, tmp_path_factory.mktemp("state"))
    access = Access(certificate=made.chain, key=made.key)
    with Server(app, stores, port=0, access=access, limits=LIMITS, health_port=0) as server:
        stores.wait_ready(90)
        server.trust = ssl.create_default_context(cafile=str(made.authority))
        yield server
        released.set()


def port(url):
    return int(url.rsplit(":", 1)[1])


def connect(server, address="127.0.0.1"):
    return socket.create_connection(("127.0.0.1", port(server.url)), timeout=20, source_address=(address, 0))


def crowd_of(count, server, address="127.0.0.1"):
    """So many connections; those beyond the limit may be reset before they are made."""
    made = []
    for _ in range(count):
        with contextlib.suppress(ConnectionError):
            made.append(connect(server, address))
    return made


def is_closed(connection):
    try:
        return connection.recv(1) == b""
    except ConnectionError:
        return True


def ask(server, path):
    return httpx.get(server.url + path, verify=server.trust, timeout=20)


def status(server, path):
    with contextlib.suppress(httpx.HTTPError):
        return ask(server, path).status_code


def answers(server, path):
    return status(server, path) == 200


def test_a_client_that_says_nothing_is_hung_up_on_before_the_handshake(crowded):
    silent = [connect(crowded) for _ in range(LIMITS.connections)]
    try:
        began = time.monotonic()
        assert all(is_closed(each) for each in silent)
        assert time.monotonic() - began < 15
    finally:
        for each in silent:
            each.close()
    assert ask(crowded, "/stores").status_code == 200


def test_connections_are_counted_before_the_handshake_and_come_back(crowded):
    most = LIMITS.connections + LIMITS.reserve
    crowd = crowd_of(most + 10, crowded)
    try:
        began = time.monotonic()
        assert len(crowd) < most + 10 or is_closed(crowd[-1])
        assert time.monotonic() - began < LIMITS.handshake
    finally:
        for each in crowd:
            each.close()
    eventually(lambda: answers(crowded, "/stores"))
    refused = re.search(r"^holdfast_connections_refused_total (\d+)\.0", ask(crowded, "/metrics").text, re.MULTILINE)
    assert int(refused[1]) >= 10


def test_one_address_does_not_take_the_room_of_another(published, tmp_path):
    limits = Limits(connections=100, connections_per_address=10)
    with Server(None, Stores(published.name, published.brokers, tmp_path), port=0, limits=limits) as server:
        crowd = crowd_of(20, server, "127.0.0.2")
        try:
            assert len(crowd) < 20 or is_closed(crowd[-1])
            assert httpx.get(server.url + "/stores").status_code == 200
        finally:
            for each in crowd:
                each.close()


def test_health_is_answered_while_all_places_for_requests_are_taken(crowded):
    def keep_asking():
        while not released.is_set():
            answers(crowded, "/slow")  # on a busy machine a handshake may take longer than it may

    threads = [threading.Thread(target=keep_asking) for _ in range(LIMITS.requests)]
    for thread in threads:
        thread.start()
    try:
        eventually(lambda: status(crowded, "/stores") == 503)
        eventually(lambda: status(crowded, "/health") == 200)
        eventually(lambda: status(crowded, "/ready") == 200)
        assert status(crowded, "/stores") in (503, None)
    finally:
        released.set()
        for thread in threads:
            thread.join()
        released.clear()


def test_health_has_a_port_and_a_thread_of_its_own(crowded):
    assert crowded.health_url.startswith("http://")
    blocked = threading.Thread(target=lambda: answers(crowded, "/blocking"))
    blocked.start()
    assert going.wait(20)
    try:
        with pytest.raises(httpx.TimeoutException):
            httpx.get(crowded.url + "/health", verify=crowded.trust, timeout=2)
        assert httpx.get(crowded.health_url + "/health", timeout=5).json() == {"status": "ok"}
        assert httpx.get(crowded.health_url + "/ready", timeout=5).json() == {"ready": True}
    finally:
        released.set()
        blocked.join()
        released.clear()
    for path in ("/", "/stores", "/metrics", "/stores/numbers", "/health/x"):
        assert httpx.get(crowded.health_url + path).status_code == 404


def test_a_burst_of_pages_does_not_hold_up_health(published, tmp_path, monkeypatch):
    made = []
    monkeypatch.setattr("holdfast.server.pages.entries", lambda *_: made.append(time.sleep(0.1)) or b"{}")
    stores = Stores(published.name, published.brokers, tmp_path)
    with Server(None, stores, port=0) as server:
        stores.wait_ready(90)
        crowd = crowd_of(60, server)
        try:
            for each in crowd:
                each.sendall(b"GET /stores/numbers HTTP/1.1\r\nHost: localhost\r\n\r\n")
            time.sleep(0.5)  # all of them are there before health is asked for
            assert httpx.get(server.url + "/health", timeout=20).status_code == 200
            assert 0 < len(made) < 40
        finally:
            for each in crowd:
                each.close()


@pytest.mark.parametrize("secure", [False, True])
def test_answers_that_nobody_reads_are_bounded(published, tmp_path, monkeypatch, secure):
    monkeypatch.setattr("holdfast.server.pages.entries", lambda *_: b"x" * (8 << 20))
    stores = Stores(published.name, published.brokers, tmp_path)
    made = make_certificates(tmp_path)
    access = Access(certificate=made.chain, key=made.key) if secure else EVERYBODY
    trust = ssl.create_default_context(cafile=str(made.authority))
    with Server(None, stores, port=0, limits=Limits(unread=40 << 20, reader=5), access=access) as server:
        server.trust = trust
        stores.wait_ready(90)
        crowd = crowd_of(20, server)
        try:
            if secure:
                crowd = [trust.wrap_socket(each, server_hostname="localhost") for each in crowd]
            for each in crowd:
                each.sendall(b"GET /stores/numbers HTTP/1.1\r\nHost: localhost\r\n\r\n")
            refused = eventually(lambda: busy(server))
            assert re.search("[0-9]+ MB of answers wait for clients that do not read them", refused)
            assert server._service.requests.unread() < 49 << 20
            assert ask(server, "/health").status_code == 200
            eventually(lambda: not busy(server))  # those who do not read are hung up on
        finally:
            for each in crowd:
                each.close()


def busy(server):
    answer = ask(server, "/stores")
    return answer.json()["error"]["message"] if answer.status_code == 503 else None


def test_a_flood_of_nonsense_does_not_fill_the_log(published, tmp_path):
    logger, written = logging.getLogger("uvicorn.error"), []
    heard = logging.Handler()
    heard.emit = lambda record: written.append(record.getMessage())
    logger.addHandler(heard)
    try:
        with Server(None, Stores(published.name, published.brokers, tmp_path), port=0) as server:
            for _ in range(300):
                with connect(server) as connection:
                    connection.sendall(b"nonsense\r\n\r\n")
                    assert connection.recv(100).startswith(b"HTTP/1.1 400 ")
            assert len(written) < 20
    finally:
        logger.removeHandler(heard)
    assert [each for each in written if "295 more lines like this were left out" in each and "Invalid HTTP" in each]


def test_lines_that_differ_are_all_written_and_time_begins_again():
    now = [0.0]
    limit = LogRateLimit(lines=2, window=10, clock=lambda: now[0])

    def passes(text):
        return limit.filter(logging.LogRecord("a", logging.WARNING, "", 0, text, (), None))

    assert [passes("one %d"), passes("one %d"), passes("one %d"), passes("two")] == [True, True, False, True]
    limit.flush()
    assert not passes("one %d")
    now[0] = 11
    limit.flush()
    assert passes("one %d")


def test_a_server_that_has_no_descriptors_left_goes_on_when_it_has(published, tmp_path):
    """The limit of this process is lowered to what is open: nothing can be accepted until it is raised."""
    import resource

    stores = Stores(published.name, published.brokers, tmp_path)
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    with Server(None, stores, port=0) as server:
        stores.wait_ready(90)
        waiting = connect(server)
        with waiting:
            eventually(lambda: len(server._service.requests.connections) == 1)
            late = socket.socket()
            resource.setrlimit(resource.RLIMIT_NOFILE, (len(os.listdir("/proc/self/fd")) - 1, hard))
            try:
                late.connect(("127.0.0.1", port(server.url)))
                time.sleep(0.5)
            finally:
                resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
            with late:
                late.sendall(b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n")
                assert late.recv(100).startswith(b"HTTP/1.1 200 ")
