"""Stateful nodes: tables and aggregates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

from holdfast.documents import Document, Json
from holdfast.topology.infer import E, infer
from holdfast.topology.nodes import Node, Store
from holdfast.topology.runner_spec import RunnerSpec, Types
from holdfast.topology.state_checks import merge_mistake, present, state_mismatch, type_words, way_out
from holdfast.topology.traits import Runs
from holdfast.topology.widening import Paths, certain_type, mismatch
from holdfast.topology.windowing import Windowing, window_words
from holdfast.topology.wording import wording
from holdfast.types import LONG, Array, DataType, Field, Map, Struct, from_json


@dataclass(frozen=True, eq=False, kw_only=True)
class StoredNode(Node):
    """A node with a store of its own."""

    is_table: ClassVar[bool] = True
    runs: ClassVar[Runs] = Runs.BY_KEY
    backing: Store

    @property
    def store(self) -> Store:
        """The node's state."""
        return self.backing

    def body(self) -> dict[str, Json]:
        """The node with its store."""
        return {**super().body(), "store": self.backing.to_json()}


class ToTable(StoredNode):
    """The latest value per key of a stream."""

    op: ClassVar[str] = "to_table"
    same_value: ClassVar[bool] = True
    may_be_versioned: ClassVar[bool] = True


class ToStream(Node):
    """The changes of a table."""

    op: ClassVar[str] = "to_stream"
    same_value: ClassVar[bool] = True

    def __post_init__(self) -> None:
        self.want_table(0)


@dataclass(frozen=True, eq=False, kw_only=True)
class GroupBy(Node):
    """Records grouped by a new key."""

    op: ClassVar[str] = "group_by"
    rekeys: ClassVar[bool] = True
    same_value: ClassVar[bool] = True
    key: E

    def __post_init__(self) -> None:
        if isinstance(self.key_type, Map):
            raise self.refuse("a map cannot be a key; use a record or a scalar")

    @cached_property
    def key_type(self) -> DataType:
        """The type of the group's key."""
        return infer(self.key, self.slots)

    def label(self) -> str:
        """The expression."""
        return wording(self.key)

    def details(self) -> dict[str, Json]:
        """The expression."""
        return {"key": self.key}


class TableGroupBy(GroupBy):
    """The rows of a table grouped by a new key: what was counted under the old one is retracted."""

    op: ClassVar[str] = "table_group_by"

    def __post_init__(self) -> None:
        self.want_table(0)
        super().__post_init__()


def retracts(node: Node) -> bool:
    """Whether records of this group may be retracted: it is made of a table."""
    return isinstance(node, TableGroupBy)


class GroupByKey(Node):
    """Records grouped by the key they have."""

    op: ClassVar[str] = "group_by_key"
    same_value: ClassVar[bool] = True


@dataclass(frozen=True, eq=False, kw_only=True)
class AggregateNode(StoredNode):
    """An aggregate: the records of a group become one value, in each window if there are windows."""

    may_be_versioned: ClassVar[bool] = True

    windowing: Windowing | None = None
    # The functions, where they run in Python.
    fold: object = None

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

    @property
    def retracts(self) -> bool:
        """Whether it is of a table, whose rows are retracted."""
        return retracts(self.inputs[0])

    @property
    def undone_by(self) -> str:
        """How rows are retracted: by recomputing from the stored rows, or by a function."""
        return "by function" if getattr(self, "subtract", None) is not None else "by rows"

    @property
    def stored_inputs(self) -> Sequence[Node]:
        """Those of a group, where they are needed to retract rows or windows are of records."""
        rows = self.retracts and self.undone_by == "by rows"
        return self.inputs if rows or (self.windowing and self.windowing.holds_records) else ()

    @property
    def is_time_driven(self) -> bool:
        """Windows close, and entries expire."""
        return super().is_time_driven or bool(self.windowing and self.windowing.closes)

    @property
    def has_pending_results(self) -> bool:
        """What is emitted when a window closes."""
        return bool(self.windowing and self.windowing.is_final)

    @property
    def late_topic(self) -> str | None:
        """The topic of late records."""
        return self.windowing.late if self.windowing else None

    def layout(self) -> dict[str, Json]:
        """What windows are, and how rows are retracted, too."""
        window = {"window": self.windowing.layout()} if self.windowing else {}
        return {**super().layout(), **window, "retracts": self.undone_by if self.retracts else None}

    def label(self) -> str:
        """How it folds, in which windows."""
        windows = [window_words(self.windowing.window)] if self.windowing else []
        return ", ".join(filter(None, [self.fold_label(), *windows]))

    def fold_label(self) -> str:
        """How it folds."""
        return ""

    @classmethod
    def parts(cls, document: Document) -> dict[str, object]:
        """The fields, and the window."""
        return {**super().parts(document), "windowing": Windowing.read(document), "fold": None}

    def body(self) -> dict[str, Json]:
        """The node with its window, if any, and whether it is of a table, whose rows are retracted."""
        windowing = self.windowing.to_json() if self.windowing else {}
        return {**super().body(), **windowing, **({"retracts": True} if self.retracts else {})}


def _values(group: Node, type_: DataType) -> DataType:
    """The type of a group's values; a group of a table has each with the key that it had there."""
    return type_.fields[1].type if isinstance(type_, Struct) and retracts(group) else type_


class Count(AggregateNode):
    """How many records each key has."""

    op: ClassVar[str] = "count"

    @property
    def stored_inputs(self) -> Sequence[Node]:
        """To retract a row, only the number is needed."""
        return () if self.retracts else super().stored_inputs

    @cached_property
    def value_type(self) -> DataType:
        """A count."""
        return LONG


@dataclass(frozen=True, eq=False, kw_only=True)
class Agg(AggregateNode):
    """Spark's aggregate functions per key."""

    op: ClassVar[str] = "agg"
    layout_fields: ClassVar[Sequence[str]] = ("fields",)
    fields: tuple[tuple[str, E], ...]

    def __post_init__(self) -> None:
        if not self.fields:
            raise self.refuse('nothing to compute; name a field: agg(total=F.sum("amount"))')

    @cached_property
    def value_type(self) -> DataType:
        """A record of the results."""
        return Struct(Field(name, infer(each, self.slots)) for name, each in self.fields)

    def fold_label(self) -> str:
        """The fields in order."""
        return ", ".join(f"{name} = {wording(each)}" for name, each in self.fields)

    def details(self) -> dict[str, Json]:
        """The fields in order."""
        return {"fields": [[name, each] for name, each in self.fields]}


@dataclass(frozen=True, eq=False, kw_only=True)
class Reduce(AggregateNode):
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
            came, wanted = type_words(wrong, wrong.made), type_words(wrong, wrong.wanted)
            raise self.refuse(
                f"{wrong.where}{what} gives {came}, the values are {wanted}"
                f"{way_out(wrong)}; use aggregate(initial, add) where the result has another type"
            )

    @property
    def slots(self) -> Mapping[str, DataType]:
        """The value so far, the next one and the key."""
        group = self.inputs[0]
        return {"key": group.key_type, "old": group.value_type, "new": group.value_type}

    def fold_label(self) -> str:
        """The function."""
        return wording(self.f) if self.f else ""

    def details(self) -> dict[str, Json]:
        """The function, and the one that retracts."""
        return {"f": self.f, **present(subtract=self.subtract)}


@dataclass(frozen=True, eq=False, kw_only=True)
class Aggregate(AggregateNode):
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
        for name, function in present(add=self.add, subtract=self.subtract).items():
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
        made = [infer(each, self.slots) for each in present(add=self.add, subtract=self.subtract).values()]
        return certain_type(self.state, [*made, *merge_types(self.merge, self, self.state)], self.declared)

    def fold_label(self) -> str:
        """How a value is added."""
        return wording(self.add) if self.add else ""

    @classmethod
    def parts(cls, document: Document) -> dict[str, object]:
        """The initial state and the functions."""
        return {**super().parts(document), **state_of(document)}

    def details(self) -> dict[str, Json]:
        """The initial state and the functions."""
        functions = present(merge=self.merge, subtract=self.subtract)
        state = {"state": self.state.to_json(), **declared_parts(self.declared)}
        return {"initial": self.initial, **state, "add": self.add, **functions}


def merge_types(merge: E | None, node: Node, state: DataType) -> list[DataType]:
    """What merge= gives, if it is there."""
    slots = {"key": node.inputs[0].key_type, "left": state, "right": state}
    return [] if merge is None else [infer(merge, slots)]


def state_of(document: Document) -> dict[str, object]:
    """The type of a state in a document, and the parts that are declared."""
    return {"state": from_json(document["state"]), "declared": document.get("declared") or ()}


def declared_parts(declared: Paths) -> dict[str, Json]:
    """The declared parts of a state, as the plan carries them."""
    return {"declared": [list(path) for path in declared]} if declared else {}


@dataclass(frozen=True, eq=False, kw_only=True)
class Top(AggregateNode):
    """The n highest records per key."""

    op: ClassVar[str] = "top"
    layout_fields: ClassVar[Sequence[str]] = ("n", "by", "distinct")
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

    def fold_label(self) -> str:
        """How many, and in which order."""
        distinct = f", one per {wording(self.distinct)}" if self.distinct else ""
        return f"{self.n} by {wording(self.by)}{distinct}"

    def details(self) -> dict[str, Json]:
        """How many, and in which order."""
        return {"n": self.n, "by": self.by, "distinct": self.distinct}


@dataclass(frozen=True, eq=False, kw_only=True)
class View(Node):
    """A table derived from a table; materialized only if it has a store."""

    is_table: ClassVar[bool] = True
    runs: ClassVar[Runs] = Runs.WITH_INPUT
    backing: Store | None = None

    @property
    def store(self) -> Store | None:
        """The state of a materialized view."""
        return self.backing

    @property
    def is_view(self) -> bool:
        """Unless it is materialized."""
        return self.backing is None

    @property
    def is_made_of_rows(self) -> bool:
        """If it is materialized."""
        return self.backing is not None

    @property
    def versioned(self) -> int | None:
        """A view that is not materialized shows the versions of what it is made of."""
        return self.backing.versioned if self.backing else self.inputs[0].versioned

    def body(self) -> dict[str, Json]:
        """The node with its store, if any."""
        return {**super().body(), "store": self.backing.to_json() if self.backing else None}


@dataclass(frozen=True, eq=False, kw_only=True)
class TableFilter(View):
    """The entries of a table for which the predicate is true."""

    op: ClassVar[str] = "table_filter"
    same_value: ClassVar[bool] = True
    predicate: E

    def __post_init__(self) -> None:
        self.want_table(0)
        self.want_boolean(infer(self.predicate, self.slots))

    def label(self) -> str:
        """The predicate."""
        return wording(self.predicate)

    def details(self) -> dict[str, Json]:
        """The predicate."""
        return {"predicate": self.predicate}


@dataclass(frozen=True, eq=False, kw_only=True)
class TableMapValues(View):
    """The entries of a table with new values."""

    op: ClassVar[str] = "table_map_values"
    may_be_versioned: ClassVar[bool] = True
    value: E

    @cached_property
    def value_type(self) -> DataType:
        """The type of the new value."""
        return infer(self.value, self.slots)

    def label(self) -> str:
        """The expression."""
        return wording(self.value)

    def details(self) -> dict[str, Json]:
        """The expression."""
        return {"value": self.value}
