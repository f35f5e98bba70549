"""The node that matches a pattern in the records of each key."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

from holdfast.documents import Document, Json
from holdfast.topology.infer import E, infer
from holdfast.topology.nodes import Node
from holdfast.topology.tables import StoredNode
from holdfast.topology.wording import wording
from holdfast.types import Array, DataType, Field, Struct
from holdfast.units.duration import in_words


@dataclass(frozen=True, kw_only=True)
class Step:
    """One step of a pattern: a record, several, or none; `sees` names the earlier steps that its condition reads."""

    name: str
    kind: str
    condition: E
    sees: tuple[str, ...] = ()
    n: int = 1
    at_least: bool = False

    def to_json(self) -> dict[str, Json]:
        """The step as the plan carries it."""
        step: dict[str, Json] = {"name": self.name, "kind": self.kind}
        head = {**step, "condition": self.condition, "sees": list(self.sees)}
        return {**head, "n": self.n, "at_least": self.at_least} if self.kind == "times" else head

    def layout(self) -> dict[str, Json]:
        """What open matches hold of it, whatever its condition is."""
        return {name: each for name, each in self.to_json().items() if name not in ("condition", "sees")}

    def label(self) -> str:
        """Its name, and what it takes."""
        many = f"{self.n}{' or more' if self.at_least else ''} times " if self.kind == "times" else ""
        return f"{self.name}: {'no ' if self.kind == 'absent' else many}{wording(self.condition)}"


def step_type(kind: str, value: DataType) -> DataType:
    """What a match holds of a step: its record, or an array of them."""
    return Array(value) if kind == "times" else value


@dataclass(frozen=True, eq=False, kw_only=True)
class Match(StoredNode):
    """Matches the records of a key with the steps of a pattern."""

    op: ClassVar[str] = "match"
    is_table: ClassVar[bool] = False
    layout_fields: ClassVar[Sequence[str]] = ("within", "strict", "overlap")
    steps: tuple[Step, ...]
    within: int
    strict: bool
    overlap: bool

    def __post_init__(self) -> None:
        if _group_input(self.inputs[0]).is_table:
            raise self.refuse("records were wanted, a table came; use to_stream() before the group")
        for step in self.steps:
            self.want_boolean(infer(step.condition, self.slots), f"the condition of step {step.name!r}")

    @property
    def slots(self) -> Mapping[str, DataType]:
        """The record, its key and what the steps before took."""
        group = self.inputs[0]
        return {"key": group.key_type, "value": group.value_type, **self._step_types()}

    @cached_property
    def value_type(self) -> DataType:
        """A record with a field for each step that has records."""
        return Struct(Field(name, type_) for name, type_ in self._step_types().items())

    def _step_types(self) -> dict[str, DataType]:
        value = self.inputs[0].value_type
        return {each.name: step_type(each.kind, value) for each in self.steps if each.kind != "absent"}

    @property
    def is_time_driven(self) -> bool:
        """Until a step that must not come is over."""
        return True

    @property
    def has_pending_results(self) -> bool:
        """Matches that are not complete yet."""
        return True

    def layout(self) -> dict[str, Json]:
        """What open matches hold, too."""
        return {**super().layout(), "steps": [each.layout() for each in self.steps]}

    def label(self) -> str:
        """The steps in order, and how they follow each other."""
        how = [name for name, each in (("strict", self.strict), ("overlap", self.overlap)) if each]
        return ", ".join([*(each.label() for each in self.steps), f"within {in_words(self.within)}", *how])

    @classmethod
    def parts(cls, document: Document) -> dict[str, object]:
        """The steps in order, and how they follow each other."""
        steps = tuple(Step(**{**each, "sees": tuple(each["sees"])}) for each in document["steps"])
        return {**super().parts(document), "steps": steps}

    def details(self) -> dict[str, Json]:
        """The steps in order, and how they follow each other."""
        steps = [each.to_json() for each in self.steps]
        return {"steps": steps, "within": self.within, "strict": self.strict, "overlap": self.overlap}


def _group_input(group: Node) -> Node:
    return group.inputs[0] if group.inputs else group
