"""The node that joins two streams."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

from holdfast.topology.infer import E, infer
from holdfast.topology.nodes import Node, Store
from holdfast.topology.sides import check_fields, fields_of_both
from holdfast.types import DataType
from holdfast.types.comparing import same_shape


@dataclass(frozen=True, eq=False, kw_only=True)
class StreamJoin(Node):
    """Pairs of records of two streams with the same key and not too far apart."""

    op: ClassVar[str] = "stream_join"
    how: str
    before: int
    after: int
    grace: int
    joiner: E | None
    late: str | None
    kept: Store

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
        return self.kept

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

    def details(self) -> dict[str, Any]:
        """How both sides meet."""
        spans = {"before": self.before, "after": self.after, "grace": self.grace}
        return {"how": self.how, **spans, "joiner": self.joiner, "late": self.late, "store": self.kept.to_json()}
