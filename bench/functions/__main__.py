"""`python -m bench.functions`: functions in Python on ours and on every peer, checked, with ratios.

Peers that are slow get fewer of the events, as rates are compared; `--scale 0.1` gives all a tenth.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from pathlib import Path

from bench.functions.peers import PEERS, WORKLOADS
from bench.functions.run import Bench, Result
from holdfast.ops.broker import Broker
from holdfast.topics.admin import Topics

HERE = Path(__file__).parent
# Kafka's own default: peers of two processes would else begin with one of them, and do that work again.
_SETTINGS = {"group.initial.rebalance.delay.ms": "3000"}


def main() -> None:
    """Run the bench and write its JSON; if it is interrupted, of what it has measured by then."""
    options = arguments()
    results: list[Result] = []
    try:
        run(options, results)
    finally:
        report(results)
        options.out.write_text(json.dumps([each.__dict__ for each in results], indent=1))
    missing = {*options.workloads.split(",")} - {each.workload for each in results if each.peer.startswith("ours")}
    if missing and "ours" in options.peers:
        raise SystemExit(f"ours did not come to an end: {', '.join(sorted(missing))}")


def run(options: argparse.Namespace, results: list[Result]) -> None:
    """Measure workload by workload and peer by peer."""
    with tempfile.TemporaryDirectory(prefix="holdfast-bench-") as folder:
        home = Path(folder)
        with Broker(home, heap="1g", settings=_SETTINGS).start() as broker:
            bench = Bench(Topics(broker.address), broker, home)
            for workload in options.workloads.split(","):
                for name in options.peers.split(","):
                    if workload in PEERS[name].workloads:
                        results += measured(bench, name, workload, int(PEERS[name].count(workload) * options.scale))


def measured(bench: Bench, name: str, workload: str, count: int) -> list[Result]:
    """The result, or none if the peer does not come to an end; the others still run."""
    try:
        return [bench.run(name, workload, count)]
    except RuntimeError as failure:
        print(f"{workload} {name}: {failure}", flush=True)
        return []


def arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(prog="python -m bench.functions")
    parser.add_argument("--peers", default=",".join(PEERS))
    parser.add_argument("--workloads", default=",".join(WORKLOADS))
    parser.add_argument("--scale", type=float, default=1.0)
    parser.add_argument("--out", type=Path, default=HERE.parent / f"functions-{time.strftime('%Y%m%d-%H%M')}.json")
    return parser.parse_args()


def report(results: list[Result]) -> None:
    """Print rates and, per workload, the best of ours against each peer; then where our time went."""
    heads = ["records", "steady/s", "ours is", "cold/s", "ours is", "peak MB", "CPU µs", "others"]
    print(f"{'':4} {'peer':14}", *(f"{head:>10}" for head in heads), " right")
    for each in results:
        mine = [one for one in results if one.workload == each.workload and one.peer.startswith("ours")]
        theirs = not each.peer.startswith("ours")
        steady = ratio(max((one.steady for one in mine), default=0), each.steady) if theirs else ""
        cold = ratio(max((one.cold for one in mine), default=0), each.cold) if theirs else ""
        numbers = [f"{each.records:,}", f"{each.steady:,.0f}", steady, f"{each.cold:,.0f}", cold]
        numbers += [f"{each.peak_mb:,.0f}", f"{each.cpu_s / each.records * 1e6:,.1f}", f"{each.others:.0%}"]
        flag = "" if each.others <= 0.1 else "  noisy: others took more than a tenth of the CPU"
        print(f"{each.workload:4} {each.peer:14}", *(f"{n:>10}" for n in numbers), f" {each.right}/{each.keys}{flag}")
    for each in results:
        if each.note:
            print(f"{each.workload} {each.peer}: {each.note}")


def ratio(ours: float, theirs: float) -> str:
    """How many times theirs ours is."""
    return f"{ours / theirs:.1f}x" if theirs else ""


if __name__ == "__main__":
    main()
