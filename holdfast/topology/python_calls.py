"""The node that calls a Python function."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, Protocol

from holdfast.documents import Document, Json
from holdfast.topology.nodes import Node
from holdfast.topology.runner_spec import RunnerSpec, Types
from holdfast.types import DataType, Struct, from_json


class CallSpec(Protocol):
    """A function with all that its runner needs to know."""

    @property
    def kind(self) -> str:
        """Which runner runs it."""


@dataclass(frozen=True, eq=False, kw_only=True)
class PythonCall(Node):
    """Each record with its value and the result of a function."""

    op: ClassVar[str] = "python"
    no_structure: ClassVar[frozenset[str]] = frozenset(["name", "function"])

    call: CallSpec
    name: str
    returns: DataType

    @cached_property
    def value_type(self) -> DataType:
        """The value, and the result."""
        return Struct(value=self.inputs[0].value_type, result=self.returns)

    def functions(self, types: Types) -> Mapping[str, RunnerSpec]:
        """The function, which gets key and value."""
        return {self.id: RunnerSpec(self.call.kind, (self.call, types[self.inputs[0].id]))}

    @classmethod
    def parts(cls, document: Document) -> dict[str, object]:
        """What the function gives."""
        return {**super().parts(document), "returns": from_json(document["returns"])}

    def details(self) -> dict[str, Json]:
        """Which function, and what it gives."""
        return {"function": self.id, "name": self.name, "returns": self.returns.to_json()}
