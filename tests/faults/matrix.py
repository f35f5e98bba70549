"""`python -m tests.faults.matrix --seed N --kills K`: faults strike a bank; its books are compared with a model."""

from __future__ import annotations

import argparse
import random
import signal
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from holdfast.ops import broker
from tests.faults.bank.disk import NotPossible
from tests.faults.bank.ledger import ACCOUNTS
from tests.faults.bank.strikes import STRIKES
from tests.faults.bank.trial import Trial


@dataclass
class Row:
    """What came of one fault."""

    strikes: int = 0
    restarts: int = 0
    seconds: float = 0


def chosen(seed: int, kills: int, faults: Sequence[str]) -> list[str]:
    """The faults in their order: each as often as the others, shuffled by the seed."""
    order = random.Random(seed)
    rounds = [order.sample(list(faults), len(faults)) for _ in range(-(-kills // len(faults)))]
    return [fault for each in rounds for fault in each][:kills]


def hold(seed: int, faults: Sequence[str], home: Path, accounts: int, pause: float) -> tuple[dict[str, Row], list[str]]:
    """Let the faults strike in their order; give the matrix and what the audit found wrong."""
    rows: dict[str, Row] = {}
    with Trial(home, seed, accounts, pause) as trial:
        trial.begin()
        for number, fault in enumerate(faults, 1):
            row = rows.setdefault(fault, Row())
            began, restarts = time.monotonic(), trial.restarts
            print(f"{number:4} of {len(faults)}  {fault}", flush=True)
            try:
                STRIKES[fault](trial)
            except NotPossible as problem:
                print(f"{'':12}not here: {problem}", flush=True)
                continue
            trial.caught_up()
            row.strikes += 1
            row.restarts += trial.restarts - restarts
            row.seconds += time.monotonic() - began
        return rows, trial.audit()


def table(rows: dict[str, Row]) -> str:
    """The matrix as text."""
    lines = [f"{'fault':28} {'strikes':>8} {'restarts':>9} {'seconds':>8}"]
    lines += [f"{name:28} {row.strikes:8} {row.restarts:9} {row.seconds:8.0f}" for name, row in sorted(rows.items())]
    return "\n".join(lines)


def main() -> None:
    """Run the matrix; status 1 if anything is missing, twice or wrong."""
    parser = argparse.ArgumentParser(prog="python -m tests.faults.matrix", description=__doc__)
    parser.add_argument("--seed", type=int, default=1, help="chooses the faults, their order and moments, and the data")
    parser.add_argument("--kills", type=int, default=100, help="how many faults strike")
    parser.add_argument("--pause", type=float, default=20, help="seconds of SIGSTOP")
    parser.add_argument("--only", action="append", choices=list(STRIKES), help="only this fault; may be repeated")
    options = parser.parse_args()
    faults = chosen(options.seed, options.kills, options.only or list(STRIKES))
    print(
        f"seed {options.seed}: {len(faults)} faults; the same seed gives the same faults, data and delays", flush=True
    )
    broker.register = lambda state_dir: None
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))  # so that nothing is left behind
    with tempfile.TemporaryDirectory(prefix="holdfast-faults-") as home:
        rows, wrong = hold(options.seed, faults, Path(home), ACCOUNTS, options.pause)
    print(table(rows))
    print("\n".join(wrong) if wrong else "every output once; stores equal the model; copies equal the stores")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
