"""The node that drops duplicates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from holdfast.documents import Json
from holdfast.topology.infer import E, infer
from holdfast.topology.nodes import Node, Store
from holdfast.topology.traits import Runs
from holdfast.topology.wording import wording
from holdfast.types import Map


@dataclass(frozen=True, eq=False, kw_only=True)
class Deduplicate(Node):
    """The first of the records of a key that are alike within a time."""

    op: ClassVar[str] = "deduplicate"
    runs: ClassVar[Runs] = Runs.BY_KEY
    same_value: ClassVar[bool] = True
    layout_fields: ClassVar[Sequence[str]] = ("by",)
    by: E
    within: int
    backing: Store

    def __post_init__(self) -> None:
        if isinstance(infer(self.by, self.slots), Map):
            raise self.refuse("by= is a map, and maps cannot be compared; use a field, or a record of several")
        if self.within < 1:
            raise self.refuse("within= must be longer than nothing, for example within='10 minutes'")

    @property
    def store(self) -> Store:
        """What has passed lately."""
        return self.backing

    def label(self) -> str:
        """By what records are alike, and for how long."""
        return f"by {wording(self.by)} within {self.within} ms"

    def details(self) -> dict[str, Json]:
        """By what records are alike, and for how long."""
        return {"by": self.by, "within": self.within, "store": self.backing.to_json()}
