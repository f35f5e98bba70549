"""What is written to the clearing house, chosen by a seed, and what must come of it."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from holdfast.topics.records import Record, TopicSpec
from tests.faults.bank.subject import Reading, differences, repeated

COUNTRIES = ("AT", "CH", "DE", "FR", "IT")
BROKEN = 20


class Clearing:
    """The clearing house: no state, three topics of output, and dead letters."""

    name = "clearing"
    file = Path(__file__).with_name("app.py")
    stateful = False
    topics = (TopicSpec("payments", 4),)
    output = ("cleared", "reviewed", "entries", "clearing-dead-letters")

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self._payments = 0
        self._wanted: dict[str, Counter[Any]] = {topic: Counter() for topic in self.output}

    def opening(self) -> Iterator[Record]:
        """There is nothing to begin with."""
        yield from ()

    def next(self, count: int) -> Iterator[Record]:
        """So many payments, some of which nobody can decode."""
        for _ in range(count):
            self._payments += 1
            yield self._broken() if self._payments % BROKEN == 0 else self._payment()

    def sweep(self) -> Iterator[Record]:
        """One more for each task at least."""
        return self.next(100)

    def decode(self, topic: str, key: bytes, value: bytes) -> Any:
        """A record of the output as something that can be counted."""
        if topic == "clearing-dead-letters":
            return key, value
        return key.decode(), tuple(sorted(json.loads(value).items()))

    def missing(self, read: Reading) -> int:
        """How many records of the output are not there yet."""
        return sum((self._wanted[topic] - Counter(read[topic])).total() for topic in self.output)

    def repeated(self, read: Reading) -> list[str]:
        """What is there more than once."""
        return repeated(read)

    def audit(self, read: Reading, brokers: str, replicas: list[Path]) -> list[str]:
        """Every record of the output is there, once."""
        return [fault for topic in self.output for fault in differences(topic, self._wanted[topic], read[topic])]

    def _payment(self) -> Record:
        number, amount = self._payments, self._random.randrange(1, 1000)
        value = {"id": number, "amount": amount, "country": self._random.choice(COUNTRIES)}
        if amount >= 500:
            self._expect("reviewed", value["country"], value)
        else:
            self._expect("cleared", number, {"id": number, "cents": amount * 100})
        self._expect("entries", number, {"id": number, "amount": -amount})
        self._expect("entries", number + 1_000_000, {"id": number, "amount": amount})
        return self._record(json.dumps(value).encode())

    def _broken(self) -> Record:
        record = self._record(b"payment %d is not JSON" % self._payments)
        self._wanted["clearing-dead-letters"][record.key, record.value] += 1
        return record

    def _record(self, value: bytes) -> Record:
        return Record("payments", b"%d" % self._payments, value, timestamp=1000 + self._payments * 10)

    def _expect(self, topic: str, key: object, value: dict[str, Any]) -> None:
        self._wanted[topic][str(key), tuple(sorted(value.items()))] += 1
