"""`python -m bench.batches`: how long an event of the leaderboard takes to its committed result, and what a batch does.

With `--against PATH`, another checkout with a built kernel, both run in turns: what a change brought.
With `--also FSYNC=false` this one runs in turns with itself under another setting.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from bench.load import Latencies, Load
from bench.run import end
from bench.watch import Watch
from holdfast.ops.broker import Broker
from holdfast.topics.admin import Topics
from holdfast.topics.records import Record, TopicSpec

HERE = Path(__file__).parent
PHASES = ("latestOffset", "queryPlanning", "getBatch", "walCommit", "addBatch", "commitOffsets", "triggerExecution")
PLAYERS, PRODUCTS, PARTITIONS = 1000, 100, 4


def main() -> None:
    """Measure checkout by checkout and trigger by trigger, in turns."""
    options = arguments()
    variants = {"here": (HERE.parent, {}), **({"before": (options.against, {})} if options.against else {})}
    if options.also:
        name, _, value = options.also.partition("=")
        variants[options.also] = (HERE.parent, {f"HOLDFAST_{name}": value})
    results = []
    for turn in range(options.turns):
        for trigger in map(int, options.triggers.split(",")):
            for name, (checkout, variables) in variants.items():
                found = measure(checkout.absolute(), trigger, options, variables)
                results.append({"checkout": name, "turn": turn, "trigger": trigger, **found})
                print_run(results[-1])
    options.out.write_text(json.dumps(results, indent=1))


def arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(prog="python -m bench.batches")
    parser.add_argument("--against", type=Path, help="another checkout, measured in turns with this one")
    parser.add_argument("--also", help="a HOLDFAST_* variable, such as FSYNC=false, measured in turns with none")
    parser.add_argument("--rate", type=float, default=100)
    parser.add_argument("--triggers", default="500,0", help="milliseconds")
    parser.add_argument("--turns", type=int, default=1)
    parser.add_argument("--warm", type=float, default=40, help="seconds after the first result that do not count")
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--out", type=Path, default=HERE / f"results-batches-{time.strftime('%Y%m%d-%H%M')}.json")
    return parser.parse_args()


def measure(checkout: Path, trigger: int, options: argparse.Namespace, variables: dict[str, str]) -> dict[str, Any]:
    """One run on a broker of its own."""
    with tempfile.TemporaryDirectory(prefix="holdfast-bench-") as folder, Broker(Path(folder)).start() as broker:
        topics = Topics(broker.address)
        fill(topics)
        own = {"BROKERS": broker.address, "DIR": f"{folder}/state", "TRIGGER": str(trigger), **variables}
        own |= {"PYTHONPATH": str(checkout), "APP": str(HERE.parent / "examples/leaderboard/leaderboard.py")}
        log = Path(folder) / "log"
        with log.open("wb") as sink:
            process = subprocess.Popen(
                [sys.executable, str(HERE / "leaderboard.py")], env={**os.environ, **own},
                stdout=sink, stderr=subprocess.STDOUT, start_new_session=True,
            )  # fmt: skip
        try:
            with Load(topics, "score-events", "high-scores", options.rate, products=PRODUCTS, players=PLAYERS) as load:
                latencies, cost = watched(process, load, options, broker)
        except RuntimeError as failure:
            raise RuntimeError(f"{failure}; the app said:\n{log.read_text(errors='replace')[-3000:]}") from failure
        finally:
            end(process)
        return {"latency": latencies.__dict__, "phases": phases(log, options.seconds), **cost}


def watched(
    process: subprocess.Popen[bytes], load: Load, options: argparse.Namespace, broker: Broker
) -> tuple[Latencies, dict[str, float]]:
    """Measure, and see what it costs; the load itself is among the others."""
    state = broker.running()
    watch = Watch(process.pid, [state.process.pid] if state else [])
    try:
        return load.measure(options.warm, options.seconds), watch.stop()
    except BaseException:
        watch.stop()
        raise


def fill(topics: Topics) -> None:
    """The topics of the example, with its tables."""
    for name in ("score-events", "high-scores"):
        topics.create(TopicSpec(name, PARTITIONS))
    for name, count in (("players", PLAYERS), ("products", PRODUCTS)):
        topics.create(TopicSpec(name, PARTITIONS, compacted=True))
        topics.produce(
            Record(name, str(n).encode(), json.dumps({"id": n, "name": f"{name} {n}"}).encode(), timestamp=0)
            for n in range(count)
        )


def phases(log: Path, seconds: float) -> dict[str, float]:
    """The median of each phase over the batches of the last seconds, in milliseconds."""
    lines = [line for line in log.read_text(errors="replace").splitlines() if line.startswith("EPOCH ")]
    reports = [json.loads(line[6:])["durationMs"] for line in lines]
    reports = [each for each in reports if "addBatch" in each]
    total, last = 0.0, []
    for each in reversed(reports):
        last.append(each)
        total += each["triggerExecution"]
        if total > seconds * 1000 / 2:
            break
    found = {phase: statistics.median(each.get(phase, 0) for each in last) for phase in PHASES}
    return {**found, "batches": len(last)}


def print_run(found: dict[str, Any]) -> None:
    """Print one run."""
    latency = Latencies(**found["latency"]).summary()
    parts = " ".join(f"{phase} {millis:.0f}" for phase, millis in found["phases"].items())
    print(f"{found['checkout']:11} trigger {found['trigger']:>4} ms: {latency}; others {found['others']:.0%}")
    print(f"{'':11} a batch (median): {parts}", flush=True)


if __name__ == "__main__":
    main()
