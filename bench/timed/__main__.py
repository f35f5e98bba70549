"""`python -m bench.timed`: every workload on every peer, checked, with ratios."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from bench.run import Result, end, progress_of
from bench.timed.workloads import WORKLOADS, Events, Workload, encoded
from bench.watch import Watch
from holdfast.ops.broker import Broker
from holdfast.spark import jars
from holdfast.spark.java import find_java, find_javac
from holdfast.topics.admin import Topics
from holdfast.topics.records import TopicSpec

HERE = Path(__file__).parent
PARTITIONS = 4
_LONGEST, _QUIET = 600, 10


def main() -> None:
    """Run the bench and write its JSON."""
    options = arguments()
    results: list[Result] = []
    with tempfile.TemporaryDirectory(prefix="holdfast-bench-") as folder:
        home = Path(folder)
        with Broker(home, heap="1g").start() as broker:
            topics = Topics(broker.address)
            for name in options.workloads.split(","):
                workload = WORKLOADS[name]
                events = Events(workload, options.records)
                write(topics, workload, events)
                expected = workload.expected(events)
                for peer in workload.peers:
                    if peer in options.peers.split(","):
                        results.append(run(peer, workload, topics, expected, options.records, home, broker))
                topics.delete(workload.topics)
    report(results)
    options.out.write_text(json.dumps([each.__dict__ for each in results], indent=1))


def arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(prog="python -m bench.timed")
    parser.add_argument("--records", type=int, default=3_000_000)
    parser.add_argument("--workloads", default=",".join(WORKLOADS))
    parser.add_argument("--peers", default="ours,kafka-streams,spark")
    parser.add_argument("--out", type=Path, default=HERE.parent / f"timed-{time.strftime('%Y%m%d-%H%M')}.json")
    return parser.parse_args()


def write(topics: Topics, workload: Workload, events: Events) -> None:
    """Put the events into fresh topics, each key into the partition that Kafka's own clients choose."""
    from confluent_kafka import Producer

    for topic in workload.topics:
        topics.create(TopicSpec(topic, PARTITIONS))
    settings: dict[str, Any] = {"bootstrap.servers": topics.brokers, "linger.ms": 50, "partitioner": "murmur2_random"}
    producer = Producer({**settings, "batch.size": 1_000_000, "queue.buffering.max.messages": 1_000_000})
    for event in events:
        topic, key, value, at = encoded(event)
        while True:
            try:
                producer.produce(topic, value, key, timestamp=at)
                break
            except BufferError:
                producer.poll(0.1)
    if producer.flush(300):
        raise RuntimeError("not all events were written")


def command(peer: str, home: Path) -> list[str]:
    """How a peer is started."""
    if peer != "kafka-streams":
        return [sys.executable, "-m", f"bench.timed.{peer}"]
    classes = home / "classes"
    jars.ensure(["oracle"])
    path = ":".join(map(str, jars.paths("oracle")))
    if not classes.exists():
        subprocess.run(
            [str(find_javac()), "-cp", path, "-d", str(classes), str(HERE / "KafkaStreamsTimed.java")], check=True
        )
    log = "-Dorg.slf4j.simpleLogger.defaultLogLevel=error"
    return [str(find_java().path), "-Xmx3g", log, "-cp", f"{path}:{classes}", "KafkaStreamsTimed"]


def run(
    peer: str, workload: Workload, topics: Topics, expected: dict[str, Any], count: int, home: Path, broker: Broker
) -> Result:
    """Start the peer, wait until it has nothing left to do, stop it and check its results."""
    name = f"timed-{peer}-{workload.name}-{int(time.time())}"
    folder = home / name
    folder.mkdir()
    topics.create(TopicSpec(name, PARTITIONS))
    own = {"RUN": f"{name}-app", "OUT": name, "W": workload.name, "DIR": str(folder / "state")}
    own["BROKERS"] = topics.brokers
    log, state = folder / "log", broker.running()
    began = time.time()
    with log.open("wb") as sink:
        process = subprocess.Popen(
            command(peer, home),
            env={**os.environ, **own},
            stdout=sink,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    watch = Watch(process.pid, [state.process.pid] if state else [])
    try:
        progress = follow(peer, process, log, count)
    finally:
        cost = watch.stop()
        end(process)
    time.sleep(2)
    found = {(record.key or b"").decode(): plain(record.value) for record in topics.read(name)}
    hits = sum(found.get(key) == value for key, value in expected.items())
    (first, at_first), (last, done) = progress[0], progress[-1]
    steady = (done - at_first) / (last - first) if last > first else 0.0
    result = Result(peer, workload.name, done / (last - began), steady, hits, len(expected), **cost)
    print(f"{workload.name} {peer}: {steady:,.0f}/s {hits}/{len(expected)} right {said(log)}", flush=True)
    topics.delete([name])
    return result


def follow(peer: str, process: subprocess.Popen[bytes], log: Path, count: int) -> list[tuple[float, int]]:
    """Wait until the peer has read everything and then has said nothing more for a while."""
    deadline = time.monotonic() + _LONGEST
    while time.monotonic() < deadline:
        if process.poll() is not None:
            raise RuntimeError(f"{peer} ended by itself:\n{log.read_text(errors='replace')[-3000:]}")
        time.sleep(0.2)
        progress = progress_of(log)
        if progress and progress[-1][1] >= count and time.time() - progress[-1][0] > _QUIET:
            return progress
    raise RuntimeError(f"{peer} did not finish in {_LONGEST} s:\n{log.read_text(errors='replace')[-3000:]}")


def plain(value: bytes | None) -> Any:
    """A result without names: a number, or the fields in order."""
    read = json.loads(value) if value is not None else None
    if not isinstance(read, dict):
        return read
    return [round(each, 6) if isinstance(each, float) else each for each in read.values()]


def said(log: Path) -> str:
    """What else the peer printed, such as the accesses to its state per record."""
    notes = [line[5:] for line in log.read_text(errors="replace").splitlines() if line.startswith("NOTE ")]
    return f"({notes[-1]})" if notes else ""


def report(results: list[Result]) -> None:
    """Print rates and, per workload, ours against each peer."""
    ours = {each.workload: each for each in results if each.peer == "ours"}
    print(f"{'':12} {'peer':14}", *(f"{head:>10}" for head in ("rate/s", "ours is", "CPU s", "others")), " keys right")
    for each in results:
        mine = ours.get(each.workload)
        ratio = f"{mine.steady / each.steady:.2f}x" if mine and each.steady and each.peer != "ours" else ""
        numbers = [f"{each.steady:,.0f}", ratio, f"{each.cpu_s:,.0f}", f"{each.others:.0%}"]
        print(f"{each.workload:12} {each.peer:14}", *(f"{n:>10}" for n in numbers), f" {each.right}/{each.keys}")


if __name__ == "__main__":
    main()
