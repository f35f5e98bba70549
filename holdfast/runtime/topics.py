"""The topics of an app: created if missing, refused if their settings do not fit."""

from __future__ import annotations

import difflib
import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace

from holdfast.errors import BrokerError
from holdfast.topics.admin import Topics
from holdfast.topics.own_topics import dead_letter_topic, epoch_topic, marker_topic, meta_topic, replay_topic
from holdfast.topics.records import TopicInfo, TopicSpec
from holdfast.topics.telemetry import telemetry_spec
from holdfast.topology.graph import Topology
from holdfast.topology.nodes import Store

PARTITIONS = 4
# A record that a source may just hold is larger once it has our headers.
LARGE = {"max.message.bytes": str(16 << 20)}
# Kafka refuses records that are more than an hour ahead; the time of an app's own records is that of its input.
ANY_TIME = {
    "message.timestamp.type": "CreateTime",
    "message.timestamp.before.max.ms": str(2**63 - 1),
    "message.timestamp.after.max.ms": str(2**63 - 1),
}


def replay_spec(app: str) -> TopicSpec:
    """One partition, because replays have an order; no retention, because they mark what was replayed."""
    return TopicSpec(replay_topic(app), partitions=1, compacted=True, config=LARGE, preferred=ANY_TIME)


def epoch_spec(app: str) -> TopicSpec:
    """One partition, because epochs have an order; no retention, because a copy of the checkpoint may have any age."""
    kept = {"cleanup.policy": "delete", "retention.ms": "-1", "retention.bytes": "-1"}
    return TopicSpec(epoch_topic(app), partitions=1, config=kept, preferred=ANY_TIME)


def ensure_topics(topics: Topics, plan: Topology, telemetry: bool = False) -> list[str]:
    """Create what is missing and give the names; what is there and does not fit is refused."""
    return topics.ensure(_specs(plan, _there(topics), telemetry))


def delete_epochs(topics: Topics, plan: Topology) -> None:
    """Remove what an earlier life of the app wrote of its epochs: without its checkpoint they are counted anew."""
    topics.delete({marker_topic(plan.app), epoch_topic(plan.app)} & _there(topics).keys())


def check_topics(topics: Topics, plan: Topology) -> None:
    """Refuse a source that looks like a misspelling and topics that do not fit, before anything is made."""
    there = _there(topics)
    for name in plan.topics:
        _refuse_misspelling(name, there, plan.app)
    topics.check(spec for spec in _specs(plan, there) if spec.name in there)


def _there(topics: Topics) -> dict[str, TopicInfo]:
    return {info.name: info for info in topics.existing(internal=True)}


def _specs(plan: Topology, there: Mapping[str, TopicInfo], telemetry: bool = False) -> list[TopicSpec]:
    sources = plan.topics
    width = max((there[name].partitions for name in sources if name in there), default=PARTITIONS)
    return [*_source_specs(sources, there, width), *_own_specs(plan, width, there, telemetry)]


def identities(topics: Topics, plan: Topology) -> dict[str, str]:
    """The identity of each topic that is read and is there: a topic made anew has another one."""
    return topics.identities(plan.topics)


def partitions_of(topics: Topics, plan: Topology) -> dict[str, int]:
    """The number of partitions of each topic that is read, that of replays among them."""
    wanted = {*plan.topics, replay_topic(plan.app)}
    return {info.name: info.partitions for info in topics.existing(internal=True) if info.name in wanted}


def _refuse_misspelling(name: str, there: Mapping[str, TopicInfo], app: str) -> None:
    if name in there or name == dead_letter_topic(app):
        return
    # Names that differ by a number are a family, not a slip.
    own = [each for each in there if not each.startswith(("__", f"{app}-")) and _letters(each) != _letters(name)]
    close = difflib.get_close_matches(name, own, n=1, cutoff=0.8)
    if close:
        raise BrokerError(
            f"topic {name!r} does not exist; did you mean {close[0]!r}? "
            f"If it is new, make it first: holdfast topics create {name}"
        )


def _letters(name: str) -> str:
    return re.sub(r"\d+", "", name)


def _source_specs(sources: Mapping[str, str], there: Mapping[str, TopicInfo], width: int) -> Iterable[TopicSpec]:
    for name, kind in sources.items():
        if name not in there:
            yield TopicSpec(name, partitions=width, compacted=kind != "stream")


def _history(store: Store) -> dict[str, str]:
    """Versions of a key must outlive compaction for as long as somebody may ask for them, and a day more."""
    return {} if store.versioned is None else {"min.compaction.lag.ms": str(store.versioned + 86_400_000)}


def _own_specs(plan: Topology, width: int, there: Collection[str], telemetry: bool) -> Iterable[TopicSpec]:
    """What the app writes; a topic that is there may have any number of partitions."""
    app, known = plan.app, plan.topics

    def wanted(name: str, compacted: bool = False, config: Mapping[str, str] = {}) -> TopicSpec:
        partitions = None if name in there else width
        return TopicSpec(name, partitions=partitions, compacted=compacted, config={**LARGE, **config})

    def internal(name: str, compacted: bool = False, config: Mapping[str, str] = {}) -> TopicSpec:
        return replace(wanted(name, compacted, config), preferred=ANY_TIME)

    for node in plan.nodes:
        for topic in node.topics_written:
            if topic not in known:
                yield wanted(topic)
        if node.late_topic and node.late_topic not in known:
            yield wanted(node.late_topic)
        if node.store and node.store.changelog:
            yield internal(node.store.changelog, compacted=True, config=_history(node.store))
    if dead_letter_topic(app) not in known:
        yield replace(internal(dead_letter_topic(app)), every_record=True)
    if known:
        yield replay_spec(app)
    # One epoch record per commit: small segments, so that compaction keeps up with them.
    small = {"segment.ms": "600000", "min.cleanable.dirty.ratio": "0.1"}
    yield TopicSpec(meta_topic(app), partitions=1, compacted=True, config=small, preferred=ANY_TIME)
    yield TopicSpec(marker_topic(app), partitions=plan.tasks, compacted=True, config=small, preferred=ANY_TIME)
    yield epoch_spec(app)
    if telemetry:
        yield telemetry_spec(app)
