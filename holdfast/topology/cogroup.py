"""Several groups that are folded into one state."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

from holdfast.documents import Document, Json
from holdfast.topology.infer import E, infer
from holdfast.topology.nodes import Node
from holdfast.topology.state_checks import merge_mistake, present, state_mismatch
from holdfast.topology.tables import AggregateNode, declared_parts, merge_types, state_of
from holdfast.topology.widening import Paths, certain_type
from holdfast.topology.wording import wording
from holdfast.types import DataType
from holdfast.types.comparing import same_shape


@dataclass(frozen=True, eq=False, kw_only=True)
class Cogroup(AggregateNode):
    """One state per key, folded with the values of several groups, each with its own function."""

    op: ClassVar[str] = "cogroup"
    initial: E
    state: DataType
    adds: tuple[E, ...]
    merge: E | None = None
    # The parts of the state whose types the user has declared; the others become as wide as they must.
    declared: Paths = ()

    def __post_init__(self) -> None:
        for number, (group, made) in enumerate(zip(self.inputs, self._add_types(), strict=True), 1):
            self._check_key(group)
            self._check(state_mismatch(f"the add function of group {number}", made, self.state, self.declared))
        self._check(merge_mistake(self, self.merge, self.state, self.windowing, self.declared))

    def _add_types(self) -> list[DataType]:
        """What the functions of the groups give."""
        return [
            infer(add, {"key": group.key_type, "state": self.state, "value": group.value_type})
            for group, add in zip(self.inputs, self.adds, strict=True)
        ]

    def _check_key(self, group: Node) -> None:
        mine, other = self.inputs[0].key_type, group.key_type
        if not same_shape(mine, other):
            raise self.refuse(
                f"the groups must have the same key; {self.inputs[0].title!r} has {mine.in_words()}, "
                f"{group.title!r} has {other.in_words()}; group by something that both have: group_by(...)"
            )

    def _check(self, wrong: str | None) -> None:
        if wrong:
            raise self.refuse(wrong)

    @cached_property
    def value_type(self) -> DataType:
        """The state, as far as it is known without Spark."""
        return certain_type(self.state, [*self._add_types(), *merge_types(self.merge, self, self.state)], self.declared)

    def fold_label(self) -> str:
        """How the values of each group are added."""
        return ", ".join(f"{each.id}: {wording(add)}" for each, add in zip(self.inputs, self.adds, strict=True))

    @classmethod
    def parts(cls, document: Document) -> dict[str, object]:
        """The initial state and the function of each group."""
        return {**super().parts(document), **state_of(document)}

    def details(self) -> dict[str, Json]:
        """The initial state and the function of each group."""
        adds = list(self.adds)
        state = {"state": self.state.to_json(), **declared_parts(self.declared)}
        return {"initial": self.initial, **state, "adds": adds, **present(merge=self.merge)}


def same_twice(groups: Sequence[Node]) -> Node | None:
    """The first group that is there twice."""
    return next((each for i, each in enumerate(groups) if any(each is other for other in groups[:i])), None)
