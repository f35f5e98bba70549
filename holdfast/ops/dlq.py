"""The dead letters of an app: list, count and replay them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from holdfast.dsl.app import App
from holdfast.runtime.topics import replay_spec
from holdfast.topics.admin import Topics
from holdfast.topics.append_once import append_once
from holdfast.topics.letter_reasons import general_reason
from holdfast.topics.letters import Letter, NodeInput, in_order, letter, replayed_key
from holdfast.topics.own_topics import dead_letter_topic, replay_topic
from holdfast.topics.records import Record
from holdfast.topology import reentry
from holdfast.topology.sources import Source

Edit = Callable[[Letter, NodeInput], NodeInput | None]


@dataclass(frozen=True)
class LetterFilter:
    """A filter of dead letters; None and empty match all."""

    ids: frozenset[str] = frozenset()
    reason: str | None = None
    topic: str | None = None
    node: str | None = None
    since: int | None = None
    until: int | None = None
    replayed: bool | None = None

    def holds(self, found: FoundLetter) -> bool:
        """Whether a letter is among them."""
        each = found.letter
        return (
            (not self.ids or each.id in self.ids)
            and (self.reason is None or self.reason.lower() in each.reason.lower())
            and self.topic in (None, each.topic)
            and self.node in (None, each.node)
            and (self.since is None or each.time >= self.since)
            and (self.until is None or each.time <= self.until)
            and self.replayed in (None, found.replayed)
        )


class FoundLetter(NamedTuple):
    """A dead letter, and whether it was replayed."""

    letter: Letter
    replayed: bool


@dataclass(frozen=True)
class LetterGroup:
    """Dead letters of one node and topic with the same reason, apart from what varies from record to record."""

    reason: str
    node: str
    topic: str
    count: int
    replayed: int
    first: int
    last: int


@dataclass
class ReplayOutcome:
    """The result of a replay."""

    replayed: list[Letter] = field(default_factory=list)
    before: list[Letter] = field(default_factory=list)
    left_out: list[tuple[Letter, str]] = field(default_factory=list)
    twice: list[str] = field(default_factory=list)


class DeadLetters:
    """The dead letters of one app; `foreign` counts the records among them that it did not write."""

    def __init__(self, app: App, topics: Topics) -> None:
        self.foreign = 0
        self._app = app
        self._topics = topics
        self._frames = reentry.frames(app.topology)

    def find(self, wanted: LetterFilter) -> Iterator[FoundLetter]:
        """The letters that are meant, partition by partition."""
        self.foreign = 0
        name, there = dead_letter_topic(self._app.name), {t.name for t in self._topics.existing()}
        if name not in there:
            return
        done = self._done() if replay_topic(self._app.name) in there else frozenset()
        for record in self._topics.consume([name], from_beginning=True, to_end=True):
            each = letter(record)
            if each is None:
                self.foreign += 1
                continue
            found = FoundLetter(each, each.identity(self._frames) in done)
            if wanted.holds(found):
                yield found

    def _done(self) -> frozenset[bytes | None]:
        return frozenset(record.key for record in self._topics.read(replay_topic(self._app.name)))

    def whole(self, each: Letter) -> Letter:
        """The letter with its record, also if that was too large to be in it."""
        if not each.elsewhere:
            return each
        return each.with_original(self._topics.at(each.topic, each.partition, each.offset))

    def replay(
        self, chosen: Iterable[FoundLetter], edit: Edit, *, at_source: bool = False, only_look: bool = False
    ) -> ReplayOutcome:
        """Replay dead letters in order of their original time; one that was replayed before is skipped."""
        outcome, records = ReplayOutcome(), dict[bytes, tuple[Letter, Record]]()
        for found in chosen:
            if found.replayed:
                outcome.before.append(found.letter)
                continue
            self._prepare(found.letter, edit, at_source, outcome, records)
        self._leave_out_superseded(outcome, records)
        ordered = in_order(each for each, _ in records.values())
        identities = [each.identity(self._frames) for each in ordered]
        if only_look or not ordered:
            outcome.replayed = ordered
            return outcome
        written = {record.key for record in self._append(records[identity][1] for identity in identities)}
        for each, identity in zip(ordered, identities, strict=True):
            (outcome.replayed if identity in written else outcome.before).append(each)
        return outcome

    def _prepare(
        self,
        each: Letter,
        edit: Edit,
        at_source: bool,
        outcome: ReplayOutcome,
        records: dict[bytes, tuple[Letter, Record]],
    ) -> None:
        each = self.whole(each)
        node, seen = reentry.entry(self._app.topology, each, at_source=at_source)
        sent = edit(each, seen)
        if sent is None:
            outcome.left_out.append((each, "the edit left it out"))
            return
        identity = each.identity(self._frames)
        records[identity] = each, each.replayed(self._app.name, identity, sent, node)
        if node != each.node:
            again = reentry.seen_twice(self._app.topology, node, each.node)
            outcome.twice += [name for name in again if name not in outcome.twice]

    def _leave_out_superseded(self, outcome: ReplayOutcome, records: dict[bytes, tuple[Letter, Record]]) -> None:
        """A row of a table's topic that has a later one of the same key must not come back over it."""
        rows = {}
        for identity, (each, record) in records.items():
            source = reentry.source_of(self._app.topology, each)
            if isinstance(source, Source) and source.is_table and source.versioned is None:
                rows[identity] = each, replayed_key(record)
        last: dict[tuple[str, int, bytes | None], int] = {}
        for topic in sorted({each.topic for each, _ in rows.values()}):
            for record in self._topics.consume([topic], from_beginning=True, to_end=True):
                last[(topic, record.partition or 0, record.key)] = record.offset or 0
        for identity, (each, key) in rows.items():
            later = last.get((each.topic, each.partition, key), -1)
            if later > each.offset:
                del records[identity]
                outcome.left_out.append((each, f"the topic has a later row of its key, at offset {later}"))

    def _append(self, records: Iterable[Record]) -> list[Record]:
        app, kafka = self._app.name, self._app.settings.kafka_client()
        self._topics.ensure([replay_spec(app)])
        return append_once(self._topics, kafka, replay_topic(app), replay_topic(app), records)


def letter_groups(found: Iterable[FoundLetter]) -> list[LetterGroup]:
    """Letters counted by reason, node and topic; the most frequent first."""
    count: Counter[tuple[str, str, str]] = Counter()
    done: Counter[tuple[str, str, str]] = Counter()
    times: dict[tuple[str, str, str], tuple[int, int]] = {}
    for each, replayed in found:
        kind = (general_reason(each.reason), each.node, each.topic)
        first, last = times.get(kind, (each.time, each.time))
        times[kind] = min(first, each.time), max(last, each.time)
        count[kind] += 1
        done[kind] += replayed
    return [LetterGroup(*kind, number, done[kind], *times[kind]) for kind, number in count.most_common()]
