"""Appending records to a topic exactly once, by their keys."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from holdfast.errors import BrokerError
from holdfast.topics.admin import Topics
from holdfast.topics.client import LOGGER, ClientSettings, client_settings
from holdfast.topics.records import Record
from holdfast.topics.transfer import send

if TYPE_CHECKING:
    from confluent_kafka import Producer

_SECONDS = 30.0


def append_once(
    topics: Topics, kafka: Mapping[str, str], topic: str, name: str, records: Iterable[Record]
) -> list[Record]:
    """Write the records whose keys the topic does not have, all or none of them, and give those that were written.

    Writers of one `name` exclude each other: one that begins ends what another has not committed, so that what it
    finds in the topic is all there will be.
    """
    from confluent_kafka import KafkaException, Producer

    settings: ClientSettings = {"transactional.id": name, "enable.idempotence": True, "transaction.timeout.ms": 60_000}
    try:
        producer = Producer(client_settings(topics.brokers, kafka, **settings), logger=LOGGER)
        producer.init_transactions(_SECONDS)
        there = {each.key for each in topics.read(topic)}
        new = [record for record in records if record.key not in there]
        if new:
            _commit(producer, new)
        return new
    except KafkaException as error:
        raise BrokerError(
            f"writing to {topic} failed: {error.args[0].str()}; nothing was written, try again"
        ) from error


def _commit(producer: Producer, records: list[Record]) -> None:
    problems: list[str] = []
    producer.begin_transaction()
    for record in records:
        send(producer, record, lambda error, _: problems.append(error.str()) if error else None)
    producer.flush(_SECONDS)
    if problems:
        producer.abort_transaction(_SECONDS)
        raise BrokerError(f"the records were refused: {problems[0]}; nothing was written")
    producer.commit_transaction(_SECONDS)
