"""A reader of committed records that outlives its broker."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from typing import Any

from holdfast.topics.admin import Topics

OUTPUT = ("receipts", "tickets", "statements")


class Reader:
    """Reads the bank's output from its beginning and keeps it."""

    def __init__(self, brokers: str) -> None:
        self._brokers = brokers
        self._consumer: Any = None
        self.read: dict[str, list[tuple[int, Any]]] = {topic: [] for topic in OUTPUT}

    def poll(self) -> None:
        """Take what there is now."""
        consumer = self._consumer or self._begin()
        while messages := consumer.consume(500, timeout=0.2) if consumer else []:
            for message in messages:
                if message.error() is None:
                    self.read[message.topic()].append((int(message.key()), json.loads(message.value())))

    def wait(self, topic: str, count: int, alive: Callable[[], None], seconds: float = 240) -> None:
        """Wait until a topic has so many records; `alive` objects if nobody is there to write them."""
        deadline = time.monotonic() + seconds
        while len(self.read[topic]) < count:
            alive()
            if time.monotonic() > deadline:
                raise AssertionError(f"{topic} has {len(self.read[topic])} records of {count} after {seconds:.0f} s")
            self.poll()
            time.sleep(0.05)

    def close(self) -> None:
        """Leave."""
        if self._consumer is not None:
            self._consumer.close()

    def _begin(self) -> Any:
        """Assign every partition of the output, once the app has made the topics."""
        from confluent_kafka import OFFSET_BEGINNING, Consumer, TopicPartition

        there = {topic.name: topic.partitions for topic in Topics(self._brokers).existing()}
        if not set(self.read) <= set(there):
            return None
        parts = [TopicPartition(topic, p, OFFSET_BEGINNING) for topic in self.read for p in range(there[topic])]
        settings = {"bootstrap.servers": self._brokers, "group.id": "auditor", "isolation.level": "read_committed"}
        self._consumer = Consumer({**settings, "enable.auto.commit": False, "log_level": 0})
        self._consumer.assign(parts)
        return self._consumer
