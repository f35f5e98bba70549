"""What is written to the bank's topics, chosen by a seed, and the plain Python model of what must come of it."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Iterator
from typing import Any

from holdfast.topics.records import Record, TopicSpec

ACCOUNTS = 10_000
BRANCHES = 20
CARDS = 500
TOPICS = (
    TopicSpec("transfers", 4),
    TopicSpec("accounts", 4, compacted=True),
    TopicSpec("branches", 2, compacted=True),
    TopicSpec("cards", 2, compacted=True),
)


def record(topic: str, key: int, time: int, **value: Any) -> Record:
    """A record with a number as its key and JSON as its value."""
    return Record(topic, str(key).encode(), json.dumps(value).encode(), timestamp=time)


class Ledger:
    """Writes transfers and keeps the books by hand."""

    def __init__(self, seed: int, accounts: int = ACCOUNTS) -> None:
        self.random = random.Random(seed)
        self.accounts = accounts
        self.transfers = 0
        self.balances: Counter[int] = Counter()
        self.postings: Counter[int] = Counter()
        self.traffic: Counter[int] = Counter()
        self.volume: Counter[tuple[int, int]] = Counter()
        self.cards: dict[int, tuple[int, int]] = {}
        self.names: dict[int, str] = {}
        self.refused: dict[int, Record] = {}

    def opening(self) -> Iterator[Record]:
        """The accounts and the branches, before anything moves."""
        yield from (record("accounts", each, 1, branch=each % BRANCHES) for each in range(self.accounts))
        yield from (self._rename(branch) for branch in range(BRANCHES))

    def next(self, count: int) -> Iterator[Record]:
        """So many transfers; cards and branches change in between."""
        for _ in range(count):
            source, target = self.random.sample(range(self.accounts), 2)
            yield self._transfer(source, target)
            if self.transfers % 5 == 0:
                yield self._issue(self.random.randrange(CARDS))
            if self.transfers % 50 == 0:
                yield self._rename(self.random.randrange(BRANCHES))

    def sweep(self) -> Iterator[Record]:
        """Touch everything once more: what is emitted of it then comes from the state itself."""
        yield from (self._transfer(source, source + 1) for source in range(0, self.accounts - 1, 2))
        for branch, start in sorted(self.volume):
            yield self._transfer(branch, branch + BRANCHES, time=start)
        yield from (self._rename(branch) for branch in range(BRANCHES))

    def homes(self) -> dict[int, dict[str, Any]]:
        """The cards with the names of their branches."""
        return {
            card: {"name": self.names[branch], "version": version} for card, (branch, version) in self.cards.items()
        }

    @property
    def _time(self) -> int:
        return 1000 + self.transfers * 10

    def _transfer(self, source: int, target: int, time: int | None = None) -> Record:
        amount = self.random.randrange(1, 1000)
        self.transfers += 1
        time = self._time if time is None else time
        for account, change in ((source, -amount), (target, amount)):
            self.balances[account] += change
            self.postings[account] += 1
        branch = source % BRANCHES
        self.traffic[branch] += 1
        self.volume[branch, time // 1000 * 1000] += amount
        number = self.transfers
        made = record("transfers", number, time, id=number, source=source, target=target, amount=amount)
        if amount % 20 == 0:
            self.refused[number] = made
        return made

    def _issue(self, card: int) -> Record:
        version = self.cards.get(card, (0, 0))[1] + 1
        branch = self.random.randrange(BRANCHES)
        self.cards[card] = branch, version
        return record("cards", card, self._time, branch=branch, version=version)

    def _rename(self, branch: int) -> Record:
        self.names[branch] = f"branch {branch} at {self._time}"
        return record("branches", branch, self._time, name=self.names[branch])
