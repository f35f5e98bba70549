"""The score events, and what every workload must make of them."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import Any

from holdfast.topics.admin import Topics
from holdfast.topics.records import TopicSpec

PRODUCTS, PLAYERS, PARTITIONS = 1_000, 100_000, 4


@dataclass
class Expected:
    """Final results per workload: count per product, top three per product, count and sum per player."""

    w1: dict[int, int] = field(default_factory=dict)
    w2: dict[int, list[int]] = field(default_factory=dict)
    w3: dict[int, list[int]] = field(default_factory=dict)

    def add(self, score: int, product: int, player: int) -> None:
        """Take one event."""
        self.w1[product] = self.w1.get(product, 0) + 1
        best = self.w2.setdefault(product, [])
        if len(best) < 3 or score > best[-1]:
            best.append(score)
            best.sort(reverse=True)
            del best[3:]
        both = self.w3.setdefault(player, [0, 0])
        both[0] += 1
        both[1] += score


def produce(topics: Topics, topic: str, count: int) -> Expected:
    """Write `count` events, the same ones every time, unless they are there; give the expected results."""
    there = any(info.name == topic for info in topics.existing())
    if not there:
        topics.create(TopicSpec(topic, PARTITIONS))
    send = Sender(topics, topic) if not there else None
    expected, rng = Expected(), random.Random(1)
    for i in range(count):
        event = (rng.randrange(10_000), rng.randrange(PRODUCTS), rng.randrange(PLAYERS))
        expected.add(*event)
        if send:
            send.one(b'{"score": %d, "product_id": %d, "player_id": %d}' % event, i % PARTITIONS)
    if send:
        send.finish()
    return expected


class Sender:
    """Writes many records; `finish` waits until all have arrived."""

    def __init__(self, topics: Topics, topic: str) -> None:
        from confluent_kafka import Producer

        settings: dict[str, Any] = {"bootstrap.servers": topics.brokers, "linger.ms": 50, "compression.type": "lz4"}
        self._producer = Producer({**settings, "batch.size": 1_000_000, "queue.buffering.max.messages": 1_000_000})
        self._topic = topic

    def one(self, value: bytes, partition: int) -> None:
        """Write one record."""
        while True:
            try:
                self._producer.produce(self._topic, value, partition=partition)
                return
            except BufferError:
                self._producer.poll(0.1)

    def finish(self) -> None:
        """Wait for the rest."""
        if self._producer.flush(300):
            raise RuntimeError("not all events were written")
