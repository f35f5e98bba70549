"""Nodes that remember: tables and aggregates."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

from holdfast.topology.infer import E, infer
from holdfast.topology.merging import given, merge_mistake, named, state_mismatch, way_out
from holdfast.topology.nodes import Node, Store
from holdfast.topology.runner_spec import RunnerSpec, Types
from holdfast.topology.widening import Paths, known, mismatch
from holdfast.topology.windowing import Windowing
from holdfast.types import LONG, Array, DataType, Field, Map, Struct


@dataclass(frozen=True, eq=False, kw_only=True)
class StoredNode(Node):
    """A node with a store of its own."""

    is_table: ClassVar[bool] = True
    kept: Store

    @property
    def store(self) -> Store:
        """The node's state."""
        return self.kept

    def to_json(self) -> dict[str, Any]:
        """The node with its store."""
        return {**super().to_json(), "store": self.kept.to_json()}


class ToTable(StoredNode):
    """The latest value per key of a stream."""

    op: ClassVar[str] = "to_table"


class ToStream(Node):
    """The changes of a table."""

    op: ClassVar[str] = "to_stream"

    def __post_init__(self) -> None:
        self.want_table(0)


@dataclass(frozen=True, eq=False, kw_only=True)
class GroupBy(Node):
    """Records grouped by a new key."""

    op: ClassVar[str] = "group_by"
    key: E

    def __post_init__(self) -> None:
        if isinstance(self.key_type, Map):
            raise self.refuse("a map cannot be a key; use a record or a scalar")

    @cached_property
    def key_type(self) -> DataType:
        """The type of the group's key."""
        return infer(self.key, self.slots)

    def details(self) -> dict[str, Any]:
        """The expression."""
        return {"key": self.key}


class TableGroupBy(GroupBy):
    """The rows of a table grouped by a new key: what was counted under the old one is taken back."""

    op: ClassVar[str] = "table_group_by"

    def __post_init__(self) -> None:
        self.want_table(0)
        super().__post_init__()


def retracts(node: Node) -> bool:
    """Whether records of this group may be taken back: it is made of a table."""
    return isinstance(node, TableGroupBy)


class GroupByKey(Node):
    """Records grouped by the key they have."""

    op: ClassVar[str] = "group_by_key"


@dataclass(frozen=True, eq=False, kw_only=True)
class Folding(StoredNode):
    """An aggregate: the records of a group become one value, in each window if there are windows."""

    windowing: Windowing | None = None
    # The functions, where they run in Python.
    fold: Any = None

    def functions(self, types: Types) -> Mapping[str, RunnerSpec]:
        """The functions of the aggregate, which share a state."""
        if self.fold is None:
            return {}
        values = [_values(each, types[each.id]["value"]) for each in self.inputs]
        return {
            self.id: RunnerSpec(
                "fold",
                (self.fold, types[self.inputs[0].id]["key"], types[self.id]["value"], values),
            )
        }

    @cached_property
    def key_type(self) -> DataType:
        """The group's key, in a window if there are windows."""
        key = self.inputs[0].key_type
        return self.windowing.key_type(key) if self.windowing else key

    def to_json(self) -> dict[str, Any]:
        """The node with its window, if any, and whether it is of a table, whose rows are taken back."""
        windowing = self.windowing.to_json() if self.windowing else {}
        return {**super().to_json(), **windowing, **({"retracts": True} if retracts(self.inputs[0]) else {})}


def _values(group: Node, type_: DataType) -> DataType:
    """The type of a group's values; a group of a table has each with the key that it had there."""
    return type_.fields[1].type if isinstance(type_, Struct) and retracts(group) else type_


class Count(Folding):
    """How many records each key has."""

    op: ClassVar[str] = "count"

    @cached_property
    def value_type(self) -> DataType:
        """A count."""
        return LONG


@dataclass(frozen=True, eq=False, kw_only=True)
class Agg(Folding):
    """Spark's aggregate functions per key."""

    op: ClassVar[str] = "agg"
    fields: tuple[tuple[str, E], ...]

    def __post_init__(self) -> None:
        if not self.fields:
            raise self.refuse('nothing to compute; name a field: agg(total=F.sum("amount"))')

    @cached_property
    def value_type(self) -> DataType:
        """A record of the results."""
        return Struct(Field(name, infer(each, self.slots)) for name, each in self.fields)

    def details(self) -> dict[str, Any]:
        """The fields in order."""
        return {"fields": [[name, each] for name, each in self.fields]}


@dataclass(frozen=True, eq=False, kw_only=True)
class Reduce(Folding):
    """A value folded with the next."""

    op: ClassVar[str] = "reduce"
    f: E
    subtract: E | None = None

    def __post_init__(self) -> None:
        self._check("the function", self.f)
        if self.subtract is not None:
            self._check("subtract", self.subtract)

    def _check(self, what: str, function: E) -> None:
        wrong = mismatch(infer(function, self.slots), self.value_type)
        if wrong:
            raise self.refuse(
                f"{wrong.where}{what} gives {named(wrong, wrong.made)}, the values are {named(wrong, wrong.wanted)}"
                f"{way_out(wrong)}; use aggregate(initial, add) where the result has another type"
            )

    @property
    def slots(self) -> Mapping[str, DataType]:
        """The value so far, the next one and the key."""
        group = self.inputs[0]
        return {"key": group.key_type, "old": group.value_type, "new": group.value_type}

    def details(self) -> dict[str, Any]:
        """The function, and the one that takes back."""
        return {"f": self.f, **given(subtract=self.subtract)}


@dataclass(frozen=True, eq=False, kw_only=True)
class Aggregate(Folding):
    """A state folded with each value."""

    op: ClassVar[str] = "aggregate"
    initial: E
    state: DataType
    add: E
    merge: E | None = None
    subtract: E | None = None
    # The parts of the state whose types the user has declared; the others become as wide as they must.
    declared: Paths = ()

    def __post_init__(self) -> None:
        wrong = merge_mistake(self, self.merge, self.state, self.windowing, self.declared)
        for name, function in given(add=self.add, subtract=self.subtract).items():
            wrong = wrong or state_mismatch(name, infer(function, self.slots), self.state, self.declared)
        if wrong:
            raise self.refuse(wrong)

    @property
    def slots(self) -> Mapping[str, DataType]:
        """The state, the value and the key."""
        group = self.inputs[0]
        return {"key": group.key_type, "state": self.state, "value": group.value_type}

    @cached_property
    def value_type(self) -> DataType:
        """The state, as far as it is known without Spark."""
        made = [infer(each, self.slots) for each in given(add=self.add, subtract=self.subtract).values()]
        return known(self.state, [*made, *merged(self.merge, self)], self.declared)

    def details(self) -> dict[str, Any]:
        """Where it begins and how it goes on."""
        functions = given(merge=self.merge, subtract=self.subtract)
        state = {"state": self.state.to_json(), **declared_parts(self.declared)}
        return {"initial": self.initial, **state, "add": self.add, **functions}


def merged(merge: E | None, node: Any) -> list[DataType]:
    """What merge= gives, if it is there."""
    slots = {"key": node.inputs[0].key_type, "left": node.state, "right": node.state}
    return [] if merge is None else [infer(merge, slots)]


def declared_parts(declared: Paths) -> dict[str, Any]:
    """The declared parts of a state, as the plan carries them."""
    return {"declared": [list(path) for path in declared]} if declared else {}


@dataclass(frozen=True, eq=False, kw_only=True)
class Top(Folding):
    """The n highest records per key."""

    op: ClassVar[str] = "top"
    n: int
    by: E
    distinct: E | None

    def __post_init__(self) -> None:
        if isinstance(self.n, bool) or not isinstance(self.n, int) or self.n < 1:
            raise self.refuse(f"n must be a whole number from 1, not {self.n!r}")

    @cached_property
    def value_type(self) -> DataType:
        """The records, highest first."""
        return Array(self.inputs[0].value_type)

    def details(self) -> dict[str, Any]:
        """How many, and in which order."""
        return {"n": self.n, "by": self.by, "distinct": self.distinct}


@dataclass(frozen=True, eq=False, kw_only=True)
class View(Node):
    """A table derived from a table; kept only if it has a store."""

    is_table: ClassVar[bool] = True
    kept: Store | None = None

    @property
    def store(self) -> Store | None:
        """The state of a kept view."""
        return self.kept

    @property
    def versioned(self) -> int | None:
        """A view that is not kept shows the versions of what it is made of."""
        return self.kept.versioned if self.kept else self.inputs[0].versioned

    def to_json(self) -> dict[str, Any]:
        """The node with its store, if any."""
        return {**super().to_json(), "store": self.kept.to_json() if self.kept else None}


@dataclass(frozen=True, eq=False, kw_only=True)
class TableFilter(View):
    """The entries of a table for which the predicate is true."""

    op: ClassVar[str] = "table_filter"
    predicate: E

    def __post_init__(self) -> None:
        self.want_table(0)
        self.want_boolean(infer(self.predicate, self.slots))

    def details(self) -> dict[str, Any]:
        """The predicate."""
        return {"predicate": self.predicate}


@dataclass(frozen=True, eq=False, kw_only=True)
class TableMapValues(View):
    """The entries of a table with new values."""

    op: ClassVar[str] = "table_map_values"
    value: E

    @cached_property
    def value_type(self) -> DataType:
        """The type of the new value."""
        return infer(self.value, self.slots)

    def details(self) -> dict[str, Any]:
        """The expression."""
        return {"value": self.value}
