"""`python -m tests.faults.matrix --seed N --kills K`: faults strike two apps; a model audits them."""

from __future__ import annotations

import argparse
import math
import random
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from holdfast.ops import broker
from tests.faults.bank.audit import Bank
from tests.faults.bank.disk import NotPossible
from tests.faults.bank.faults import ALL, possible
from tests.faults.bank.subject import Subject
from tests.faults.bank.trial import SECONDS, WORKERS, Trial
from tests.faults.clearing.books import Clearing

Rows = dict[str, "Row"]
# The apps, and which part of all faults strikes each.
APPS: dict[str, tuple[type[Subject], float]] = {"bank": (Bank, 2 / 3), "clearing": (Clearing, 1 / 3)}


@dataclass
class Row:
    """What came of one fault."""

    strikes: int = 0
    survived: int = 0
    restarts: int = 0
    seconds: float = 0


def chosen(seed: int, kills: int, faults: Sequence[str]) -> list[str]:
    """The faults in their order: each as often as the others, shuffled by the seed."""
    order = random.Random(seed)
    rounds = [order.sample(list(faults), len(faults)) for _ in range(-(-kills // len(faults)))]
    return [fault for each in rounds for fault in each][:kills]


def strike(trial: Trial, fault: str, row: Row) -> None:
    """Let one fault strike and wait until the app has done all its work again."""
    began, restarts = time.monotonic(), trial.restarts
    row.strikes += 1
    repeated = trial.subject.repeated(trial.reader.read)
    try:
        ALL[fault](trial)
        trial.caught_up()
        wrong = trial.subject.repeated(trial.reader.read)
        row.survived += wrong == repeated
        print("".join(f"{'':12}{each}\n" for each in wrong if each not in repeated), end="", flush=True)
    except NotPossible as problem:
        print(f"{'':12}not here: {problem}", flush=True)
        row.strikes -= 1
    finally:
        row.restarts += trial.restarts - restarts
        row.seconds += time.monotonic() - began


def hold(
    trial: Trial, faults: Sequence[str], rows: Rows, seconds: float = math.inf, seconds_to_come: float = SECONDS
) -> list[str]:
    """Let the faults strike in their order, count them in the rows, and give what the audit found wrong.

    When the time is over no more strike.
    """
    deadline = time.monotonic() + seconds
    with trial:
        trial.begin()
        trial.seconds = seconds_to_come
        for number, fault in enumerate(faults, 1):
            if time.monotonic() > deadline:
                break
            print(f"{number:4} of {len(faults)}  {fault}", flush=True)
            strike(trial, fault, rows.setdefault(fault, Row()))
        return trial.audit()


def table(rows: Rows) -> str:
    """The matrix as text."""
    lines = [f"{'fault':30} {'struck':>8} {'survived':>9} {'restarts':>9} {'seconds':>8}"]
    lines += [
        f"{name:30} {row.strikes:8} {row.survived:9} {row.restarts:9} {row.seconds:8.0f}"
        for name, row in sorted(rows.items())
    ]
    sums = [sum(getattr(row, column) for row in rows.values()) for column in ("strikes", "survived", "restarts")]
    return "\n".join([*lines, f"{'all':30} {sums[0]:8} {sums[1]:9} {sums[2]:9}"])


def options() -> argparse.Namespace:
    """What the command line says."""
    parser = argparse.ArgumentParser(prog="python -m tests.faults.matrix", description=__doc__)
    parser.add_argument("--seed", type=int, default=1, help="chooses the faults, their order and moments, and the data")
    parser.add_argument("--kills", type=int, default=300, help="how many faults strike")
    parser.add_argument("--pause", type=float, default=20, help="seconds of SIGSTOP")
    parser.add_argument("--seconds", type=float, default=SECONDS, help="how long output may take to come after a fault")
    parser.add_argument("--minutes", type=float, default=math.inf, help="after so long no more strike; then the audit")
    parser.add_argument("--cluster", action="store_true", help="on a standalone Spark cluster of three workers")
    parser.add_argument("--app", action="append", choices=list(APPS), help="only this app; may be repeated")
    parser.add_argument("--only", action="append", choices=sorted(ALL), help="only this fault; may be repeated")
    return parser.parse_args()


def try_app(name: str, kills: int, wanted: argparse.Namespace) -> bool:
    """Let faults strike an app, print what came of it, and return whether nothing is missing, twice or wrong."""
    subject = APPS[name][0](wanted.seed)
    can_strike = possible(subject, on_cluster=wanted.cluster)
    faults = chosen(
        wanted.seed, kills, [each for each in wanted.only or can_strike if each in can_strike] or can_strike
    )
    print(f"seed {wanted.seed}, {name}: {len(faults)} faults; the same seed gives the same faults, data and delays")
    home = Path(tempfile.mkdtemp(prefix="holdfast-faults-"))
    rows: Rows = {}
    wrong = [f"it did not come to an end; what is left is in {home}"]
    try:
        trial = Trial(home, wanted.seed, subject, wanted.pause, WORKERS if wanted.cluster else 0)
        wrong = hold(trial, faults, rows, wanted.minutes * 60, wanted.seconds)
        shutil.rmtree(home)
    except AssertionError as fault:
        wrong.insert(0, str(fault))
    finally:
        print(table(rows))
        stores = "; stores equal the model; copies equal the stores" if subject.stateful else ""
        print("\n".join(wrong) if wrong else f"every output once{stores}")
    return not wrong


def main() -> None:
    """Run the matrix; status 1 if anything is missing, twice or wrong."""
    wanted = options()
    broker.register = lambda state_dir: None
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))  # so that nothing is left behind
    names = wanted.app or list(APPS)
    share = sum(APPS[name][1] for name in names)
    passed = [try_app(name, round(wanted.kills * APPS[name][1] / share), wanted) for name in names]
    sys.exit(not all(passed))


if __name__ == "__main__":
    main()
