"""The functions of an aggregate that run in Python."""

from __future__ import annotations

from dataclasses import dataclass, field

from holdfast.types.value_classes import Classes
from holdfast.workers.function_spec import FunctionSpec


@dataclass(frozen=True)
class FoldSpec:
    """How records become a state: a function per input, one that merges two states, one that retracts a record.

    `begin` is what a state begins with; without `begins` it is the first value. `state` is the class of states.
    """

    adds: tuple[FunctionSpec, ...]
    merge: FunctionSpec | None = None
    subtract: FunctionSpec | None = None
    begins: bool = False
    begin: object = None
    state: Classes = field(default_factory=Classes)

    @property
    def title(self) -> str:
        """How errors call it."""
        return self.adds[0].title
