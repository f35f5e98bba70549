"""The node all others are made of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cached_property
from typing import ClassVar, Self, TypeVar

from holdfast.documents import Document, Json
from holdfast.errors import TopologyError
from holdfast.topology.runner_spec import RunnerSpec, Types
from holdfast.topology.state_traits import StateTraits
from holdfast.topology.store import Store
from holdfast.topology.traits import Traits
from holdfast.types import BOOLEAN, DataType

__all__ = ["Node", "Store"]


@dataclass(frozen=True, eq=False, kw_only=True)
class Node(Traits, StateTraits):
    """One step of a program: its id, its inputs, its line in the user's file; in a plan also its place."""

    operators: ClassVar[dict[str, type[Node]]] = {}
    """The class that reads each operation in a document."""

    id: str
    inputs: tuple[Node, ...] = ()
    at: str = ""
    place: int | None = None
    """In a plan: -1 where records are read, 0, 1, ...: the stage."""
    places: tuple[int, ...] | None = None
    """The stages of a global table."""
    turn: int | None = None
    """When it has a record that others have as well, if processors are there: in the order of the program."""

    def __init_subclass__(cls) -> None:
        if isinstance(vars(cls).get("op"), str):
            Node.operators[cls.op] = cls

    @property
    def store(self) -> Store | None:
        """The node's state, if it has any."""
        return None

    @property
    def versioned(self) -> int | None:
        """The retention of a versioned table in milliseconds; None if it is not versioned."""
        return self.store.versioned if self.store else None

    @cached_property
    def key_type(self) -> DataType:
        """The type of the keys."""
        return self.inputs[0].key_type

    @cached_property
    def value_type(self) -> DataType:
        """The type of the values."""
        return self.inputs[0].value_type

    @property
    def slots(self) -> Mapping[str, DataType]:
        """What an expression of this node may read."""
        return {"key": self.inputs[0].key_type, "value": self.inputs[0].value_type}

    def details(self) -> dict[str, Json]:
        """The fields of this op, as the plan carries them."""
        return {}

    def functions(self, types: Types) -> Mapping[str, RunnerSpec]:
        """The Python functions that the node calls, by name; `types` are those of all nodes, as Spark resolved them."""
        return {}

    def body(self) -> dict[str, Json]:
        """The node as the program has it, for documents."""
        head = {"id": self.id, "op": self.op, "inputs": [each.id for each in self.inputs], "at": self.at}
        return {**head, **self.details()}

    def where(self) -> dict[str, Json]:
        """What the planner adds, for documents."""
        turn = {} if self.turn is None else {"turn": self.turn}
        place = {} if self.place is None else {"place": self.place}
        return {**turn, **place, **({} if self.places is None else {"places": list(self.places)})}

    def to_json(self) -> dict[str, Json]:
        """The node as the plan carries it."""
        return {**self.body(), **self.where()}

    @classmethod
    def read(cls, document: Document, inputs: tuple[Node, ...]) -> Node:
        """The node of a document, which was checked when it was made."""
        places = document.get("places")
        head = {"id": document["id"], "inputs": inputs, "at": document.get("at") or "", "turn": document.get("turn")}
        where = {"place": document.get("place"), "places": None if places is None else tuple(places)}
        return _from_values(cls, {**head, **where, **cls.parts(document)})

    @classmethod
    def parts(cls, document: Document) -> dict[str, object]:
        """The fields of this op in a document; the opposite of `details`."""
        own = [each.name for each in fields(cls) if each.name not in _HEAD]
        stored = {"backing": Store.read(document.get("store"))} if "backing" in own else {}
        return {**{name: document.get(name) for name in own}, **stored}

    def replaced(self, **changes: object) -> Self:
        """The node with other fields, for the planner: nothing is checked again."""
        return _from_values(type(self), {**{each.name: getattr(self, each.name) for each in fields(self)}, **changes})

    def refuse(self, message: str) -> TopologyError:
        """An error that names this node and the user's line."""
        return TopologyError(f"{self.op} '{self.title}': {message}", at=self.at)

    @property
    def title(self) -> str:
        """How errors call this node: its first source, or itself."""
        node = self
        while node.inputs:
            node = node.inputs[0]
        return node.id

    def want_table(self, index: int) -> None:
        """Refuse an input that is not a table."""
        if not self.inputs[index].is_table:
            raise self.refuse("a table was wanted, a stream came; use to_table() first")

    def want_boolean(self, type_: DataType, what: str = "predicate") -> None:
        """Refuse a predicate that is known to be something else."""
        if type_.is_known and type_ != BOOLEAN:
            raise self.refuse(f"{what} is {type_.in_words()}, bool was wanted; compare it with something")


_HEAD = frozenset(each.name for each in fields(Node))
N = TypeVar("N", bound=Node)


def _from_values(cls: type[N], values: Mapping[str, object]) -> N:
    node = object.__new__(cls)
    vars(node).update(values)
    return node
