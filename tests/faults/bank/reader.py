"""A reader of committed records that outlives its broker."""

from __future__ import annotations

from typing import Any

from holdfast.topics.admin import Topics
from tests.faults.bank.subject import Subject


class Reader:
    """Reads the output of a program from its beginning and keeps it."""

    def __init__(self, brokers: str, subject: Subject) -> None:
        self._brokers = brokers
        self._subject = subject
        self._consumer: Any = None
        self.read: dict[str, list[Any]] = {topic: [] for topic in subject.output}

    def poll(self) -> None:
        """Take what there is now."""
        consumer = self._consumer or self._begin()
        while messages := consumer.consume(500, timeout=0.2) if consumer else []:
            for each in messages:
                if each.error() is None:
                    topic = each.topic()
                    self.read[topic].append(self._subject.decode(topic, each.key(), each.value()))

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
