"""Follows the topics of an app that the dashboard shows: the last hours of its telemetry, and its last dead letters."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from confluent_kafka import OFFSET_END, KafkaError, KafkaException, TopicPartition
from confluent_kafka import Consumer as Client

from holdfast.topics.client import LOGGER, ClientSettings
from holdfast.topics.records import Record
from holdfast.topics.transfer import received

_POLL = 0.2
_LOOK = 5.0
_RETRY = 2.0
_TIMEOUT = 5.0
_AT_ONCE = 500

log = logging.getLogger("holdfast.server")


@dataclass(frozen=True)
class Followed:
    """A topic: what is done with its records, and where to begin, by age or by number of records per partition."""

    take: Callable[[Record], None]
    forget: Callable[[], None]
    hours: float | None = None
    last: int = 0


class TopicTail:
    """A thread with one consumer; a topic that is not there yet is looked for again and again."""

    def __init__(self, kafka: ClientSettings, topics: Mapping[str, Followed], tick: Callable[[], None]) -> None:
        self._kafka = kafka
        self._topics = topics
        self._tick = tick
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="holdfast-dashboard", daemon=True)

    def start(self) -> None:
        """Begin to follow."""
        self._thread.start()

    def stop(self) -> None:
        """End."""
        self._stop.set()
        if self._thread.ident is not None:
            self._thread.join()

    def _run(self) -> None:
        while not self._stop.is_set():
            try:
                self._follow()
            except (KafkaException, TimeoutError) as error:
                log.debug("the dashboard's topics cannot be read: %s", error)
            except Exception:
                log.exception("the dashboard cannot read what the app publishes")
            self._stop.wait(_RETRY)

    def _follow(self) -> None:
        consumer = Client({**self._kafka, **_SETTINGS}, logger=LOGGER)
        try:
            for followed in self._topics.values():
                followed.forget()
            self._read(consumer)
        finally:
            consumer.close()

    def _read(self, consumer: Client) -> None:
        found: frozenset[str] = frozenset()
        looked = ticked = 0.0
        while not self._stop.is_set():
            now = time.monotonic()
            if now - looked > _LOOK and len(found) < len(self._topics):
                found, looked = self._look(consumer, found), now
            if now - ticked > 1.0:
                ticked = now
                self._tick()
            for message in consumer.consume(_AT_ONCE, _POLL):
                if (error := message.error()) is None:
                    self._topics[str(message.topic())].take(received(message))  # type: ignore[arg-type]
                elif error.code() in _GONE:
                    return  # the topic was deleted: it is looked for again, and read from its beginning

    def _look(self, consumer: Client, found: frozenset[str]) -> frozenset[str]:
        """Follow topics that have come to be."""
        there = consumer.list_topics(timeout=_TIMEOUT).topics
        for name, followed in self._topics.items():
            if name not in found and name in there and there[name].partitions:
                parts = [TopicPartition(name, number) for number in there[name].partitions]
                consumer.incremental_assign(_begin(consumer, parts, followed))
                found |= {name}
        if not found:
            consumer.assign([])
        return found


_SETTINGS: ClientSettings = {
    "group.id": "holdfast-dashboard",  # the client wants one; it is never joined nor committed to
    "enable.auto.commit": False,
    "enable.auto.offset.store": False,
    "auto.offset.reset": "earliest",
    "isolation.level": "read_committed",
    "fetch.wait.max.ms": 200,
}
_GONE = {KafkaError.UNKNOWN_TOPIC_OR_PART, KafkaError._UNKNOWN_PARTITION, KafkaError._UNKNOWN_TOPIC}


def _begin(consumer: Client, parts: list[TopicPartition], followed: Followed) -> list[TopicPartition]:
    """Where to begin in each partition."""
    if followed.hours is not None:
        since = int((time.time() - followed.hours * 3600) * 1000)
        asked = [TopicPartition(part.topic, part.partition, since) for part in parts]
        return [_or_end(part) for part in consumer.offsets_for_times(asked, timeout=_TIMEOUT)]
    return [_from_end(consumer, part, followed.last) for part in parts]


def _or_end(part: TopicPartition) -> TopicPartition:
    return part if part.offset >= 0 else TopicPartition(part.topic, part.partition, OFFSET_END)


def _from_end(consumer: Client, part: TopicPartition, last: int) -> TopicPartition:
    low, high = consumer.get_watermark_offsets(part, timeout=_TIMEOUT)
    return TopicPartition(part.topic, part.partition, max(low, high - last))
