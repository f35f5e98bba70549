"""`python -m bench.queries`: reads of single keys and of many, from a replica of a million keys; no broker is needed.

`--url` asks another server instead, whose keys are numbers, too; `--pid` is its process.
"""

from __future__ import annotations

import argparse
import http.client
import json
import multiprocessing
import os
import random
import selectors
import signal
import socket
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection
from pathlib import Path
from urllib.parse import urlsplit

from holdfast.server.server import Server
from holdfast.stores.backend import Stores
from holdfast.stores.keys import KeyType
from holdfast.stores.replica import Put, Replica
from holdfast.stores.snapshot import Progress
from holdfast.types import LONG

APP, STORE, BATCH = "bench", "users", 10_000


def main() -> None:
    """Measure, and print a line for each kind of read."""
    options = arguments()
    if options.url:
        measure(options.url, options.pid, options)
        return
    with tempfile.TemporaryDirectory(prefix="holdfast-bench-") as folder:
        write(Path(folder), options.keys)
        with serving(Path(folder)) as (url, pid):
            measure(url, pid, options)
            many(url, pid, options)


def arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(prog="python -m bench.queries", description=__doc__)
    parser.add_argument("--keys", type=int, default=1_000_000)
    parser.add_argument("--connections", type=int, default=64)
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--url")
    parser.add_argument("--pid", type=int)
    return parser.parse_args()


def write(directory: Path, keys: int) -> None:
    """Make the replica that a server would have made of an app's changelog."""
    replica, of = Replica(directory / APP / "replica"), KeyType(LONG)
    fields = {
        "kind": "key-value",
        "key": "long",
        "value": "long",
        "node": None,
        "changelog": f"{APP}-{STORE}-changelog",
    }
    topology = {"app": APP, "holdfast": 1, "tasks": 1, "on_error": "fail", "stages": 1, "nodes": []}
    published = json.dumps({"topology": topology, "stores": {STORE: fields}})
    progress = Progress(f"{APP}-{STORE}-changelog", "id", LONG, LONG, {0: keys}, 1)
    replica.rebuild(STORE, progress)
    for begin in range(0, keys, 100_000):
        puts = [Put(STORE, of.encode(n), b"%d" % (n * 7)) for n in range(begin, min(keys, begin + 100_000))]
        replica.apply(puts, {STORE: progress}, {"epoch": None})
    replica.apply([], {}, {"meta:id": b"id", "meta:topology": published.encode(), "epoch": b"1"})
    replica.environment.close()


@contextmanager
def serving(directory: Path) -> Iterator[tuple[str, int]]:
    """The server in a process of its own: its address and its number."""
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=serve, args=(directory, theirs))
    process.start()
    try:
        yield ours.recv(), process.pid or 0
    finally:
        process.terminate()
        process.join()


def serve(directory: Path, found: Connection) -> None:
    """Serve until the process is ended."""
    stores = Stores(APP, "127.0.0.1:1", directory)  # nobody listens there, and the replica needs nobody
    found.send(Server(None, stores, port=0).start().url)
    signal.pause()


def measure(url: str, pid: int | None, options: argparse.Namespace) -> None:
    """Single keys on many connections, each of which asks again when it is answered."""
    place = urlsplit(url)
    selector = selectors.DefaultSelector()
    began: dict[object, float] = {}
    times: list[float] = []
    for _ in range(options.connections):
        made = socket.create_connection((place.hostname or "", place.port or 80))
        made.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        selector.register(made, selectors.EVENT_READ)
        began[made] = ask(made, options.keys)
    used, start = cpu(pid), time.perf_counter()
    while (now := time.perf_counter()) < start + options.seconds:
        for key, _ in selector.select(1):
            asked: socket.socket = key.fileobj  # type: ignore[assignment]
            if not asked.recv(4096).startswith(b"HTTP/1.1 200"):
                raise SystemExit("a key was not there")
            times.append(time.perf_counter() - began[asked])
            began[asked] = ask(asked, options.keys)
    report("single keys", len(times), now - start, cpu(pid) - used, times)


def ask(connection: socket.socket, keys: int) -> float:
    """Ask for a key; gives the time."""
    path = f"/stores/{STORE}/keys/{random.randrange(keys)}"
    connection.sendall(f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
    return time.perf_counter()


def many(url: str, pid: int, options: argparse.Namespace) -> None:
    """Batches of keys on one connection."""
    place, chance = urlsplit(url), random.Random(1)
    bodies = [json.dumps({"keys": [chance.randrange(options.keys) for _ in range(BATCH)]}) for _ in range(10)]
    connection = http.client.HTTPConnection(place.hostname or "", place.port)
    times, used, start = [], cpu(pid), time.perf_counter()
    while (now := time.perf_counter()) < start + options.seconds:
        connection.request(
            "POST", f"/stores/{STORE}/keys", bodies[len(times) % 10], {"Content-Type": "application/json"}
        )
        if len(json.loads(connection.getresponse().read())["values"]) != BATCH:
            raise SystemExit("not all keys were read")
        times.append(time.perf_counter() - now)
    report(f"{BATCH:,} keys at once", len(times) * BATCH, now - start, cpu(pid) - used, times)


def cpu(pid: int | None) -> float:
    """The processor time of a process until now."""
    if pid is None:
        return float("nan")
    user, system = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11:13]
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


def report(what: str, keys: int, seconds: float, used: float, times: list[float]) -> None:
    """Print what came of it."""
    times.sort()
    middle, late = (1000 * times[int(len(times) * share)] for share in (0.5, 0.99))
    rate, cost = keys / seconds, 1e6 * used / keys
    print(f"{what:20} {rate:>10,.0f} keys/s, p50 {middle:.1f} ms, p99 {late:.1f} ms, {cost:.2f} µs of CPU per key")


if __name__ == "__main__":
    main()
