"""`python -m bench.latency`: from a record to its result, in real-time mode and in Kafka Streams, over all records.

The best three scores per product, at a steady rate. A pause is a time without any result: in real-time mode there is
one at the end of every epoch.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import subprocess
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from bench import peers
from bench.load import Latencies, Load
from bench.run import end
from bench.watch import Watch
from holdfast.ops.broker import Broker
from holdfast.topics.admin import Topics
from holdfast.topics.records import TopicSpec

HERE = Path(__file__).parent
PARTITIONS = 4
PAUSE_MS = 100.0
UNCACHED = {"statestore.cache.max.bytes": "0"}
# How each peer is started: the program, and its variables.
PEERS: Mapping[str, tuple[str, Mapping[str, str]]] = {
    "real-time": ("ours", {"MODE": "real-time"}),
    "exactly-once": ("ours", {"MODE": "exactly-once"}),
    "ks-default": ("kafka-streams", {"SETTINGS": json.dumps(UNCACHED)}),
    "ks-linger-0": ("kafka-streams", {"SETTINGS": json.dumps({**UNCACHED, "producer.linger.ms": "0"})}),
}


class Watched(Load):
    """A load that also notes when nothing was seen."""

    pauses: list[float]

    def _summary(self, begin: float, end: float) -> Latencies:
        seen = sorted(sent + took for sent, took in list(self._seen) if begin <= sent + took < end)
        gaps = [(after - before) * 1000 for before, after in itertools.pairwise(seen)]
        self.pauses = sorted(round(gap) for gap in gaps if gap > max(PAUSE_MS, 5000 / self._rate))
        return super()._summary(begin, end)


def main() -> None:
    """Measure rate by rate and peer by peer, and write the JSON."""
    options = arguments()
    results = []
    with tempfile.TemporaryDirectory(prefix="holdfast-bench-") as folder:
        home = Path(folder)
        with Broker(home, heap="1g").start() as broker:
            topics = Topics(broker.address)
            for rate in map(float, options.rates.split(",")):
                for peer in options.peers.split(","):
                    results.append(measure(peer, rate, topics, home, broker, options))
                    print(summary(results[-1]), flush=True)
    report(results)
    options.out.write_text(json.dumps(results, indent=1))


def arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(prog="python -m bench.latency")
    parser.add_argument("--rates", default="100,5000", help="records per second")
    parser.add_argument("--peers", default="real-time,ks-default,ks-linger-0")
    parser.add_argument("--warm", type=float, default=30, help="seconds after the first result that do not count")
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--epoch", default="5 minutes", help="how long an epoch lasts in real-time mode")
    parser.add_argument("--out", type=Path, default=HERE / f"results-latency-{time.strftime('%Y%m%d-%H%M')}.json")
    return parser.parse_args()


def measure(
    peer: str, rate: float, topics: Topics, home: Path, broker: Broker, options: argparse.Namespace
) -> dict[str, Any]:
    """One peer at one rate, with topics of its own."""
    program, variables = PEERS[peer]
    name = f"latency-{peer}-{int(rate)}-{int(time.time())}"
    folder, source, out = home / name, f"{name}-in", f"{name}-out"
    folder.mkdir()
    for topic in (source, out):
        topics.create(TopicSpec(topic, PARTITIONS))
    own = {
        "RUN": f"{name}-app",
        "IN": source,
        "OUT": out,
        "W": "w2",
        "DIR": str(folder / "state"),
        "EPOCH": options.epoch,
    }
    log = folder / "log"
    state = broker.running()
    with log.open("wb") as sink:
        process = subprocess.Popen(
            peers.COMMANDS[program].command(home), env={**os.environ, **own, **variables, "BROKERS": topics.brokers},
            stdout=sink, stderr=subprocess.STDOUT, start_new_session=True,
        )  # fmt: skip
    watch = Watch(process.pid, [state.process.pid] if state else [])
    try:
        with Watched(topics, source, out, rate) as load:
            latencies = load.measure(options.warm, options.seconds, timeout=120)
    except RuntimeError as failure:
        raise RuntimeError(f"{failure}; {peer} said:\n{log.read_text(errors='replace')[-3000:]}") from failure
    finally:
        cost = watch.stop()
        end(process)
        topics.delete([source, out])
    return {"peer": peer, "rate": rate, **latencies.__dict__, "pauses": load.pauses, **cost}


def summary(found: Mapping[str, Any]) -> str:
    """One run in words."""
    return f"{found['peer']} at {found['rate']:,.0f}/s: p50 {found['p50']} p99 {found['p99']} max {found['longest']} ms"


def report(results: list[dict[str, Any]]) -> None:
    """Print a table; times in milliseconds."""
    heads = ["rate/s", "p50", "p99", "p99.9", "max", "pauses", "longest", "records", "CPU s", "others"]
    print(f"{'peer':14}", *(f"{head:>9}" for head in heads))
    for each in results:
        longest = max(each["pauses"], default=0)
        times = [f"{each[name]:.1f}" for name in ("p50", "p99", "p999", "longest")]
        counts = [str(len(each["pauses"])), f"{longest:.0f}", f"{each['records']:,}", f"{each['cpu_s']:.0f}"]
        columns = [f"{each['rate']:,.0f}", *times, *counts, f"{each['others']:.0%}"]
        lost = f"  {each['unseen']} NOT SEEN" if each["unseen"] else ""
        print(f"{each['peer']:14}", *(f"{column:>9}" for column in columns), lost)


if __name__ == "__main__":
    main()
