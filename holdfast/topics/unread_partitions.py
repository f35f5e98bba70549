"""Whether a reader has come to the end of its partitions."""

from __future__ import annotations

import time
from collections.abc import Iterable

from holdfast.topics.transfer import Consumer, Message

# A producer learns of its commit before every partition does; a producer that died leaves an open transaction.
OPEN_SECONDS = 10.0

Part = tuple[str, int]


class UnreadPartitions:
    """The partitions not yet read to their end; records of an open transaction are waited for, but not for ever."""

    def __init__(self, consumer: Consumer, parts: Iterable[Part]) -> None:
        self._consumer = consumer
        self._open = set(parts)
        self._waiting: dict[Part, float] = {}

    def at_end(self, message: Message) -> None:
        """Take note that there is no more to read in a partition now."""
        part = (message.topic(), message.partition())
        if self._behind(part, message.offset()):
            self._waiting.setdefault(part, time.monotonic() + OPEN_SECONDS)
        else:
            self._open.discard(part)
            self._waiting.pop(part, None)

    def left(self) -> bool:
        """Whether there may be more."""
        now = time.monotonic()
        for part in [part for part, deadline in self._waiting.items() if deadline < now]:
            self._open.discard(part)
            del self._waiting[part]
        return bool(self._open)

    def _behind(self, part: Part, offset: int) -> bool:
        from confluent_kafka import TopicPartition

        marks = self._consumer.get_watermark_offsets(TopicPartition(*part), cached=True)
        return marks is not None and offset < int(marks[1])
