"""Nodes that records come from."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

from holdfast.documents import Document, Json
from holdfast.topics.serde import Serde
from holdfast.topology.infer import E, infer
from holdfast.topology.nodes import Node, Store
from holdfast.topology.runner_spec import Types
from holdfast.topology.traits import Runs
from holdfast.types import UNKNOWN, DataType, Map

ON_ERROR = ("dead-letter", "fail")
NAMES = {"stream": "stream", "table": "table", "global": "global table"}


@dataclass(frozen=True, eq=False, kw_only=True)
class Source(Node):
    """Topics read as a stream, a table or a global table."""

    op: ClassVar[str] = "source"
    runs: ClassVar[Runs] = Runs.AS_SOURCE
    may_be_versioned: ClassVar[bool] = True

    kind: str
    topics: tuple[str, ...]
    key: Serde
    value: Serde
    timestamp: dict[str, Json]
    on_error: str
    close_on_idle: int | None = None
    max_ahead: int | None = None
    backing: Store | None = None

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
        return self.backing

    @cached_property
    def key_type(self) -> DataType:
        """The declared type."""
        return self.key.type

    @cached_property
    def value_type(self) -> DataType:
        """The declared type."""
        return self.value.type

    @property
    def form(self) -> str:
        """What it is read as."""
        return self.kind

    @property
    def reads(self) -> str:
        """What it is read as."""
        return self.kind

    @property
    def topics_read(self) -> Sequence[str]:
        """Its topics."""
        return self.topics

    def state_types(self, types: Types) -> Mapping[str, DataType]:
        """Without the kernel those that are declared."""
        return super().state_types(types) or {"key": self.key.type, "value": self.value.type}

    @property
    def table_title(self) -> str:
        """The table of a topic goes by the topic."""
        return f"table {self.id}"

    def story(self) -> str:
        """What it is read as, and the topics."""
        return f"{self.kind}; topics: {', '.join(self.topics)}"

    def caption(self, short: Callable[[str], str]) -> str:
        """What it is read as."""
        return NAMES[self.kind]

    def reading(self) -> str:
        """Which topics are read as what."""
        return f"{', '.join(self.topics)} as a {NAMES[self.kind]}"

    def made_by(self) -> str:
        """The table, or a global one."""
        return "each task has all of it" if self.kind == "global" else f"the table {self.id}"

    @classmethod
    def parts(cls, document: Document) -> dict[str, object]:
        """The fields of a source."""
        serdes = {name: Serde.read(document[name]) for name in ("key", "value")}
        return {**super().parts(document), "topics": tuple(document["topics"]), **serdes}

    def details(self) -> dict[str, Json]:
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
            "store": self.backing.to_json() if self.backing else None,
        }


@dataclass(frozen=True, eq=False, kw_only=True)
class DataFrame(Node):
    """A streaming DataFrame that the user's function makes; only Spark knows its columns."""

    op: ClassVar[str] = "dataframe"
    runs: ClassVar[Runs] = Runs.AS_SOURCE

    key: E | None
    timestamp: E | None
    columns: Json = None
    """What Spark says of its columns, once it was asked."""

    @property
    def reads(self) -> str:
        """A stream."""
        return "stream"

    @property
    def origins(self) -> Sequence[str]:
        """It goes by its own name."""
        return (self.id,)

    @cached_property
    def key_type(self) -> DataType:
        """The type of the key expression."""
        return infer(self.key, {}) if self.key else UNKNOWN

    @cached_property
    def value_type(self) -> DataType:
        """Unknown before Spark runs."""
        return UNKNOWN

    def label(self) -> str:
        """What it is."""
        return "a Spark DataFrame"

    def reading(self) -> str:
        """What is read."""
        return f"{self.id}, {self.label()}"

    def structure(self) -> dict[str, Json]:
        """Its expressions and its columns."""
        return {**super().structure(), **self._schema()}

    def _schema(self) -> dict[str, Json]:
        return {} if self.columns is None else {"schema": self.columns}

    @classmethod
    def parts(cls, document: Document) -> dict[str, object]:
        """The fields of a DataFrame source, and its columns."""
        return {**super().parts(document), "columns": document.get("schema")}

    def details(self) -> dict[str, Json]:
        """The fields of a DataFrame source."""
        return {"key": self.key, "timestamp": self.timestamp}

    def where(self) -> dict[str, Json]:
        """Where it runs, and the columns that are known then."""
        return {**super().where(), **self._schema()}
