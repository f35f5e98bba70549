"""Records to and from librdkafka's clients."""

from collections.abc import Callable
from typing import Any

from holdfast.errors import BrokerError
from holdfast.topics.records import Record


def send(producer: Any, record: Record, done: Callable[[Any, Any], None]) -> None:
    """Hand a record to a producer, waiting while its buffer is full; one that it cannot take is refused."""
    from confluent_kafka import KafkaException

    extra: dict[str, Any] = {"timestamp": record.timestamp} if record.timestamp is not None else {}
    if record.partition is not None:
        extra["partition"] = record.partition
    headers = list(record.headers)
    while True:
        try:
            producer.produce(record.topic, record.value, record.key, headers=headers, on_delivery=done, **extra)
            producer.poll(0)
            return
        except BufferError:
            producer.poll(0.5)
        except KafkaException as error:
            why = error.args[0].str()
            raise BrokerError(f"a record for topic {record.topic!r} cannot be written: {why}") from error


def received(message: Any) -> Record:
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
