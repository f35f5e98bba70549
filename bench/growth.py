"""`python -m bench.growth`: what a record costs as state, tasks, history and backlogs grow, and how soon one starts.

Each part prints as soon as it is measured:

- keys: every key, as many records in all runs, then eight million records of random keys, so that RocksDB has to merge
  its files meanwhile: their cost, and the first result after a restart.
- tasks: the same with the first number of keys.
- history: a hundred thousand keys; the cost of the last two million records against that of the first ones.
- backlog: five million records of two kilobytes in a heap of 1 GB; whether it ends, and what it took.
- start: seconds from the start of the process to the first result, with one record to read.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.events import PARTITIONS, Sender
from bench.run import end, progress_of
from bench.watch import Watch
from holdfast.ops.broker import Broker
from holdfast.topics.admin import Topics
from holdfast.topics.records import TopicSpec

HERE = Path(__file__).parent
MEASURED = 2_000_000
MEASURED_KEYS = 8_000_000
FEW_KEYS = 100_000
PADDING = b"x" * 1_950

Points = list[tuple[float, int]]


@dataclass
class Run:
    """One process: when it began, how far it was when, and what it took."""

    began: float
    points: Points
    cost: dict[str, float]

    def rate(self, first: int, last: int) -> float:
        """Records per second between two numbers of records."""
        start = next(point for point in self.points if point[1] >= first)
        stop = next((point for point in self.points if point[1] >= last), self.points[-1])
        return (stop[1] - start[1]) / (stop[0] - start[0]) if stop[0] > start[0] else 0.0

    @property
    def first(self) -> float:
        """Seconds to the first result."""
        return self.points[0][0] - self.began

    def summary(self) -> str:
        """What it took, in words."""
        return f"{self.cost['peak_mb']:,.0f} MB, {self.cost['cpu_s']:,.0f} CPU s, others {self.cost['others']:.0%}"


class Bench:
    """A broker, a folder, and the results so far."""

    def __init__(self, topics: Topics, home: Path) -> None:
        self.topics = topics
        self.home = home
        self.results: list[dict[str, Any]] = []

    def print_result(self, part: str, text: str, run: Run, **numbers: float) -> None:
        """Print a line and keep its numbers."""
        print(f"{part:8} {text}  ({run.summary()})", flush=True)
        self.results.append({"part": part, **numbers, **run.cost})

    def topic(self, name: str, count: int, event: Callable[[int], bytes]) -> str:
        """Write a topic, unless it is there."""
        if not any(info.name == name for info in self.topics.existing()):
            self.topics.create(TopicSpec(name, PARTITIONS))
            send = Sender(self.topics, name)
            for i in range(count):
                send.one(event(i), i % PARTITIONS)
            send.finish()
        return name

    def add_one(self, topic: str) -> None:
        """Write one more record."""
        send = Sender(self.topics, topic)
        send.one(score(1, 1), 0)
        send.finish()

    def run(self, topic: str, until: int, name: str = "", workload: str = "w3", **settings: object) -> Run:
        """Run ours until it has read so many records; the same name goes on with the same state."""
        app = f"bench-{name or topic}"
        folder = self.home / app
        folder.mkdir(exist_ok=True)
        self.topics.ensure([TopicSpec(app, 4)])
        own = {"RUN": f"{app}-app", "IN": topic, "OUT": app, "W": workload, "DIR": str(folder / "state")}
        own |= {key.upper(): str(value) for key, value in settings.items()} | {"BROKERS": self.topics.brokers}
        log, began = folder / f"log-{time.monotonic_ns()}", time.time()
        with log.open("wb") as sink:
            process = subprocess.Popen(
                [sys.executable, str(HERE / "peers/ours.py")], env={**os.environ, **own},
                stdout=sink, stderr=subprocess.STDOUT, start_new_session=True,
            )  # fmt: skip
        watch = Watch(process.pid, [])
        try:
            while not (points := progress_of(log)) or points[-1][1] < until:
                if process.poll() is not None:
                    raise RuntimeError(log.read_text(errors="replace")[-3000:])
                time.sleep(0.1)
        finally:
            cost = watch.stop()
            end(process)
        return Run(began, points, cost)


def score(points: int, player: int) -> bytes:
    """One event."""
    return b'{"score": %d, "product_id": 1, "player_id": %d}' % (points, player)


def keys_and_tasks(bench: Bench, keys: list[int], tasks: list[int]) -> None:
    """Cost with more keys, then with more and fewer tasks; a restart on each state.

    As many records come before in every run, so that Java's compiler has done as much.
    """
    base, before = 0.0, max(keys)
    for count, width in [(k, tasks[0]) for k in keys] + [(keys[0], t) for t in tasks[1:]]:
        rng = random.Random(2)
        topic = bench.topic(
            f"growth-{count}",
            before + MEASURED_KEYS,
            lambda i, count=count, rng=rng: score(i % 1000, i % count if i < before else rng.randrange(count)),  # type: ignore[misc]
        )
        run = bench.run(topic, before + MEASURED_KEYS, name=f"{topic}-{width}", tasks=width)
        rate = run.rate(before, before + MEASURED_KEYS)
        base = base or rate
        there = bench.topics.size(topic)
        bench.add_one(topic)
        again = bench.run(topic, there + 1, name=f"{topic}-{width}", tasks=width)
        starts = f"first result with that state {again.first:.1f} s"
        text = f"{count:>12,} keys {width:>3} tasks {rate:>10,.0f}/s, cost {base / rate:.2f}x, {starts}"
        bench.print_result("keys", text, run, keys=count, tasks=width, rate=rate, again=again.first)


def history(bench: Bench, records: int) -> None:
    """Cost as more and more records of the same keys have come."""
    rng = random.Random(3)
    topic = bench.topic("growth-history", records, lambda i: score(i % 1000, rng.randrange(FEW_KEYS)))
    run = bench.run(topic, records)
    early, late = run.rate(MEASURED, 2 * MEASURED), run.rate(records - MEASURED, records)
    text = f"{records // FEW_KEYS} records per key: {late:,.0f}/s, cost {early / late:.2f}x of that at {early:,.0f}/s"
    bench.print_result("history", text, run, records=records, early=early, late=late)


def backlog(bench: Bench, records: int, heap: str) -> None:
    """A backlog of large records in a small heap."""
    rng = random.Random(4)
    wide = b'{"score": %d, "product_id": %d, "player_id": %d, "padding": "%s"}'
    topic = bench.topic(
        "growth-backlog", records, lambda i: wide % (i % 1000, rng.randrange(1000), rng.randrange(FEW_KEYS), PADDING)
    )
    run = bench.run(topic, records, heap=heap)
    rate = records / (run.points[-1][0] - run.began)
    text = f"{records:,} records of 2 KB in a heap of {heap}: done, {rate:,.0f}/s, {len(run.points)} batches"
    bench.print_result("backlog", text, run, records=records, rate=rate)


def start(bench: Bench) -> None:
    """From the start of the process to the first result, and once more."""
    topic = bench.topic("growth-start", 1, lambda i: score(1, 1))
    cold = bench.run(topic, 1)
    bench.add_one(topic)
    again = bench.run(topic, 2)
    text = f"first result after {cold.first:.1f} s, after a restart {again.first:.1f} s"
    bench.print_result("start", text, cold, cold=cold.first, again=again.first)


def main() -> None:
    """Measure part by part."""
    options = arguments()
    keys, tasks = ([int(n) for n in text.split(",")] for text in (options.keys, options.tasks))
    parts: dict[str, Callable[[Bench], None]] = {
        "start": start,
        "keys": lambda bench: keys_and_tasks(bench, keys, tasks),
        "history": lambda bench: history(bench, options.history),
        "backlog": lambda bench: backlog(bench, options.backlog, options.heap),
    }
    with (
        tempfile.TemporaryDirectory(prefix="holdfast-bench-") as folder,
        Broker(Path(folder), heap="1g").start() as broker,
    ):
        bench = Bench(Topics(broker.address), Path(folder))
        for part in options.parts.split(","):
            parts[part](bench)
    options.out.write_text(json.dumps(bench.results, indent=1))


def arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(prog="python -m bench.growth")
    parser.add_argument("--parts", default="start,keys,history,backlog")
    parser.add_argument("--keys", default="100000,1000000,10000000")
    parser.add_argument("--tasks", default="16,4,64")
    parser.add_argument("--history", type=int, default=10_000_000)
    parser.add_argument("--backlog", type=int, default=5_000_000)
    parser.add_argument("--heap", default="1g")
    parser.add_argument("--out", type=Path, default=HERE / f"results-growth-{time.strftime('%Y%m%d-%H%M')}.json")
    return parser.parse_args()


if __name__ == "__main__":
    main()
