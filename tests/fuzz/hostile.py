"""Records of every kind that somebody might write to an input topic, by a seed."""

from __future__ import annotations

import base64
import json
import random
import time
from typing import Any

from holdfast.topics.records import Record

HOUR = 3_600_000
NAMES = ["hf-topic", "hf-partition", "hf-offset", "hf-node", "hf-reason", "hf-path", "hf-null", "hf-replayed"]
NAMES += ["hf-original", "hf-seen", "hf-key", "hf-value", "hf-epoch", "hf-timestamp", "", "from", "ü\u202e\x1b[31m"]
EDGES = [0, 1, -1, 7, 2**31, -(2**31) - 1, 2**53 + 1, 2**63 - 1, -(2**63), 2**64, 10**30, 0.1, -0.0, 1e308, 1e999]


class Hostile:
    """Makes records for a topic; `targets` are names of topics that they ask to be written to."""

    def __init__(self, seed: int, targets: list[str | None]) -> None:
        self._chance = random.Random(seed)
        self._targets = targets

    def records(self, topic: str, partitions: int, count: int) -> list[Record]:
        """So many records, spread over the partitions."""
        return [self._record(topic, partitions) for _ in range(count)]

    def _record(self, topic: str, partitions: int) -> Record:
        partition = self._chance.randrange(partitions)
        return Record(topic, self._key(), self._value(), self._timestamp(), self._headers(), partition)

    def _key(self) -> bytes | None:
        kind = self._chance.random()
        if kind < 0.9:
            return b"k%d" % self._chance.randrange(20)
        return self._chance.choice([None, b"", b"\xff\xfe", b"\x00" * 300, self._noise(70_000).encode(), b"\x1b[2J"])

    def _timestamp(self) -> int:
        now = int(time.time() * 1000)
        usual = now - self._chance.randrange(10_000)
        return self._chance.choice([0, now + 2 * HOUR, now + 48 * HOUR, 2**53, 2**63 - 1]) if self._rare() else usual

    def _headers(self) -> tuple[tuple[str, bytes | None], ...]:
        if self._chance.random() < 0.8:
            return ()
        many = 70_000 if self._chance.random() < 0.002 else self._chance.randrange(1, 6)
        values = [None, b"", b"1", b"gone", b"elsewhere", b"\xff\x00", b"headers", b"-1", b"99999999999999999999"]
        return tuple((self._chance.choice(NAMES), self._chance.choice(values)) for _ in range(many))

    def _value(self) -> bytes | None:
        kind = self._chance.random()
        if kind < 0.75:
            return json.dumps(self._document()).encode()
        if kind < 0.85:
            return self._broken(json.dumps(self._document()).encode())
        return self._chance.choice([self._garbage, self._deep, self._bytes, lambda: None])()

    def _document(self) -> Any:
        chance, now = self._chance, int(time.time() * 1000)
        return {
            "n": chance.choice(EDGES) if self._rare() else chance.randrange(100),
            "text": self._text(),
            "topic": chance.choice(self._targets),
            "time": chance.choice([-1, 0, now + 2 * HOUR, 2**53, 2**63 - 1]) if self._rare() else now - 1000,
            **({"more": [{"a": None}]} if self._rare() else {}),
        }

    def _text(self) -> Any:
        if not self._rare():
            return f"text {self._chance.randrange(1000)}"
        made = [
            None,
            7,
            "",
            "\x00",
            "\u202e\x1b]0;x\x07",
            "\ud800",
            "é" * 5_000,
            "\x01" * 200_000,
            self._noise(300_000),
        ]
        return self._chance.choice([*made, self._noise(1_500_000)])

    def _broken(self, text: bytes) -> bytes:
        at = self._chance.randrange(len(text))
        return self._chance.choice(
            [text[:at], text + b"}", text[:at] + b"\xff" + text[at + 1 :], b"\xef\xbb\xbf" + text]
        )

    def _garbage(self) -> bytes:
        return self._noise(self._chance.choice([10, 1_000, 1_200_000])).encode()

    def _deep(self) -> bytes:
        depth = self._chance.choice([10, 2_000, 100_000])
        return b'{"n": ' + b"[" * depth + b"]" * depth + b"}"

    def _bytes(self) -> bytes:
        return self._chance.randbytes(self._chance.randrange(200))

    def _noise(self, size: int) -> str:
        return base64.b64encode(self._chance.randbytes(size * 3 // 4)).decode()

    def _rare(self) -> bool:
        return self._chance.random() < 0.04
