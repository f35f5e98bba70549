"""What an app publishes for replicas when it starts: where its epochs begin."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping

from confluent_kafka import KafkaError, KafkaException

from holdfast.errors import BrokerError
from holdfast.stores.changelog import Changelog, Partition
from holdfast.topics.admin import Topics
from holdfast.topics.client import client_settings
from holdfast.topics.own_topics import meta_topic
from holdfast.topics.records import Record
from holdfast.topology.graph import Topology

_TIMEOUT_SECONDS = 20.0
_NEW = {
    KafkaError.NOT_LEADER_FOR_PARTITION,
    KafkaError.LEADER_NOT_AVAILABLE,
    KafkaError.UNKNOWN_TOPIC_OR_PART,
    KafkaError.UNKNOWN_LEADER_EPOCH,
    KafkaError.FENCED_LEADER_EPOCH,
}
Offsets = dict[str, dict[str, int]]


def changelog_ends(brokers: str, kafka: Mapping[str, str], plan: Topology) -> Offsets:
    """How far each partition of the changelogs is: the epochs that the app ends name all of them from the first on."""
    names = [node.store.changelog for node in plan.nodes if node.store and node.store.changelog]
    if not names:
        return {}
    changelog = Changelog(client_settings(brokers, kafka))
    try:
        ends = _ends(changelog, names)
    finally:
        changelog.close()
    out: Offsets = {}
    for partition, end in ends.items():
        out.setdefault(partition.topic, {})[str(partition.number)] = end
    return out


def _ends(changelog: Changelog, names: list[str]) -> dict[Partition, int]:
    """Ask until the broker knows of topics that have just been made."""
    deadline = time.monotonic() + _TIMEOUT_SECONDS
    while True:
        try:
            found = changelog.describe(names).values()
            return changelog.ends([Partition(topic.name, number) for topic in found for number in topic.partitions])
        except KafkaException as error:
            if time.monotonic() > deadline or (not error.args[0].retriable() and error.args[0].code() not in _NEW):
                raise BrokerError(f"the ends of the changelogs are not known: {error.args[0].str()}") from error
            time.sleep(0.05)


def publish_live(topics: Topics, app: str, epoch: int, query: str | None, ends: Offsets, live: bool) -> None:
    """Publish for replicas that changes come as they are made, in real-time mode; or in epochs again."""
    of_query = {} if query is None else {"query": query}
    _publish(topics, app, {"epoch": epoch, **of_query, "offsets": ends, **({"live": True} if live else {})})


def publish_beginning(topics: Topics, app: str, ends: Offsets) -> None:
    """Publish for replicas that an app begins anew: what is there is all there is, until its first epoch has ended."""
    _publish(topics, app, {"epoch": -1, "offsets": ends})


def _publish(topics: Topics, app: str, content: Mapping[str, object]) -> None:
    """Write the record of an epoch, as `SinkProgress.java` does when one has ended."""
    now = int(time.time() * 1000)
    value = json.dumps({**content, "at": now}).encode()
    topics.produce([Record(meta_topic(app), b"epoch", value, timestamp=now)])
