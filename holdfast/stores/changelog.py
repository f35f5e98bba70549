"""The topics a replica follows: described, measured and tailed, without a consumer group."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from confluent_kafka import (
    OFFSET_BEGINNING,
    IsolationLevel,
    KafkaError,
    KafkaException,
    TopicCollection,
    TopicPartition,
)
from confluent_kafka.admin import (
    AdminClient,
    ConfigResource,
    OffsetSpec,
    ResourceType,
)

from holdfast.topics import header_names
from holdfast.topics.client import LOGGER, ClientSettings
from holdfast.topics.transfer import Message, open_consumer

if TYPE_CHECKING:
    from concurrent.futures import Future

    from confluent_kafka.admin import ListOffsetsResultInfo, TopicDescription

_REQUEST_TIMEOUT = 5.0
_RESULT_TIMEOUT = 10.0
_MOST_RECORDS = 5000
_LATEST = OffsetSpec.latest()  # type: ignore[no-untyped-call]
_DEFAULT_RETENTION = 24 * 3600 * 1000
_DIGITS = 18
_TRUNCATED = {KafkaError._AUTO_OFFSET_RESET, KafkaError.OFFSET_OUT_OF_RANGE}
_LOST = {KafkaError.UNKNOWN_TOPIC_OR_PART, KafkaError._UNKNOWN_PARTITION, KafkaError._UNKNOWN_TOPIC}


class Partition(NamedTuple):
    """One partition of a topic."""

    topic: str
    number: int


@dataclass(frozen=True)
class Topic:
    """What the broker says of a topic."""

    name: str
    id: str
    partitions: tuple[int, ...]


class Change(NamedTuple):
    """One record of a followed topic."""

    partition: Partition
    offset: int
    key: bytes | None
    value: bytes | None
    epoch: int | None  # None if the record does not say which
    time: int = 0


@dataclass
class Polled:
    """What one poll brought: records, partitions read to their end, topics that are gone or lost records."""

    changes: list[Change] = field(default_factory=list)
    ends: dict[Partition, int] = field(default_factory=dict)
    lost: set[str] = field(default_factory=set)
    truncated: set[str] = field(default_factory=set)


class Changelog:
    """A tail of topics, from offsets we keep ourselves."""

    def __init__(self, kafka: ClientSettings) -> None:
        self._admin = AdminClient(kafka, logger=LOGGER)
        self._consumer = open_consumer(
            {
                "group.id": "holdfast-replica",  # the client wants one; it is never joined nor committed to
                **kafka,
                "enable.auto.commit": "false",
                "enable.auto.offset.store": "false",
                "enable.partition.eof": "true",
                "auto.offset.reset": "error",
                "isolation.level": "read_committed",
                "fetch.wait.max.ms": "200",
            }
        )
        self._positions: dict[Partition, int] = {}

    def follow(self, positions: Mapping[Partition, int | None]) -> None:
        """Follow exactly these partitions, None from the beginning; one already followed goes on where it is."""
        wanted = {p: self._positions.get(p, OFFSET_BEGINNING if o is None else o) for p, o in positions.items()}
        if wanted.keys() != self._positions.keys():
            self._consumer.assign([TopicPartition(p.topic, p.number, offset) for p, offset in wanted.items()])
            self._positions = wanted

    def forget(self, topic: str) -> None:
        """Follow a topic anew the next time it is asked for."""
        self._positions = {p: offset for p, offset in self._positions.items() if p.topic != topic}

    def poll(self, timeout: float) -> Polled:
        """Wait for the first record and take what is there with it."""
        first = self._consumer.poll(timeout)
        polled = Polled()
        if first is not None:
            for message in (first, *self._consumer.consume(_MOST_RECORDS, 0)):
                self._sort(message, polled)
        return polled

    def describe(self, topics: Iterable[str]) -> dict[str, Topic]:
        """The topics among these that exist."""
        names = sorted(set(topics))
        if not names:
            return {}
        futures = self._admin.describe_topics(TopicCollection(names), request_timeout=_REQUEST_TIMEOUT)
        return {name: found for name, future in futures.items() if (found := _described(name, future))}

    def ends(self, partitions: Iterable[Partition], *, committed: bool = True) -> dict[Partition, int]:
        """The offset after the last record, or the last committed one, of each partition without vanished topics."""
        return ends(self._admin, partitions, committed=committed)

    def tombstone_retention(self, topic: str) -> int:
        """For how many milliseconds deletes stay in the topic."""
        resource = ConfigResource(ResourceType.TOPIC, topic)
        try:
            future = self._admin.describe_configs([resource], request_timeout=_REQUEST_TIMEOUT)[resource]
            configs = future.result(_RESULT_TIMEOUT)
            return int(configs["delete.retention.ms"].value)
        except (KafkaException, KeyError, ValueError, TypeError):
            return _DEFAULT_RETENTION  # the broker's default, where we may not ask

    def close(self) -> None:
        """Leave the broker."""
        self._consumer.close()

    def _sort(self, message: Message, polled: Polled) -> None:
        partition = Partition(message.topic(), message.partition())
        error = message.error()
        if error is None:
            time = message.timestamp()[1]
            change = Change(
                partition, message.offset(), message.key(), message.value(), _epoch(message.headers()), time
            )
            polled.changes.append(change)
            self._positions[partition] = change.offset + 1
        elif error.code() == KafkaError._PARTITION_EOF:
            polled.ends[partition] = message.offset()
        elif error.code() in _TRUNCATED:
            polled.truncated.add(partition.topic)
        elif error.code() in _LOST:
            polled.lost.add(partition.topic)
        elif not error.retriable():
            raise KafkaException(error)


def ends(admin: AdminClient, partitions: Iterable[Partition], *, committed: bool = True) -> dict[Partition, int]:
    """The offset after the last record, or the last committed one, of each partition without vanished topics."""
    asked = {TopicPartition(p.topic, p.number): _LATEST for p in partitions}
    if not asked:
        return {}
    level = IsolationLevel.READ_COMMITTED if committed else IsolationLevel.READ_UNCOMMITTED
    futures = admin.list_offsets(asked, isolation_level=level, request_timeout=_REQUEST_TIMEOUT)
    return {Partition(p.topic, p.partition): end for p, f in futures.items() if (end := _end(f)) is not None}


def _described(name: str, future: Future[TopicDescription]) -> Topic | None:
    try:
        found = future.result(_RESULT_TIMEOUT)
    except KafkaException as error:
        if error.args[0].code() == KafkaError.UNKNOWN_TOPIC_OR_PART:
            return None
        raise
    return Topic(name, str(found.topic_id), tuple(sorted(p.id for p in found.partitions)))


def _end(future: Future[ListOffsetsResultInfo]) -> int | None:
    try:
        return future.result(_RESULT_TIMEOUT).offset
    except KafkaException as error:
        if error.args[0].code() == KafkaError.UNKNOWN_TOPIC_OR_PART:
            return None
        raise


def _epoch(headers: list[tuple[str, bytes | None]] | None) -> int | None:
    for name, value in headers or ():
        if name == header_names.EPOCH:
            return int(value) if value and value.isdigit() and len(value) <= _DIGITS else None
    return None
