"""`python -m bench.growth`: what a record costs as state and tasks grow, and how soon the first result comes."""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path

from bench.events import PARTITIONS, Sender
from bench.run import end, progress_of
from bench.watch import Watch
from holdfast.ops.broker import Broker
from holdfast.topics.admin import Topics
from holdfast.topics.records import TopicSpec

HERE = Path(__file__).parent
MEASURED = 2_000_000


@dataclass
class Growth:
    """The rate over the records after the fill, and seconds from the start of the process to the first batch."""

    keys: int
    tasks: int
    rate: float
    first: float
    again: float
    peak_mb: float
    others: float


def main() -> None:
    """Measure and print, relative to the first row."""
    parser = argparse.ArgumentParser(prog="python -m bench.growth")
    parser.add_argument("--keys", default="100000,1000000,10000000")
    parser.add_argument("--tasks", default="16,4,64")
    parser.add_argument("--out", type=Path, default=HERE / f"results-growth-{time.strftime('%Y%m%d-%H%M')}.json")
    options = parser.parse_args()
    keys, tasks = ([int(n) for n in text.split(",")] for text in (options.keys, options.tasks))
    runs = [(k, tasks[0]) for k in keys] + [(keys[0], t) for t in tasks[1:]]
    results: list[Growth] = []
    with (
        tempfile.TemporaryDirectory(prefix="holdfast-bench-") as folder,
        Broker(Path(folder), heap="1g").start() as broker,
    ):
        topics = Topics(broker.address)
        for count, width in runs:
            results.append(measure(topics, Path(folder), count, width))
            report(results[-1], results[0])
    options.out.write_text(json.dumps([asdict(each) for each in results], indent=1))


def report(each: Growth, base: Growth) -> None:
    """Print one row, its cost relative to the first one's."""
    numbers = (
        f"{each.rate:>10,.0f}/s  cost {base.rate / each.rate:.2f}x  {each.peak_mb:,.0f} MB  others {each.others:.0%}"
    )
    starts = f"first result {each.first:.1f} s, with state {each.again:.1f} s"
    print(f"{each.keys:>12,} keys {each.tasks:>3} tasks {numbers}  {starts}", flush=True)


def measure(topics: Topics, home: Path, keys: int, tasks: int) -> Growth:
    """Fill the state with every key once, then measure random ones; then start again on that state."""
    topic = f"growth-{keys}"
    if not any(info.name == topic for info in topics.existing()):
        topics.create(TopicSpec(topic, PARTITIONS))
        fill(topics, topic, keys)
    folder = home / f"{topic}-{tasks}"
    folder.mkdir()
    points, began, cost = run(topics, topic, folder, tasks, keys + MEASURED)
    filled = next(point for point in points if point[1] >= keys)
    rate = (points[-1][1] - filled[1]) / (points[-1][0] - filled[0])
    more = Sender(topics, topic)
    more.one(b'{"score": 1, "product_id": 1, "player_id": 1}', 0)
    more.finish()
    again, restarted, _ = run(topics, topic, folder, tasks, keys + MEASURED + 1)
    return Growth(keys, tasks, rate, points[0][0] - began, again[-1][0] - restarted, cost["peak_mb"], cost["others"])


def fill(topics: Topics, topic: str, keys: int) -> None:
    """Write every key once, then random ones."""
    send, rng = Sender(topics, topic), random.Random(2)
    for i in range(keys + MEASURED):
        player = i if i < keys else rng.randrange(keys)
        send.one(b'{"score": %d, "product_id": 1, "player_id": %d}' % (i % 1000, player), i % PARTITIONS)
    send.finish()


def run(
    topics: Topics, topic: str, folder: Path, tasks: int, until: int
) -> tuple[list[tuple[float, int]], float, dict[str, float]]:
    """Run ours until it has read so many records."""
    name = f"bench-{topic}-{tasks}"
    topics.ensure([TopicSpec(name, 4)])
    own = {"RUN": f"{name}-app", "IN": topic, "OUT": name, "W": "w3", "DIR": str(folder / "state"), "TASKS": str(tasks)}
    log, began = folder / f"log-{time.monotonic_ns()}", time.time()
    with log.open("wb") as sink:
        process = subprocess.Popen(
            [sys.executable, str(HERE / "peers/ours.py")], env={**os.environ, **own, "BROKERS": topics.brokers},
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
    return points, began, cost


if __name__ == "__main__":
    main()
