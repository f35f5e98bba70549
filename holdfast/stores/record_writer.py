"""Writes records for clients of a server, and says where they are."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

from confluent_kafka import KafkaError, Producer

from holdfast.errors import BrokerError
from holdfast.stores.changelog import Partition
from holdfast.topics.client import LOGGER, ClientSettings
from holdfast.topics.records import Record
from holdfast.topics.transfer import LARGEST, Message, send

SECONDS = 20.0


class WrittenRecord(NamedTuple):
    """Where a record is."""

    partition: Partition
    offset: int


class RecordWriter:
    """A producer that is made when it is first needed."""

    def __init__(self, kafka: ClientSettings) -> None:
        own: ClientSettings = {"partitioner": "murmur2_random", "message.max.bytes": LARGEST, "acks": "all"}
        times: ClientSettings = {"linger.ms": 1, "delivery.timeout.ms": int(SECONDS * 1000)}
        self._settings: ClientSettings = {**own, **times, **kafka, "enable.idempotence": True}
        self._producer: Producer | None = None
        self._making = threading.Lock()

    def write(self, records: Sequence[Record]) -> list[WrittenRecord]:
        """Write records, and wait until the broker has all of them; if it has not, some may be written."""
        producer, written, problems = self._made(), dict[int, WrittenRecord](), list[str]()

        def taken(number: int, error: KafkaError | None, message: Message) -> None:
            if error is not None:
                problems.append(error.str())
            else:
                written[number] = WrittenRecord(Partition(message.topic(), message.partition()), message.offset())

        for number, record in enumerate(records):
            send(producer, record, partial(taken, number))
        producer.flush(SECONDS)
        if problems or len(written) < len(records):
            why = problems[0] if problems else f"not acknowledged within {SECONDS:.0f} s"
            raise BrokerError(
                f"{len(records) - len(written)} of {len(records)} records are not known to be written: {why}"
            )
        return [written[number] for number in range(len(records))]

    def _made(self) -> Producer:
        with self._making:
            if self._producer is None:
                self._producer = Producer(self._settings, logger=LOGGER)
            return self._producer
