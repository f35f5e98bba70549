"""Records to and from librdkafka's clients."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol, cast

from holdfast.errors import BrokerError
from holdfast.topics.client import LOGGER, ClientSettings
from holdfast.topics.records import Record

if TYPE_CHECKING:
    import confluent_kafka
    from confluent_kafka import KafkaError, Producer, TopicPartition

LARGEST = 32 << 20  # bytes of a record that is written; how large one may be at all is for the broker to say
Delivered = Callable[["KafkaError | None", "confluent_kafka.Message"], None]


class Message(Protocol):
    """A message of a consumer; the client's own type says of every part that it may be missing."""

    def topic(self) -> str: ...
    def partition(self) -> int: ...
    def offset(self) -> int: ...
    def key(self) -> bytes | None: ...
    def value(self) -> bytes | None: ...
    def headers(self) -> list[tuple[str, bytes | None]] | None: ...
    def timestamp(self) -> tuple[int, int]: ...
    def error(self) -> KafkaError | None: ...


class Consumer(Protocol):
    """The methods used of a consumer without a group."""

    def assign(self, partitions: list[TopicPartition]) -> None: ...
    def poll(self, timeout: float) -> Message | None: ...
    def consume(self, num_messages: int, timeout: float) -> list[Message]: ...
    def get_watermark_offsets(
        self, partition: TopicPartition, timeout: float = ..., cached: bool = ...
    ) -> tuple[int, int] | None: ...
    def close(self) -> None: ...


def open_consumer(settings: ClientSettings) -> Consumer:
    """A consumer with these settings."""
    from confluent_kafka import Consumer as Client

    return cast(Consumer, Client(settings, logger=LOGGER))


def send(producer: Producer, record: Record, done: Delivered) -> None:
    """Hand a record to a producer, waiting while its buffer is full; one that it cannot take is refused."""
    from confluent_kafka import KafkaException

    partition = -1 if record.partition is None else record.partition
    while True:
        try:
            producer.produce(
                record.topic, record.value, record.key, partition, on_delivery=done, timestamp=record.timestamp or 0,
                headers=list(record.headers),
            )  # fmt: skip
            producer.poll(0)
            return
        except BufferError:
            producer.poll(0.5)
        except KafkaException as error:
            raise _refused(record, error.args[0]) from error


def _refused(record: Record, error: KafkaError) -> BrokerError:
    what = f"a record for topic {record.topic!r} cannot be written"
    if error.code() != error.MSG_SIZE_TOO_LARGE:
        return BrokerError(f"{what}: {error.str()}")
    size = len(record.key or b"") + len(record.value or b"")
    return BrokerError(
        f"{what}: {size:,} bytes are too large, the limit is {LARGEST >> 20} MB; split the record, or keep the content "
        "elsewhere and write where it is"
    )


def received(message: Message) -> Record:
    """Give a message of a consumer as a record."""
    kind, timestamp = message.timestamp()
    return Record(
        topic=message.topic(),
        key=message.key(),
        value=message.value(),
        timestamp=timestamp if kind else None,
        headers=tuple(message.headers() or ()),
        partition=message.partition(),
        offset=message.offset(),
    )
