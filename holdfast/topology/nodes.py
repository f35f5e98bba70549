"""The node all others are made of, and the options of a store."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

from holdfast.errors import TopologyError
from holdfast.topology.runner_spec import RunnerSpec, Types
from holdfast.types import BOOLEAN, DataType


@dataclass(frozen=True)
class Store:
    """Where a node keeps its state; without a name it cannot be queried and has no changelog.

    A state that cannot be queried may have been named by the user all the same: then `queryable` is false.
    """

    name: str | None
    state: str
    emit: str = "latest"
    memory: bool = False
    changelog: str | None = None
    versioned: int | None = None
    ttl: int | None = None
    queryable: bool = True

    def to_json(self) -> dict[str, Any]:
        """The store as the plan carries it."""
        fields = {
            "name": self.name,
            "state": self.state,
            "emit": self.emit,
            "memory": self.memory,
            "changelog": self.changelog,
        }
        times = {"versioned": self.versioned, "ttl": self.ttl}
        named = {} if self.queryable else {"queryable": False}
        return {**fields, **{name: time for name, time in times.items() if time is not None}, **named}


@dataclass(frozen=True, eq=False, kw_only=True)
class Node:
    """One step of a program: what it is called, what feeds it, where the user wrote it."""

    op: ClassVar[str]
    is_table: ClassVar[bool] = False

    id: str
    inputs: tuple[Node, ...] = ()
    at: str = ""

    @property
    def store(self) -> Store | None:
        """The node's state, if it has any."""
        return None

    @property
    def versioned(self) -> int | None:
        """For how long, in milliseconds, older versions of a table's values are kept; None if they are not."""
        return self.store.versioned if self.store else None

    @cached_property
    def key_type(self) -> DataType:
        """The type of the keys."""
        return self.inputs[0].key_type

    @cached_property
    def value_type(self) -> DataType:
        """The type of the values."""
        return self.inputs[0].value_type

    @property
    def slots(self) -> Mapping[str, DataType]:
        """What an expression of this node may read."""
        return {"key": self.inputs[0].key_type, "value": self.inputs[0].value_type}

    def details(self) -> dict[str, Any]:
        """The fields of this op, as the plan carries them."""
        return {}

    def functions(self, types: Types) -> Mapping[str, RunnerSpec]:
        """The Python functions that the node calls, by name; `types` are those of all nodes, as Spark tells them."""
        return {}

    def to_json(self) -> dict[str, Any]:
        """The node as the plan carries it."""
        head = {"id": self.id, "op": self.op, "inputs": [each.id for each in self.inputs], "at": self.at}
        return {**head, **self.details()}

    def refuse(self, message: str) -> TopologyError:
        """An error that names this node and the user's line."""
        return TopologyError(f"{self.op} '{self.title}': {message}", at=self.at)

    @property
    def title(self) -> str:
        """How errors call this node: its first source, or itself."""
        node = self
        while node.inputs:
            node = node.inputs[0]
        return node.id

    def want_table(self, index: int) -> None:
        """Refuse an input that is not a table."""
        if not self.inputs[index].is_table:
            raise self.refuse("a table was wanted, a stream came; use to_table() first")

    def want_boolean(self, type_: DataType, what: str = "predicate") -> None:
        """Refuse a predicate that is known to be something else."""
        if type_.is_known and type_ != BOOLEAN:
            raise self.refuse(f"{what} is {type_.in_words()}, bool was wanted; compare it with something")
