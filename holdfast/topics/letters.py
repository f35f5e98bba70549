"""Dead letters in their topic, and the records that replay them."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace

from holdfast.topics import header_names
from holdfast.topics.own_topics import replay_topic
from holdfast.topics.records import Record

# What an app says of a record begins with the last of these; the record's own headers come before.
FIRST = header_names.TOPIC
Headers = tuple[tuple[str, bytes | None], ...]


@dataclass(frozen=True)
class NodeInput:
    """What a node saw of a record: key and value, scalars as text, the rest as JSON."""

    key: bytes | None
    value: bytes | None


@dataclass(frozen=True)
class Letter:
    """One dead letter: the source record, who refused it, where, when and why."""

    id: str
    topic: str
    partition: int
    offset: int
    node: str
    at: str
    reason: str
    time: int
    timestamp: int
    key: bytes | None
    value: bytes | None
    headers: Headers
    seen: NodeInput | None = None
    port: int = 0
    path: str = "00"
    attempt: int = 0
    gone: bool = False
    elsewhere: bool = False
    """Whether the record was too large for the letter; it lies in its topic."""

    def with_original(self, record: Record | None) -> Letter:
        """The letter with its record, which was read from its topic; None if it is gone from there."""
        if record is None:
            return replace(self, gone=True, elsewhere=False)
        return replace(self, key=record.key, value=record.value, headers=record.headers, elsewhere=False)

    def identity(self, frames: Collection[str] = ()) -> bytes:
        """What a letter has in common with the same one written again: after a new start from nothing, for example.

        Rows of DataFrames (`frames`) and what came of time alone have no place that lasts, so their letters stand for
        themselves.
        """
        if self.topic in ("", *frames):
            return f"letter/{self.id}#{self.attempt}".encode()
        return f"{self.topic}/{self.partition}/{self.offset}/{self.node}/{self.path}#{self.attempt}".encode()

    def replayed(self, app: str, identity: bytes, sent: NodeInput, node: str) -> Record:
        """The record that puts it back at a node, with a key and a value as that node takes them."""
        facts: list[tuple[str, str]] = [
            (FIRST, self.topic),
            (header_names.PARTITION, str(self.partition)),
            (header_names.OFFSET, str(self.offset)),
            (header_names.NODE, node),
            (header_names.TIME, str(self.time)),
            (header_names.REPLAYED, str(self.attempt + 1)),
        ]
        if node == self.node:
            facts += [(header_names.PORT, str(self.port)), (header_names.PATH, self.path)]
        if sent.value is None:
            facts.append((header_names.NULL, "value"))  # a record without a value would be forgotten by compaction
        headers: Headers = (*self.headers, *((name, text.encode()) for name, text in facts))
        if sent.key is not None:
            headers = (*headers, (header_names.KEY, sent.key))
        return Record(replay_topic(app), identity, sent.value or b"", self.timestamp, headers, 0)


def replayed_key(record: Record) -> bytes | None:
    """The key that a record of the replay topic has for its node."""
    return dict(record.headers[_first(record) or 0 :]).get(header_names.KEY)


def _first(record: Record) -> int | None:
    """The index of the first header that describes the dead letter; the record's own headers come before."""
    return max((i for i, (name, _) in enumerate(record.headers) if name == FIRST), default=None)


def letter(record: Record) -> Letter | None:
    """The letter that a record of the dead-letter topic is; None if something else was written there."""
    first = _first(record)
    if first is None:
        return None
    facts = {name: value for name, value in record.headers[first:] if value is not None}
    text = {name: value.decode(errors="replace") for name, value in facts.items()}
    try:
        return Letter(
            id=f"{record.partition or 0}/{record.offset or 0}",
            topic=text[FIRST],
            partition=int(text[header_names.PARTITION]),
            offset=int(text[header_names.OFFSET]),
            node=text[header_names.NODE],
            at=text.get(header_names.AT, ""),
            reason=text.get(header_names.REASON, ""),
            time=int(text.get(header_names.TIME, 0)),
            timestamp=int(text.get(header_names.TIMESTAMP, record.timestamp or 0)),
            key=record.key,
            value=record.value,
            headers=record.headers[:first],
            seen=_seen(facts, record),
            port=int(text.get(header_names.PORT, 0)),
            path=_path(text.get(header_names.PATH, "00")),
            attempt=int(text.get(header_names.REPLAYED, 0)),
            gone=text.get(header_names.ORIGINAL) == "gone",
            elsewhere=text.get(header_names.ORIGINAL) == "elsewhere",
        )
    except (KeyError, ValueError):
        return None


def _path(text: str) -> str:
    """The path of a record, which has at least one byte."""
    if not bytes.fromhex(text):
        raise ValueError("an empty path")
    return text


def _seen(facts: dict[str, bytes], record: Record) -> NodeInput | None:
    match facts.get(header_names.SEEN):
        case b"record":
            return NodeInput(record.key, record.value)
        case b"headers":
            return NodeInput(facts.get(header_names.KEY), facts.get(header_names.VALUE))
    return None


def in_order(letters: Iterable[Letter]) -> list[Letter]:
    """Letters by their original time; those of one partition in the order that they had there."""
    reached: dict[tuple[str, int], int] = {}
    placed: list[tuple[int, Letter]] = []
    for each in sorted(letters, key=lambda x: (x.topic, x.partition, x.offset, x.path, x.attempt)):
        place = (each.topic, each.partition)
        reached[place] = max(reached.get(place, each.timestamp), each.timestamp)
        placed.append((reached[place], each))
    return [each for _, each in sorted(placed, key=lambda pair: pair[0])]
