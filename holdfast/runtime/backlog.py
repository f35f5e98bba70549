"""How far behind its topics an app is, before it starts."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from confluent_kafka import Consumer, KafkaException, TopicPartition

from holdfast.errors import BrokerError
from holdfast.topics.client import client_settings

Offsets = Mapping[str, Mapping[str, int]]
_SECONDS = 20.0


def committed(checkpoint: Path) -> Offsets | None:
    """What the last epoch of a checkpoint has read; None if it has none, or one that was not finished."""
    begun, ended = _last(checkpoint / "offsets"), _last(checkpoint / "commits")
    if begun is None or begun != ended:
        return None
    for line in (checkpoint / "offsets" / str(begun)).read_text().splitlines()[2:]:
        found = json.loads(line) if line.startswith("{") else {}
        return {topic: parts for topic, parts in found.items() if not topic.startswith("#")}
    return None


def last_epoch(checkpoint: Path) -> int:
    """The last epoch that was begun; -1 if there is none."""
    begun = _last(checkpoint / "offsets")
    return -1 if begun is None else begun


def partitions(checkpoint: Path) -> int | None:
    """How many Spark partitions the epochs of a checkpoint have; None if it has none, or none that can be read."""
    begun = _last(checkpoint / "offsets")
    if begun is None:
        return None
    lines = (checkpoint / "offsets" / str(begun)).read_text().splitlines()
    try:
        conf = json.loads(lines[1]).get("conf", {})
    except (ValueError, IndexError):
        return None  # Spark reads it, too, and says so
    width = conf.get("spark.sql.shuffle.partitions")
    return None if width is None else int(width)


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


def _last(directory: Path) -> int | None:
    numbers = [int(file.name) for file in directory.glob("*") if file.name.isdigit()]
    return max(numbers, default=None)
