"""Bytes that are no HTTP, or nearly: the server answers none of them with a fault, and all others as before.

`HOLDFAST_FUZZ_REQUESTS` says how many there are, `HOLDFAST_FUZZ_SEED` which; a failure prints its seed.
"""

import contextlib
import logging
import os
import random
import re
import socket
import ssl
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest

from holdfast.server.access import Access
from holdfast.server.server import Server
from holdfast.stores.backend import Stores
from tests.eventually import eventually
from tests.security.secured import make_certificates
from tests.server.conftest import make_app

pytestmark = [pytest.mark.broker, pytest.mark.timeout(7200)]
REQUESTS = int(os.environ.get("HOLDFAST_FUZZ_REQUESTS", "400"))
SEED = int(os.environ.get("HOLDFAST_FUZZ_SEED", "0")) or random.randrange(1, 1 << 31)
HOST = b"Host: localhost\r\n"
PATHS = [
    b"/", b"/stores", b"/stores/numbers", b"/stores/numbers/keys/1", b"/stores/names/keys/%2F", b"/health", b"/metrics",
    b"/stores/numbers?limit=3&from=-5", b"/stores/hours/keys/a?from=0", b"/leaderboard", b"/orders", b"/mounted/x",
    b"/stores/names/get", b"/stores/numbers/page", b"/stores/numbers/count", b"/echo/2026-01-01T00:00:00Z?n=1", b"*",
]  # fmt: skip
METHODS = [b"GET", b"GET", b"GET", b"HEAD", b"POST", b"OPTIONS", b"PUT", b"TRACE", b"CONNECT", b"PRI", b"get", b"\x00"]
BAD_PERCENT = [
    b"%",
    b"%z",
    b"%zz",
    b"%0",
    b"%00",
    b"%ff",
    b"%ed%a0%80",
    b"%c0%af",
    b"%2f",
    b"%252F",
    b"%u0041",
    b"\xff",
]
HELLO = bytes.fromhex("1603010200010001fc0303") + bytes(range(200))


def request(rng):
    """A request as it should be, mostly."""
    body = rng.choice([b"", b"{}", b'{"key": 1}', b'{"id": 4}', b"[" * 500, b"x" * rng.randrange(3000)])
    lines = [
        rng.choice(METHODS) + b" " + rng.choice(PATHS) + b" HTTP/1." + rng.choice([b"1", b"1", b"0", b"9"]),
        HOST[:-2],
    ]
    lines += rng.choice(
        [[], [b"Connection: close"], [b"Connection: Upgrade", b"Upgrade: websocket"], [b"Expect: 100-continue"]]
    )
    lines += [b"Content-Type: application/json", b"Content-Length: %d" % len(body)] if body else []
    return b"\r\n".join([*lines, b"", body])


def garbage(rng):
    return rng.randbytes(rng.randrange(2000))


def half(rng):
    whole = request(rng)
    return whole[: rng.randrange(len(whole))]


def mutated(rng):
    data = bytearray(request(rng))
    for _ in range(rng.randrange(1, 8)):
        at = rng.randrange(len(data))
        data[at : at + rng.randrange(3)] = rng.choice([b"\x00", b"\r", b"\n", b"\xff", b" ", b":", rng.randbytes(2)])
    return bytes(data)


def huge(rng):
    name, size = (
        rng.choice([b"X-%d" % rng.randrange(9), b"Host", b"Cookie", b"Authorization"]),
        rng.randrange(1, 200_000),
    )
    many = b"".join(b"X-%d: y\r\n" % n for n in range(rng.randrange(5000)))
    return b"GET / HTTP/1.1\r\n" + HOST + rng.choice([name + b": " + b"a" * size + b"\r\n", many]) + b"\r\n"


def pipelined(rng):
    return b"".join(rng.choice([request, request, request, mutated])(rng) for _ in range(rng.randrange(2, 20)))


def chunked(rng):
    head = b"POST /orders HTTP/1.1\r\n" + HOST + b"Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n"
    both = rng.choice([b"", b"Content-Length: 3\r\n", b"Transfer-Encoding: gzip\r\n", b"Content-Length: -1\r\n"])
    size = rng.choice([b"5", b"-5", b"0x5", b"fffffffffffffffff", b"", b"5;" + b"e" * 9000, b"\x00", b"5 5", b"G"])
    return head + both + b"\r\n" + size + b"\r\nabcde\r\n" + rng.choice([b"0\r\n\r\n", b"0\r\nX: y\r\n\r\n", b"", b"0"])


def slow(rng):
    size = rng.choice([100, 10**6, 10**18, 10**30])
    return b"POST /orders HTTP/1.1\r\n" + HOST + b"Content-Type: application/json\r\nContent-Length: %d\r\n\r\n[" % size


def percent(rng):
    path = b"/".join(rng.choice([*BAD_PERCENT, b"stores", b"names", b"keys", b"a", b"", b".."]) for _ in range(6))
    return (
        b"GET /"
        + path
        + rng.choice([b"", b"?from=%zz&after=%ff", b"?%=%", b"?" + b"&" * 1000])
        + b" HTTP/1.1\r\n"
        + HOST
        + b"\r\n"
    )


def zero(rng):
    header = rng.choice(
        [b"X: a\x00b", b"X\x00: a", b"\x00", b"X : a", b" folded", b": x", b"Host: b", b"Content-Length: 1, 2"]
    )
    return b"GET /stores HTTP/1.1\r\n" + HOST + header + b"\r\n\r\n"


def hello(rng):
    return HELLO[: rng.randrange(1, len(HELLO))]


KINDS = [request, garbage, half, mutated, huge, pipelined, chunked, slow, percent, zero, hello]


def pieces(rng, data):
    """The beginning in small pieces, then the rest."""
    at = 0
    while at < min(50, len(data)):
        step = rng.choice([1, 7, 1000])
        yield data[at : at + step]
        at += step
    yield data[at:]


def send(port, number, tls=None):
    """One connection of a seed: what is sent, in how many pieces, and whether anybody waits for the answer."""
    rng = random.Random(SEED * 1_000_003 + number)
    data, answered = KINDS[number % len(KINDS)](rng), b""
    with contextlib.suppress(OSError), contextlib.ExitStack() as stack:
        connection = stack.enter_context(socket.create_connection(("127.0.0.1", port), timeout=0.3))
        if tls and rng.random() < 0.7:
            connection = stack.enter_context(tls.wrap_socket(connection, server_hostname="localhost"))
        for piece in pieces(rng, data):
            connection.sendall(piece)
        if rng.random() < 0.5:
            connection.shutdown(socket.SHUT_WR)
        while rng.random() < 0.9 and (more := connection.recv(1 << 16)):
            answered += more
    return number, [int(status) for status in re.findall(rb"HTTP/1\.1 (\d{3}) ", answered)]


def descriptors():
    return len(list(Path("/proc/self/fd").iterdir()))


def faults(metrics):
    """How many answers of each route were faults of the server."""
    return re.findall(r'holdfast_requests_total{route="[^"]*",status="5\d\d"} \d+', metrics)


def attack(port, requests, ask, tls=None):
    """Send it all, and look what became of the server."""
    print(f"HOLDFAST_FUZZ_SEED={SEED} HOLDFAST_FUZZ_REQUESTS={requests}")
    before, held = faults(ask("/metrics").text), descriptors()
    with ThreadPoolExecutor(8) as pool:
        for number, statuses in pool.map(lambda n: send(port, n, tls), range(requests)):
            assert not [each for each in statuses if each >= 500], f"seed {SEED}, request {number}: {statuses}"
    began = time.monotonic()
    assert ask("/health").status_code == 200
    assert time.monotonic() - began < 10
    assert faults(ask("/metrics").text) == before, f"seed {SEED}"
    eventually(lambda: descriptors() <= held + 5, seconds=60)


@pytest.fixture
def no_errors(caplog):
    """Nothing is logged that would be a fault of ours."""
    caplog.set_level(logging.WARNING)
    yield
    assert [each.getMessage() for each in caplog.records if each.levelno >= logging.ERROR] == []


def test_no_bytes_fail_the_server(served, no_errors):
    with httpx.Client(base_url=served.url, timeout=20) as client:
        attack(int(served.url.rsplit(":", 1)[1]), REQUESTS, client.get)


def test_no_bytes_fail_a_server_with_tls(published, tmp_path, no_errors):
    made = make_certificates(tmp_path)
    stores, access = (
        Stores(published.name, published.brokers, tmp_path),
        Access("a-token-of-length", made.chain, made.key),
    )
    with Server(make_app(published.name), stores, port=0, access=access) as server:
        stores.wait_ready(90)
        trust = ssl.create_default_context(cafile=str(made.authority))
        headers = {"Authorization": "Bearer a-token-of-length"}
        with httpx.Client(base_url=server.url, verify=trust, headers=headers, timeout=20) as client:
            attack(int(server.url.rsplit(":", 1)[1]), REQUESTS // 4, client.get, trust)
