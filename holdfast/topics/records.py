"""Records as they lie in a topic, and topics as they should be."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Record:
    """One record: bytes as they are in Kafka; `timestamp` in milliseconds."""

    topic: str
    key: bytes | None
    value: bytes | None
    timestamp: int | None = None
    headers: tuple[tuple[str, bytes | None], ...] = ()
    partition: int | None = None
    offset: int | None = None


@dataclass(frozen=True)
class TopicSpec:
    """A topic to create: `partitions` None means any number, and the broker's default for a new one.

    `preferred` are settings that not every broker knows; one that refuses them makes the topic without. `every_record`
    says that none may go because a later one has its key.
    """

    name: str
    partitions: int | None = None
    compacted: bool = False
    config: Mapping[str, str] = field(default_factory=dict)
    preferred: Mapping[str, str] = field(default_factory=dict)
    every_record: bool = False

    @property
    def full_config(self) -> dict[str, str]:
        """The settings of a new topic."""
        policy = "compact" if self.compacted else "delete" if self.every_record else None
        return {**({"cleanup.policy": policy} if policy else {}), **self.config}


@dataclass(frozen=True)
class TopicInfo:
    """An existing topic."""

    name: str
    partitions: int
    config: Mapping[str, str] = field(default_factory=dict)

    @property
    def compacted(self) -> bool:
        """Whether the topic is compacted."""
        return "compact" in self.config.get("cleanup.policy", "")
