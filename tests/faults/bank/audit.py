"""The audit after the last strike: output once, stores as the model has them, copies like each other."""

from __future__ import annotations

import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

from holdfast.stores.backend import Stores
from tests.faults.bank.ledger import Ledger
from tests.faults.bank.reader import Reader

STORES = ("balances", "traffic", "volume", "homes")


def audit(ledger: Ledger, reader: Reader, brokers: str, replicas: list[Path]) -> list[str]:
    """Give what is wrong, nothing if all is well; `replicas` are state directories with copies of the stores."""
    faults = list(_output(ledger, reader))
    wanted = expected(ledger)
    assert sum(each["balance"] for each in wanted["balances"].values()) == 0
    with tempfile.TemporaryDirectory(prefix="holdfast-audit-") as fresh:
        for place in [Path(fresh), *replicas]:
            found = stores(brokers, place)
            faults += [
                f"{place}: store {name}: {_difference(wanted[name], found[name])}"
                for name in STORES
                if wanted[name] != found[name]
            ]
    return faults


def expected(ledger: Ledger) -> dict[str, dict[Any, Any]]:
    """The stores by the model."""
    return {
        "balances": {
            account: {"balance": balance, "postings": ledger.postings[account]}
            for account, balance in ledger.balances.items()
        },
        "traffic": dict(ledger.traffic),
        "volume": {key: {"total": total} for key, total in ledger.volume.items()},
        "homes": ledger.homes(),
    }


def stores(brokers: str, place: Path) -> dict[str, dict[Any, Any]]:
    """The stores as a copy in a directory has them, brought up to date."""
    with Stores("bank", brokers, place) as opened:
        opened.wait_ready(120)
        found = {name: dict(opened.store(name).all()) for name in STORES if name != "volume"}
        windows = opened.store("volume").all()
        found["volume"] = {(window.key, int(window.start.timestamp() * 1000)): value for window, value in windows}
    return found


def _output(ledger: Ledger, reader: Reader) -> Any:
    reader.poll()
    ids = Counter(value["id"] for _, value in reader.read["receipts"])
    yield from _once("receipts", Counter(range(1, ledger.transfers + 1)), ids)
    tickets = Counter((branch, n) for branch, n in reader.read["tickets"])
    yield from _once(
        "tickets", Counter((b, n) for b, count in ledger.traffic.items() for n in range(1, count + 1)), tickets
    )
    statements = Counter((account, value["postings"]) for account, value in reader.read["statements"])
    yield from _once(
        "statements", Counter((a, n) for a, count in ledger.postings.items() for n in range(1, count + 1)), statements
    )
    last = {account: value["balance"] for account, value in reader.read["statements"]}
    if last != dict(ledger.balances):
        yield f"statements: last balances: {_difference(dict(ledger.balances), last)}"


def _once(topic: str, wanted: Counter[Any], found: Counter[Any]) -> list[str]:
    missing, extra = wanted - found, found - wanted
    if not missing and not extra:
        return []
    lost = f"{missing.total()} missing, such as {sorted(missing)[:3]}"
    return [f"{topic}: {lost}; {extra.total()} too many, such as {sorted(extra)[:3]}"]


def _difference(wanted: dict[Any, Any], found: dict[Any, Any]) -> str:
    keys = [key for key in {**wanted, **found} if wanted.get(key) != found.get(key)]
    shown = "; ".join(f"{key}: wanted {wanted.get(key)}, found {found.get(key)}" for key in keys[:3])
    return f"{len(keys)} keys differ: {shown}"
