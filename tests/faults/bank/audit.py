"""The audit after the last strike: output once, stores as the model has them, copies like each other."""

from __future__ import annotations

import json
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from holdfast.stores.backend import Stores
from tests.faults.bank.ledger import ACCOUNTS, TOPICS, Ledger
from tests.faults.bank.subject import Reading, differences, repeated

STORES = ("balances", "traffic", "volume", "homes")


class Bank(Ledger):
    """The bank: its books, and what is wrong with them."""

    name = "bank"
    file = Path(__file__).with_name("app.py")
    stateful = True
    topics = TOPICS
    output = ("receipts", "tickets", "statements", "shares", "bank-dead-letters")

    def __init__(self, seed: int, accounts: int = ACCOUNTS) -> None:
        super().__init__(seed, accounts)

    def decode(self, topic: str, key: bytes, value: bytes) -> Any:
        """A record of the output as something that can be counted."""
        if topic == "bank-dead-letters":
            return key, value
        content = json.loads(value)
        if topic == "statements":
            return int(key), content["postings"], content["balance"]
        return (int(key), content) if topic == "tickets" else content["id"]

    def missing(self, read: Reading) -> int:
        """How many records of the output are not there yet."""
        return sum((wanted - Counter(_numbers(topic, read))).total() for topic, wanted in self._output())

    def repeated(self, read: Reading) -> list[str]:
        """What is there more than once."""
        return repeated({topic: _numbers(topic, read) for topic in self.output})

    def audit(self, read: Reading, brokers: str, replicas: list[Path]) -> list[str]:
        """All that is wrong; `replicas` are state directories with copies of the stores."""
        faults = [
            each for topic, wanted in self._output() for each in differences(topic, wanted, _numbers(topic, read))
        ]
        last = {account: balance for account, _, balance in read["statements"]}
        if last != dict(self.balances):
            faults.append(f"statements: last balances: {_difference(dict(self.balances), last)}")
        return [*faults, *_stores(expected(self), brokers, replicas)]

    def _output(self) -> Iterator[tuple[str, Counter[Any]]]:
        """The output by the model; of a statement its number, because a balance that is wrong is another fault."""
        ids = Counter(range(1, self.transfers + 1))
        yield "receipts", ids
        yield "shares", ids - Counter(self.refused.keys())
        yield "bank-dead-letters", Counter((each.key, each.value) for each in self.refused.values())
        for topic, counts in (("tickets", self.traffic), ("statements", self.postings)):
            yield topic, Counter((key, n) for key, count in counts.items() for n in range(1, count + 1))


def _numbers(topic: str, read: Reading) -> list[Any]:
    return [each[:2] for each in read[topic]] if topic == "statements" else list(read[topic])


def _stores(wanted: dict[str, dict[Any, Any]], brokers: str, replicas: list[Path]) -> list[str]:
    assert sum(each["balance"] for each in wanted["balances"].values()) == 0
    faults = []
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


def _difference(wanted: dict[Any, Any], found: dict[Any, Any]) -> str:
    keys = [key for key in {**wanted, **found} if wanted.get(key) != found.get(key)]
    shown = "; ".join(f"{key}: wanted {wanted.get(key)}, found {found.get(key)}" for key in keys[:3])
    return f"{len(keys)} keys differ: {shown}"
