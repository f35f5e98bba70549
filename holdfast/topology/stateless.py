"""Nodes that look at one record at a time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

from holdfast.documents import Document, Json
from holdfast.topics.serde import Serde
from holdfast.topology.infer import E, infer
from holdfast.topology.nodes import Node
from holdfast.topology.traits import Runs
from holdfast.topology.widening import written_mismatch
from holdfast.topology.wording import wording
from holdfast.types import INTEGERS, UNKNOWN, Array, DataType, Struct
from holdfast.types import Map as MapType
from holdfast.types.comparing import same_shape


@dataclass(frozen=True, eq=False, kw_only=True)
class Filter(Node):
    """Keeps the records for which the predicate is true."""

    op: ClassVar[str] = "filter"
    same_value: ClassVar[bool] = True
    predicate: E

    def __post_init__(self) -> None:
        self.want_boolean(infer(self.predicate, self.slots))

    def label(self) -> str:
        """The predicate."""
        return wording(self.predicate)

    def details(self) -> dict[str, Json]:
        """The predicate."""
        return {"predicate": self.predicate}


class FilterNot(Filter):
    """Keeps the records that a filter drops."""

    op: ClassVar[str] = "filter_not"


@dataclass(frozen=True, eq=False, kw_only=True)
class Require(Filter):
    """Sends the records for which the predicate is not true to the dead letters."""

    op: ClassVar[str] = "require"
    reason: str

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(self.reason, str) or not self.reason:
            raise self.refuse("reason must say in words what was required")

    def details(self) -> dict[str, Json]:
        """The predicate and the reason."""
        return {"predicate": self.predicate, "reason": self.reason}


@dataclass(frozen=True, eq=False, kw_only=True)
class Map(Node):
    """Makes a new key and a new value."""

    op: ClassVar[str] = "map"
    rekeys: ClassVar[bool] = True
    key: E
    value: E

    @cached_property
    def key_type(self) -> DataType:
        """The type of the new key."""
        return infer(self.key, self.slots)

    @cached_property
    def value_type(self) -> DataType:
        """The type of the new value."""
        return infer(self.value, self.slots)

    def label(self) -> str:
        """Both expressions."""
        return f"{wording(self.key)}, {wording(self.value)}"

    def details(self) -> dict[str, Json]:
        """Both expressions."""
        return {"key": self.key, "value": self.value}


@dataclass(frozen=True, eq=False, kw_only=True)
class MapValues(Node):
    """Makes a new value."""

    op: ClassVar[str] = "map_values"
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


@dataclass(frozen=True, eq=False, kw_only=True)
class SelectKey(Node):
    """Makes a new key."""

    op: ClassVar[str] = "select_key"
    rekeys: ClassVar[bool] = True
    same_value: ClassVar[bool] = True
    key: E

    def __post_init__(self) -> None:
        if isinstance(self.key_type, MapType):
            raise self.refuse("a map cannot be a key; use a record or a scalar")

    @cached_property
    def key_type(self) -> DataType:
        """The type of the new key."""
        return infer(self.key, self.slots)

    def label(self) -> str:
        """The expression."""
        return wording(self.key)

    def details(self) -> dict[str, Json]:
        """The expression."""
        return {"key": self.key}


@dataclass(frozen=True, eq=False, kw_only=True)
class FlatMapValues(Node):
    """Makes any number of values out of one."""

    op: ClassVar[str] = "flat_map_values"
    items: E

    def __post_init__(self) -> None:
        made = infer(self.items, self.slots)
        if made.is_known and not isinstance(made, Array):
            raise self.refuse(f"an array was wanted, {made.in_words()} came; return a list or an array expression")

    @cached_property
    def item_type(self) -> DataType:
        """The type of an element."""
        made = infer(self.items, self.slots)
        return made.element if isinstance(made, Array) else UNKNOWN

    @cached_property
    def value_type(self) -> DataType:
        """The type of an element."""
        return self.item_type

    def label(self) -> str:
        """The expression."""
        return wording(self.items)

    def details(self) -> dict[str, Json]:
        """The expression."""
        return {"items": self.items}


@dataclass(frozen=True, eq=False, kw_only=True)
class FlatMap(FlatMapValues):
    """Makes any number of (key, value) out of one record."""

    op: ClassVar[str] = "flat_map"
    rekeys: ClassVar[bool] = True

    def __post_init__(self) -> None:
        super().__post_init__()
        item = self.item_type
        if item.is_known and not (isinstance(item, Struct) and len(item.fields) == 2):
            raise self.refuse(f"an array of (key, value) was wanted, an array of {item.in_words()} came")

    def _part(self, index: int) -> DataType:
        return self.item_type.fields[index].type if isinstance(self.item_type, Struct) else UNKNOWN

    @cached_property
    def key_type(self) -> DataType:
        """The type of the first part of an element."""
        return self._part(0)

    @cached_property
    def value_type(self) -> DataType:
        """The type of the second part of an element."""
        return self._part(1)


@dataclass(frozen=True, eq=False, kw_only=True)
class Split(Node):
    """Sends each record to the first branch whose predicate is true."""

    op: ClassVar[str] = "split"
    same_value: ClassVar[bool] = True
    branches: tuple[tuple[str, E], ...]
    default: str

    def __post_init__(self) -> None:
        if not self.branches:
            raise self.refuse("no branch; name one: split(errors=lambda r: r.level == 'ERROR')")
        if self.default in dict(self.branches):
            raise self.refuse(
                f"the branch {self.default!r} is also the default; name the default otherwise: default=..."
            )
        for name, predicate in self.branches:
            self.want_boolean(infer(predicate, self.slots), f"the predicate of {name!r}")

    @property
    def names(self) -> list[str]:
        """The names of the branches, the default last."""
        return [*(name for name, _ in self.branches), self.default]

    def label(self) -> str:
        """The branches."""
        return ", ".join([*(f"{name}: {wording(predicate)}" for name, predicate in self.branches), self.default])

    @classmethod
    def parts(cls, document: Document) -> dict[str, object]:
        """The branches and the name of the rest."""
        branches = tuple((each["name"], each["predicate"]) for each in document["branches"])
        return {**super().parts(document), "branches": branches}

    def details(self) -> dict[str, Json]:
        """The branches and the name of the rest."""
        branches: list[Json] = [{"name": name, "predicate": predicate} for name, predicate in self.branches]
        return {"branches": branches, "default": self.default}


@dataclass(frozen=True, eq=False, kw_only=True)
class Branch(Node):
    """One branch of a split."""

    op: ClassVar[str] = "branch"
    same_value: ClassVar[bool] = True
    index: int

    def label(self) -> str:
        """The name that it has in its split."""
        split = self.inputs[0]
        return split.names[self.index] if isinstance(split, Split) else f"number {self.index}"

    def details(self) -> dict[str, Json]:
        """Which one."""
        return {"index": self.index}


@dataclass(frozen=True, eq=False, kw_only=True)
class Merge(Node):
    """Several streams of one type as one."""

    op: ClassVar[str] = "merge"
    same_value: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if len(self.inputs) < 2:
            raise self.refuse("nothing to merge with; give at least one other stream")
        for other in self.inputs[1:]:
            self._same("key", self.inputs[0].key_type, other.key_type)
            self._same("value", self.inputs[0].value_type, other.value_type)

    def _same(self, what: str, one: DataType, other: DataType) -> None:
        if not same_shape(one, other):
            raise self.refuse(
                f"{what} is {one.in_words()}, the other stream has {what} {other.in_words()}; "
                "make them the same first: map(lambda k, v: (...))"
            )


@dataclass(frozen=True, eq=False, kw_only=True)
class Repartition(Node):
    """Sends each record to the task of its key."""

    op: ClassVar[str] = "repartition"
    runs: ClassVar[Runs] = Runs.IN_NEXT_STAGE
    same_value: ClassVar[bool] = True
    tasks: int | None

    def __post_init__(self) -> None:
        if self.tasks is not None and (not isinstance(self.tasks, int) or self.tasks < 1):
            raise self.refuse(f"tasks must be a whole number from 1, not {self.tasks!r}")

    def too_much(self, tasks: int) -> str | None:
        """No more tasks than there are."""
        if (self.tasks or 0) <= tasks:
            return None
        return (
            f"tasks={self.tasks} is more than the {tasks} tasks of the app; "
            f"ask for at most {tasks}, or give the app more: App(…, tasks={self.tasks})"
        )

    def label(self) -> str:
        """The number of tasks."""
        return f"{self.tasks} tasks" if self.tasks else ""

    def details(self) -> dict[str, Json]:
        """The number of tasks."""
        return {"tasks": self.tasks}


@dataclass(frozen=True, eq=False, kw_only=True)
class Print(Node):
    """Writes each record to the log and passes it on."""

    op: ClassVar[str] = "print"
    same_value: ClassVar[bool] = True
    prefix: str

    def label(self) -> str:
        """What stands before each record."""
        return self.prefix

    @classmethod
    def parts(cls, document: Document) -> dict[str, object]:
        """What stands before each record."""
        return {"prefix": document["label"]}

    def details(self) -> dict[str, Json]:
        """What stands before each record."""
        return {"label": self.prefix}


@dataclass(frozen=True, eq=False, kw_only=True)
class To(Node):
    """Writes each record to a topic."""

    op: ClassVar[str] = "to"
    topic: str | E
    key: Serde | None
    value: Serde | None
    headers: E | None
    # What is written, if it is not the value of the records.
    payload: E | None = None

    def __post_init__(self) -> None:
        self._writable("key", self.key, self.inputs[0].key_type)
        written = self.inputs[0].value_type if self.payload is None else infer(self.payload, self.slots)
        self._writable("value", self.value, written)

    def _writable(self, what: str, serde: Serde | None, type_: DataType) -> None:
        if serde and serde.format in ("int32", "int64") and type_.is_known and type_ not in INTEGERS:
            raise self.refuse(f"{what} is {type_.in_words()}, hf.{serde.format}() writes integers; use another serde")
        lacking = _lacking(type_, serde.type) if serde else None
        if lacking:
            has = ", ".join(type_.names if isinstance(type_, Struct) else ())
            raise self.refuse(f"{what} has no field {lacking!r}, which {what}= declares as required; it has {has}")
        wrong = serde and written_mismatch(type_, serde)
        if wrong:
            raise self.refuse(
                f"{wrong.where}{what} is {wrong.made!s}, {what}= declares {wrong.wanted!s}, which "
                f"cannot hold it; declare what comes, or make it so before: F.cast(x, ...)"
            )

    @property
    def form(self) -> str:
        """What is in a topic."""
        return "topic"

    @property
    def writes(self) -> str:
        """The topic, or what it is chosen by."""
        return self.topic if isinstance(self.topic, str) else f"topic of {wording(self.topic)}"

    @property
    def topics_written(self) -> Sequence[str]:
        """The topic, unless it is chosen for each record."""
        return [self.topic] if isinstance(self.topic, str) else []

    def story(self) -> str:
        """The topic."""
        return f"topic: {self.writes}"

    def caption(self, short: Callable[[str], str]) -> str:
        """That it is a topic."""
        return "topic"

    @property
    def heading(self) -> str:
        """The topic."""
        return self.writes

    @classmethod
    def parts(cls, document: Document) -> dict[str, object]:
        """Where to, and how."""
        serdes = {name: Serde.read(document[name]) if document[name] else None for name in ("key", "value")}
        return {**super().parts(document), **serdes}

    def details(self) -> dict[str, Json]:
        """Where to, and how."""
        return {
            "topic": self.topic,
            "key": self.key.to_json() if self.key else None,
            "value": self.value.to_json() if self.value else None,
            "headers": self.headers,
            **({} if self.payload is None else {"payload": self.payload}),
        }


def _lacking(made: DataType, wanted: DataType) -> str | None:
    """A field that a record must have and this one has not."""
    if not (isinstance(made, Struct) and isinstance(wanted, Struct)):
        return None
    return next((each.name for each in wanted.fields if not each.nullable and each.name not in made.names), None)
