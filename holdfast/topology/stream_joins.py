"""The node that joins two streams."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

from holdfast.documents import Json
from holdfast.topology.infer import E, infer
from holdfast.topology.join_sides import HOW, check_fields, fields_of_both
from holdfast.topology.nodes import Node, Store
from holdfast.topology.runner_spec import Types
from holdfast.topology.state_traits import digest
from holdfast.topology.traits import Runs
from holdfast.types import DataType
from holdfast.types.comparing import same_shape
from holdfast.units.duration import in_words


@dataclass(frozen=True, eq=False, kw_only=True)
class StreamJoin(Node):
    """Pairs of records of two streams with the same key and not too far apart."""

    op: ClassVar[str] = "stream_join"
    runs: ClassVar[Runs] = Runs.BY_KEY
    layout_fields: ClassVar[Sequence[str]] = ("how",)
    how: str
    before: int
    after: int
    grace: int
    joiner: E | None
    late: str | None
    backing: Store

    def __post_init__(self) -> None:
        if self.joiner is None:
            check_fields(self, "stream")
        left, right = self.inputs
        if not same_shape(left.key_type, right.key_type):
            raise self.refuse(
                f"key is {left.key_type.in_words()}, stream '{right.title}' has key "
                f"{right.key_type.in_words()}; give both the same with select_key(...)"
            )

    @property
    def store(self) -> Store:
        """The records of both sides that may still meet others."""
        return self.backing

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
        return fields_of_both(*(each.value_type for each in self.inputs), outer=self.how == "outer")

    @property
    def is_time_driven(self) -> bool:
        """Buffered records expire, and unmatched ones are emitted."""
        return True

    @property
    def buffers_records(self) -> bool:
        """Both sides are buffered."""
        return True

    @property
    def has_pending_results(self) -> bool:
        """Buffered records may still be emitted as unmatched."""
        return True

    @property
    def late_topic(self) -> str | None:
        """The topic of late records."""
        return self.late

    @property
    def stored_inputs(self) -> Sequence[Node]:
        """Both sides."""
        return self.inputs

    def state_lineage(self, lineages: Mapping[str, str]) -> str:
        """The state is made of the records of both sides: neither the joiner nor the window changes it."""
        return digest([self.op, self.how, [lineages[each.id] for each in self.stored_inputs]])

    def state_types(self, types: Types) -> Mapping[str, DataType]:
        """Of the types only that of the key; those of the records are compared by themselves."""
        return {name: each for name, each in super().state_types(types).items() if name == "key"}

    def label(self) -> str:
        """Which stream, and how far apart."""
        before, after = in_words(self.before), in_words(self.after)
        span = f"within {after}" if before == after else f"from {before} before to {after} after"
        grace = f", grace {in_words(self.grace)}" if self.grace else ""
        return f"{HOW[self.how]} with {self.inputs[1].id} {span}{grace}"

    def details(self) -> dict[str, Json]:
        """How both sides meet."""
        spans = {"before": self.before, "after": self.after, "grace": self.grace}
        return {"how": self.how, **spans, "joiner": self.joiner, "late": self.late, "store": self.backing.to_json()}
