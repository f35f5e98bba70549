"""How far behind its topics an app is, before it starts."""

from __future__ import annotations

from collections.abc import Mapping

from confluent_kafka import Consumer, KafkaException, TopicPartition

from holdfast.errors import BrokerError
from holdfast.runtime.checkpoint import Offsets
from holdfast.topics.client import client_settings

_SECONDS = 20.0


def behind(brokers: str, kafka: Mapping[str, str], topics: Mapping[str, int], read: Offsets) -> int:
    """How many records wait; a partition that nothing was read of waits from its beginning."""
    consumer = Consumer(
        {**client_settings(brokers, kafka), "group.id": "holdfast-backlog", "enable.auto.commit": False}
    )
    try:
        total = 0
        for topic, count in topics.items():
            for number in range(count):
                low, high = consumer.get_watermark_offsets(TopicPartition(topic, number), timeout=_SECONDS)
                total += max(0, high - max(low, read.get(topic, {}).get(str(number), low)))
        return total
    except KafkaException as error:
        raise BrokerError(f"how far the topics go is not known: {error.args[0].str()}") from error
    finally:
        consumer.close()
