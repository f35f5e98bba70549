"""Nodes that records come from."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

from holdfast.topics.serde import Serde
from holdfast.topology.infer import E, infer
from holdfast.topology.nodes import Node, Store
from holdfast.types import UNKNOWN, DataType, Map

ON_ERROR = ("dead-letter", "fail")


@dataclass(frozen=True, eq=False, kw_only=True)
class Source(Node):
    """Topics read as a stream, a table or a global table."""

    op: ClassVar[str] = "source"

    kind: str
    topics: tuple[str, ...]
    key: Serde
    value: Serde
    timestamp: dict[str, Any]
    on_error: str
    close_on_idle: int | None = None
    max_ahead: int | None = None
    kept: Store | None = None

    def __post_init__(self) -> None:
        if self.on_error not in ON_ERROR:
            raise self.refuse(f'on_error is {self.on_error!r}; it may be "dead-letter" or "fail"')
        if isinstance(self.key.type, Map):
            raise self.refuse("a map cannot be a key; use a record or a scalar")

    @property
    def is_table(self) -> bool:  # type: ignore[override]
        """Whether it is read as a table or a global table."""
        return self.kind != "stream"

    @property
    def store(self) -> Store | None:
        """The table's state."""
        return self.kept

    @cached_property
    def key_type(self) -> DataType:
        """The declared type."""
        return self.key.type

    @cached_property
    def value_type(self) -> DataType:
        """The declared type."""
        return self.value.type

    def details(self) -> dict[str, Any]:
        """The fields of a source."""
        return {
            "kind": self.kind,
            "topics": list(self.topics),
            "key": self.key.to_json(),
            "value": self.value.to_json(),
            "timestamp": self.timestamp,
            "on_error": self.on_error,
            "close_on_idle": self.close_on_idle,
            "max_ahead": self.max_ahead,
            "store": self.kept.to_json() if self.kept else None,
        }


@dataclass(frozen=True, eq=False, kw_only=True)
class DataFrame(Node):
    """A streaming DataFrame that the user's function makes; only Spark knows its columns."""

    op: ClassVar[str] = "dataframe"

    key: E | None
    timestamp: E | None

    @cached_property
    def key_type(self) -> DataType:
        """The type of the key expression."""
        return infer(self.key, {}) if self.key else UNKNOWN

    @cached_property
    def value_type(self) -> DataType:
        """Unknown before Spark runs."""
        return UNKNOWN

    def details(self) -> dict[str, Any]:
        """The fields of a DataFrame source."""
        return {"key": self.key, "timestamp": self.timestamp}
