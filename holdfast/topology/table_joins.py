"""The nodes that join a table with a table: by key, and by a foreign key."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

from holdfast.documents import Document, Json
from holdfast.errors import TopologyError
from holdfast.topology.foreign_keys import ForeignKeyResult
from holdfast.topology.infer import E, infer
from holdfast.topology.join_sides import HOW, check_fields, fields_of_both
from holdfast.topology.nodes import Node
from holdfast.topology.tables import StoredNode, View
from holdfast.topology.traits import Runs
from holdfast.topology.wording import wording
from holdfast.types import DataType, Struct
from holdfast.types.comparing import same_shape


@dataclass(frozen=True, eq=False, kw_only=True)
class _JoinOfTables(Node):
    """The common part of both joins of tables."""

    how: str
    kind: str
    joiner: E | None

    def __post_init__(self) -> None:
        self.want_table(0)
        self.want_table(1)
        if self.joiner is None:
            check_fields(self)
        self._check_keys()

    def _check_keys(self) -> None:
        raise NotImplementedError

    def refuse(self, message: str) -> TopologyError:
        """An error that calls the node what the user called it."""
        return TopologyError(f"join '{self.title}': {message}", at=self.at)

    @property
    def versioned(self) -> int | None:
        """A join has no older versions, whatever its tables have, unless its own store is versioned."""
        return self.store.versioned if self.store else None

    @property
    def slots(self) -> Mapping[str, DataType]:
        """Both sides and the key."""
        left, right = self.inputs
        return {"key": left.key_type, "left": left.value_type, "right": right.value_type}

    @cached_property
    def value_type(self) -> DataType:
        """What the joiner makes, or the fields of both."""
        if self.joiner is not None:
            return infer(self.joiner, self.slots)
        left, right = (each.value_type for each in self.inputs)
        return fields_of_both(left, right, outer=self.how == "outer")

    @property
    def tables_read(self) -> Sequence[int]:
        """Both sides."""
        return (0, 1)

    def has_rows(self, sides: Sequence[bool]) -> bool:
        """A side without a match has rows only in a left or an outer join."""
        return {"inner": all(sides), "left": sides[0], "outer": any(sides)}[self.how]

    def label(self) -> str:
        """Which table."""
        return f"{HOW[self.how]} with {self.inputs[1].id}"

    @classmethod
    def parts(cls, document: Document) -> dict[str, object]:
        """How both sides meet."""
        return {**super().parts(document), "kind": document["with"]}

    def _fitting_fields(self, wanted: DataType) -> list[str]:
        left = self.inputs[0].value_type
        fields = left.fields if isinstance(left, Struct) else ()
        return [each.name for each in fields if same_shape(each.type, wanted)]


@dataclass(frozen=True, eq=False, kw_only=True)
class TableJoin(_JoinOfTables, View):
    """The entries of two tables that have the same key."""

    op: ClassVar[str] = "table_join"
    runs: ClassVar[Runs] = Runs.BETWEEN_TABLES

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.versioned is not None:
            raise self.refuse(
                "versioned= is not for joins by key; keep the versions of what comes of it: "
                "join(...).map_values(lambda v: v, store=...)"
            )

    def _check_keys(self) -> None:
        left, right = self.inputs
        if same_shape(left.key_type, right.key_type):
            return
        raise self.refuse(
            f"key is {left.key_type.in_words()}, table '{right.title}' has key {right.key_type.in_words()}; "
            f"{self._way_out(right.key_type)}"
        )

    def _way_out(self, wanted: DataType) -> str:
        if self.how == "outer":
            return "make the keys alike before the tables: select_key(...).to_table()"
        names = self._fitting_fields(wanted)
        return f"say what refers to it: on=lambda v: v.{names[0] if names else '...'}"

    def details(self) -> dict[str, Json]:
        """How both sides meet."""
        return {"how": self.how, "with": self.kind, "joiner": self.joiner}


@dataclass(frozen=True, eq=False, kw_only=True)
class ForeignKeyJoin(_JoinOfTables, StoredNode):
    """The entries of a table, each with the entry of another table that it refers to."""

    op: ClassVar[str] = "fk_join"
    on: E

    @property
    def is_made_of_rows(self) -> bool:
        """Of those of both tables."""
        return True

    def label(self) -> str:
        """Which table, and what refers to it."""
        return f"{super().label()} on {wording(self.on)}"

    @classmethod
    def read(cls, document: Document, inputs: tuple[Node, ...]) -> Node:
        """The join, or in a plan the last of its parts."""
        return super().read(document, inputs) if len(inputs) == 2 else ForeignKeyResult.read(document, inputs)

    def _check_keys(self) -> None:
        left, right = self.inputs
        key = infer(self.on, {"key": left.key_type, "value": left.value_type})
        if same_shape(key, right.key_type):
            return
        raise self.refuse(
            f"on= is {key.in_words()}, table '{right.title}' has key {right.key_type.in_words()}; "
            f"{self._way_out(right.key_type)}"
        )

    def _way_out(self, wanted: DataType) -> str:
        names = self._fitting_fields(wanted)
        if names:
            return f"for example on=lambda v: v.{names[0]}"
        return f"use on=lambda v: ... that gives {wanted.in_words()}, with F.cast(...) where needed"

    def details(self) -> dict[str, Json]:
        """How both sides meet."""
        return {"how": self.how, "with": self.kind, "on": self.on, "joiner": self.joiner}
