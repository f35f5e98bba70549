"""The node that runs a Python function with a state for each key."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

from holdfast.documents import Document, Json
from holdfast.topology.nodes import Node, Store
from holdfast.topology.runner_spec import RunnerSpec, Types
from holdfast.topology.traits import Runs
from holdfast.types import DataType, from_json


@dataclass(frozen=True, eq=False, kw_only=True)
class StatefulFunction(Node):
    """Calls a Python function for each record, with a state for each key."""

    op: ClassVar[str] = "stateful"
    runs: ClassVar[Runs] = Runs.BY_KEY
    evolves: ClassVar[bool] = True
    make: Callable[[], object]
    function: str
    returns: DataType
    state: DataType
    ttl: int | None
    backing: Store

    @cached_property
    def value_type(self) -> DataType:
        """What the function gives."""
        return self.returns

    @property
    def store(self) -> Store:
        """The states."""
        return self.backing

    @property
    def is_time_driven(self) -> bool:
        """It may have set timers."""
        return True

    def structure(self) -> dict[str, Json]:
        """Its state does not depend on its results."""
        return {"op": self.op}

    def state_types(self, types: Types) -> Mapping[str, DataType]:
        """What the user has declared, and the key as it comes."""
        key = types.get(self.inputs[0].id, {}).get("key")
        return {"value": self.state, **({"key": key} if key else {})}

    def label(self) -> str:
        """The name of the function, and where it is."""
        return self.function

    @classmethod
    def parts(cls, document: Document) -> dict[str, object]:
        """The types of results and of states."""
        types = {name: from_json(document[name]) for name in ("returns", "state")}
        return {**super().parts(document), "function": document["name"], **types}

    def functions(self, types: Types) -> Mapping[str, RunnerSpec]:
        """The function, which gets key, value, state and timers."""
        arguments = (self.make(), types[self.inputs[0].id])
        return {self.id: RunnerSpec("stateful", arguments)}

    def details(self) -> dict[str, Json]:
        """Which function, with the types of its results and its states."""
        ttl = {} if self.ttl is None else {"ttl": self.ttl}
        named = {"function": self.id, "name": self.function, "returns": self.value_type.to_json()}
        return {**named, "state": self.state.to_json(), "wall": True, **ttl, "store": self.backing.to_json()}
