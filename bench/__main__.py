"""`python -m bench`: every peer on every workload, checked, with ratios."""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from pathlib import Path

from bench import peers
from bench.events import produce
from bench.run import Result, run
from holdfast.ops.broker import Broker
from holdfast.topics.admin import Topics

HERE = Path(__file__).parent


def main() -> None:
    """Run the bench and write its JSON."""
    options = arguments()
    with tempfile.TemporaryDirectory(prefix="holdfast-bench-") as folder:
        home = Path(folder)
        with Broker(home, heap="1g").start() as broker:
            topics = Topics(broker.address)
            print(f"writing {options.records:,} events", flush=True)
            expected = produce(topics, "score-events", options.records)
            results = [
                run(peer, workload, topics, expected, options.records, home, broker)
                for workload in options.workloads.split(",")
                for peer in options.peers.split(",")
                if workload in peers.COMMANDS[peer].workloads
            ]
    report(results)
    options.out.write_text(json.dumps([each.__dict__ for each in results], indent=1))


def arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(prog="python -m bench")
    parser.add_argument("--records", type=int, default=4_000_000)
    parser.add_argument("--peers", default=",".join(peers.COMMANDS))
    parser.add_argument("--workloads", default="w1,w2,w3")
    parser.add_argument("--out", type=Path, default=HERE / f"results-{time.strftime('%Y%m%d-%H%M')}.json")
    return parser.parse_args()


def report(results: list[Result]) -> None:
    """Print rates and, per workload, ours against each peer."""
    ours = {each.workload: each for each in results if each.peer == "ours"}
    heads = ["steady/s", "ours is", "cold/s", "peak MB", "CPU s", "others"]
    print(f"{'':4} {'peer':14}", *(f"{head:>10}" for head in heads), " keys right")
    for each in results:
        mine = ours.get(each.workload)
        ratio = f"{mine.steady / each.steady:.2f}x" if mine and each.steady and each.peer != "ours" else ""
        flag = "" if each.others <= 0.1 else "  noisy: others took more than a tenth of the CPU"
        numbers = [f"{each.steady:,.0f}", ratio, f"{each.cold:,.0f}", f"{each.peak_mb:,.0f}", f"{each.cpu_s:,.0f}"]
        columns = (f"{number:>10}" for number in [*numbers, f"{each.others:.0%}"])
        print(f"{each.workload:4} {each.peer:14}", *columns, f" {each.right}/{each.keys}{flag}")


if __name__ == "__main__":
    main()
