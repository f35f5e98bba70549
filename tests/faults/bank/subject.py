"""What a trial needs to know of the program that it strikes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

from holdfast.topics.records import Record, TopicSpec

Reading = Mapping[str, Sequence[Any]]


class Subject(Protocol):
    """A program, its input, and the model of what must come of it."""

    name: str
    file: Path
    stateful: bool
    topics: tuple[TopicSpec, ...]
    output: tuple[str, ...]

    def opening(self) -> Iterator[Record]:
        """What is there before the app starts."""

    def next(self, count: int) -> Iterator[Record]:
        """More input."""

    def sweep(self) -> Iterator[Record]:
        """Input that touches all that there is, once more."""

    def decode(self, topic: str, key: bytes, value: bytes) -> Any:
        """A record of the output."""

    def missing(self, read: Reading) -> int:
        """How many records of the output are not there yet."""

    def repeated(self, read: Reading) -> list[str]:
        """What is there more than once."""

    def audit(self, read: Reading, brokers: str, replicas: list[Path]) -> list[str]:
        """All that is wrong."""


def differences(topic: str, wanted: Counter[Any], found: Sequence[Any]) -> list[str]:
    """What is missing in a topic or there too often."""
    missing, extra = wanted - Counter(found), Counter(found) - wanted
    if not missing and not extra:
        return []
    lost = f"{missing.total()} missing, such as {sorted(missing)[:3]}"
    return [f"{topic}: {lost}; {extra.total()} too many, such as {sorted(extra)[:3]}"]


def repeated(read: Reading) -> list[str]:
    """The records that are there more than once, by topic."""
    return [
        f"{topic}: {len(found) - len(set(found))} more than once, such as {Counter(found).most_common(1)[0][0]}"
        for topic, found in read.items()
        if len(found) > len(set(found))
    ]
