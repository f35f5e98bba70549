"""The traits of an operator: all that the planner, descriptions and pictures ask of a node, with defaults."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import Enum
from typing import TYPE_CHECKING, ClassVar

from holdfast.topology.store import Store

if TYPE_CHECKING:
    from holdfast.topology.nodes import Node


class Runs(Enum):
    """Where an operator runs; the planner has a rule for each."""

    AS_SOURCE = "where records are read; a table where it is needed"
    ANYWHERE = "where the last of its inputs is, also where records are read"
    BY_KEY = "in the first stage where every input is in the task of its key"
    AT_TABLE = "where its stream meets the table"
    BETWEEN_TABLES = "where the later of both tables is"
    AT_REFERENCE = "where what refers to the table meets it"
    IN_NEXT_STAGE = "in the stage after that of its input"
    WITH_INPUT = "where the state is that it is made of"


class Traits:
    """The traits of a node class. The defaults are those of one that looks at one record at a time."""

    if TYPE_CHECKING:
        id: str
        inputs: tuple[Node, ...]

        @property
        def store(self) -> Store | None: ...

    op: ClassVar[str]
    is_table: ClassVar[bool] = False
    runs: ClassVar[Runs] = Runs.ANYWHERE
    rekeys: ClassVar[bool] = False
    """Whether its records have other keys than those that it takes."""
    same_value: ClassVar[bool] = False
    """Whether its records have the values that it takes."""
    may_be_versioned: ClassVar[bool] = False
    is_copy: ClassVar[bool] = False
    """Whether it repeats a table in another stage."""
    is_shown: ClassVar[bool] = True
    """Whether descriptions and pictures have it."""

    @property
    def form(self) -> str:
        """What it emits: a stream, a table, a global table ("global") or what is in a topic."""
        return "table" if self.is_table else "stream"

    @property
    def reads(self) -> str | None:
        """As what a source reads: a stream, a table or a global table ("global"); None if it is no source."""
        return None

    @property
    def topics_read(self) -> Sequence[str]:
        """The topics that a source reads."""
        return ()

    @property
    def origins(self) -> Sequence[str]:
        """What a source reads, topics or not, by name."""
        return self.topics_read

    @property
    def writes(self) -> str | None:
        """The topic that a sink writes, in words; None if it is none."""
        return None

    @property
    def topics_written(self) -> Sequence[str]:
        """The topics that it writes, as far as they are known, but for changelogs and late records."""
        return ()

    @property
    def late_topic(self) -> str | None:
        """The topic for late records."""
        return None

    @property
    def tables_read(self) -> Sequence[int]:
        """The positions of the inputs that it reads as tables, so that they must be in its stage."""
        return ()

    @property
    def global_side(self) -> int | None:
        """The position of the input that is a global table, which is in every stage where it is read."""
        return None

    @property
    def is_global_table(self) -> bool:
        """Whether it is a table of which every task has all entries."""
        return self.reads == "global"

    def looks_up(self, table: Node) -> bool:
        """Whether it is a stream that asks this table."""
        return False

    @property
    def needs_stage(self) -> bool:
        """Whether it has or reads state, so that its stage must exist."""
        return self.store is not None

    @property
    def is_view(self) -> bool:
        """Whether it is a table without a store of its own."""
        return False

    @property
    def is_time_driven(self) -> bool:
        """Whether it emits or expires something when time advances without a record."""
        return bool(self.store and self.store.ttl)

    def too_much(self, tasks: int) -> str | None:
        """Say what it asks for and an app with so many tasks does not have."""
        return None

    def label(self) -> str:
        """What it does with its input, in a few words."""
        return ""

    def story(self) -> str:
        """What descriptions say of it."""
        return self.label()

    def caption(self, short: Callable[[str], str]) -> str:
        """What its box in a picture says below its name; `short` cuts what is too wide."""
        return short(self.label())

    @property
    def heading(self) -> str:
        """What its box in a picture is called."""
        return self.id

    @property
    def store_label(self) -> str | None:
        """How descriptions call its store: the user's name, or that of its state in parentheses."""
        return None if self.store is None else self.store.label

    def store_story(self) -> str:
        """What its store is, for explanations."""
        assert self.store is not None
        ends = f", entries expire {self.store.ttl} ms after their time" if self.store.ttl else ""
        return f"{self.store_label}: {self.made_by()}{ends}" + ("" if self.store.name else ", not queryable")

    def reading(self) -> str:
        """What a source reads, for explanations."""
        return ", ".join(self.origins)

    def made_by(self) -> str:
        """Where the content of its store comes from."""
        return f"by {self.id}"
