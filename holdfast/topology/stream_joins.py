"""The node that joins two streams."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

from holdfast.topics.types import T
from holdfast.topology import shapes
from holdfast.topology.infer import E, infer
from holdfast.topology.nodes import Node, Store
from holdfast.topology.sides import check_fields, fields_of_both


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
        if not shapes.same_shape(left.key_type, right.key_type):
            raise self.refuse(
                f"key is {shapes.plain(left.key_type)}, stream '{right.title}' has key "
                f"{shapes.plain(right.key_type)}; give both the same with select_key(...)"
            )

    @property
    def store(self) -> Store:
        """The records of both sides that may still meet others."""
        return self.kept

    @property
    def slots(self) -> Mapping[str, T]:
        """Both sides and the key."""
        left, right = self.inputs
        return {"key": left.key_type, "left": left.value_type, "right": right.value_type}

    @cached_property
    def value_type(self) -> T:
        """What the joiner makes, or the fields of both."""
        if self.joiner is not None:
            return infer(self.joiner, self.slots)
        return fields_of_both(*(each.value_type for each in self.inputs), outer=self.how == "outer")

    def details(self) -> dict[str, Any]:
        """How both sides meet."""
        spans = {"before": self.before, "after": self.after, "grace": self.grace}
        return {"how": self.how, **spans, "joiner": self.joiner, "late": self.late, "store": self.kept.to_json()}
