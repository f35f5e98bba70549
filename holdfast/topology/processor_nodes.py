"""Processors: what the user's own classes do with records, their stores and their children."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, TypeVar

from holdfast.documents import Document, Json
from holdfast.topology.nodes import Node, Store
from holdfast.topology.runner_spec import RunnerSpec, Types
from holdfast.topology.state_traits import digest
from holdfast.topology.traits import Runs
from holdfast.types import UNKNOWN, DataType, from_json
from holdfast.types.value_classes import Classes

T = TypeVar("T")
ClassPair = tuple[Classes, Classes]
"""The classes of key and value."""


@dataclass(frozen=True)
class ChildSpec:
    """A child that a processor forwards to, None is all of them; unknown types are those of the input.

    `rekeyed`: keys may change. `has_own_types`: only records that are forwarded to it by name go there.
    """

    name: str | None
    key: DataType
    value: DataType
    classes: ClassPair
    rekeyed: bool
    has_own_types: bool

    def id(self, process: str) -> str:
        """The id of the node of this child."""
        return f"{process}.{self.name or 'forward'}"


@dataclass(frozen=True, eq=False, kw_only=True)
class ProcessorStore(Node):
    """A store that processors read and write."""

    op: ClassVar[str] = "store"
    runs: ClassVar[Runs] = Runs.WITH_INPUT
    is_shown: ClassVar[bool] = False

    key: DataType
    value: DataType
    classes: ClassPair
    backing: Store

    @property
    def store(self) -> Store:
        """The store itself."""
        return self.backing

    @cached_property
    def key_type(self) -> DataType:
        """The type of its keys."""
        return self.key

    @cached_property
    def value_type(self) -> DataType:
        """The type of its values."""
        return self.value

    def state_lineage(self, lineages: Mapping[str, str]) -> str:
        """The user decides what processors store: types are compared, not how values came about."""
        return digest(self.op)

    def made_by(self) -> str:
        """The processors that share it."""
        return f"by {', '.join(each.id for each in self.inputs)}"

    @classmethod
    def parts(cls, document: Document) -> dict[str, object]:
        """Both types, and the store."""
        return {**super().parts(document), **{name: from_json(document[name]) for name in ("key", "value")}}

    def details(self) -> dict[str, Json]:
        """Both types, and the store."""
        return {"key": self.key.to_json(), "value": self.value.to_json(), "store": self.backing.to_json()}


@dataclass(frozen=True, eq=False, kw_only=True)
class ProcessNode(Node):
    """Runs processors; its own state are stream time and schedules."""

    runs: ClassVar[Runs] = Runs.BY_KEY
    name: str
    backing: Store

    @property
    def store(self) -> Store:
        """Its time and its schedules."""
        return self.backing

    @property
    def title(self) -> str:
        """The class."""
        return self.name

    @property
    def is_time_driven(self) -> bool:
        """It may have schedules."""
        return True

    def structure(self) -> dict[str, Json]:
        """Its state does not depend on what its processors emit, nor on where they stand."""
        return {"op": self.op}

    def state_lineage(self, lineages: Mapping[str, str]) -> str:
        """Its state does not depend on how its records came about."""
        return digest(self.op)

    def state_types(self, types: Types) -> Mapping[str, DataType]:
        """Nor of their types."""
        return {}

    @property
    def store_names(self) -> dict[str, str]:
        """The names of the stores that it reads and writes, by the id of their nodes."""
        raise NotImplementedError

    @property
    def child_ids(self) -> list[str]:
        """The ids of the nodes of its children."""
        raise NotImplementedError

    @property
    def store_label(self) -> str | None:
        """The stores that it reads and writes."""
        return ", ".join(self.store_names.values()) or self.backing.label

    def store_story(self) -> str:
        """Its own state."""
        return f"({self.backing.state}): stream time and schedules of {self.id}, not queryable"

    def label(self) -> str:
        """The class, and where it is."""
        return self.name

    def details(self) -> dict[str, Json]:
        """Which class, its stores and its children."""
        return {
            "function": self.id,
            "name": self.name,
            "stores": [{"id": id, "name": name} for id, name in self.store_names.items()],
            "ways": self.child_ids,
            "store": self.backing.to_json(),
            "wall": True,
        }


@dataclass(frozen=True, eq=False, kw_only=True)
class Process(ProcessNode):
    """Hands each record to a processor."""

    op: ClassVar[str] = "process"
    make: Callable[[], object]
    stores: tuple[tuple[str, ProcessorStore], ...]
    classes: ClassPair
    children: tuple[ChildSpec, ...]
    all_processors: list[Process]
    """Every processor of the program, also those that come later."""

    @property
    def store_names(self) -> dict[str, str]:
        """A store without a name goes by the attribute."""
        return {store.id: store.backing.name or attribute for attribute, store in self.stores}

    @property
    def child_ids(self) -> list[str]:
        """The ids of the nodes of its children."""
        return [spec.id(self.id) for spec in self.children]

    @property
    def store_ids(self) -> list[str]:
        """The nodes of its stores."""
        return [store.id for _, store in self.stores]

    def group(self) -> list[Process]:
        """The processors that run as one with this one, and itself."""
        groups = group_by_store(self.all_processors, lambda each: each.store_ids)
        return next(group for group in groups if self in group)

    def check_group(self) -> None:
        """Refuse to share a store across what runs between two processors."""
        group = self.group()
        for each in group:
            blocked = next(
                (other for other in group if other in ancestors(each, skip=follows_directly(each, group))), None
            )
            if blocked:
                raise self.refuse(
                    f"it shares a store with {blocked.name}, which comes before it with other operations, or a change "
                    "of key, between them; processors that share a store run as one: let one follow the other "
                    "directly, or do in the processor what is done between them"
                )

    def functions(self, types: Types) -> Mapping[str, RunnerSpec]:
        """The processors that run as one, where the first of them is."""
        group = self.group()
        if group[0] is not self:
            return {}
        return {self.id: RunnerSpec("processors", (group_spec(group, types),))}


@dataclass(frozen=True, eq=False, kw_only=True)
class ProcessorGroup(ProcessNode):
    """Processors that share stores as one node of a plan; `turns` are those of its inputs."""

    op: ClassVar[str] = "process"
    names: dict[str, str]
    children: list[str]
    members: tuple[str, ...] | None
    turns: tuple[int, ...] | None

    @property
    def store_names(self) -> dict[str, str]:
        """Those of all members."""
        return self.names

    @property
    def child_ids(self) -> list[str]:
        """Those of all members."""
        return self.children

    def where(self) -> dict[str, Json]:
        """The processors, in which order they have records, and where they run."""
        if self.members is None or self.turns is None:
            return super().where()
        return {"turn": self.turn, "turns": list(self.turns), "members": list(self.members), **super().where()}

    @classmethod
    def parts(cls, document: Document) -> dict[str, object]:
        """The processors as the plan has them."""
        names = {each["id"]: each["name"] for each in document["stores"]}
        return {**super().parts(document), "names": names, "children": document["ways"]}


@dataclass(frozen=True, eq=False, kw_only=True)
class Child(Node):
    """What a processor forwards to one child."""

    op: ClassVar[str] = "child"
    no_structure: ClassVar[frozenset[str]] = frozenset(["like"])
    spec: ChildSpec
    like: str
    """The node whose types it has where it has none of its own."""

    @property
    def _processor_input(self) -> Node:
        return self.inputs[0].inputs[0]

    @cached_property
    def key_type(self) -> DataType:
        """The type of the keys it forwards."""
        return self._processor_input.key_type if self.spec.key == UNKNOWN else self.spec.key

    @cached_property
    def value_type(self) -> DataType:
        """The type of the values it forwards."""
        return self._processor_input.value_type if self.spec.value == UNKNOWN else self.spec.value

    def label(self) -> str:
        """Which child."""
        return self.spec.name or "to all"

    @classmethod
    def parts(cls, document: Document) -> dict[str, object]:
        """Which child, and its types."""
        key, value = (from_json(document[name]) for name in ("key", "value"))
        spec = ChildSpec(document["name"], key, value, (Classes(), Classes()), cls.rekeys, False)
        return {"spec": spec, "like": document["like"]}

    def details(self) -> dict[str, Json]:
        """Which child, and its types; `like` has those that stay as they are."""
        key, value = (each.to_json() for each in (self.spec.key, self.spec.value))
        return {"name": self.spec.name, "key": key, "value": value, "like": self.like}


class RekeyedChild(Child):
    """What a processor forwards to one child, with other keys than it takes."""

    op: ClassVar[str] = "rekeyed_child"
    rekeys: ClassVar[bool] = True


@dataclass(frozen=True)
class Member:
    """A processor as it runs; `takes` is an input, or the child of another processor whose records it takes."""

    id: str
    name: str
    make: Callable[[], object]
    takes: int | str
    key: DataType
    value: DataType
    classes: ClassPair
    stores: tuple[tuple[str, int], ...]
    children: tuple[tuple[str, ChildSpec], ...]

    @property
    def title(self) -> str:
        """How errors call it."""
        return self.name


@dataclass(frozen=True)
class ProcessorStoreSpec:
    """A store as a processor sees it."""

    name: str
    key: DataType
    value: DataType
    classes: ClassPair


@dataclass(frozen=True)
class GroupSpec:
    """Processors that run as one, with all that is needed to run them."""

    members: tuple[Member, ...]
    stores: tuple[ProcessorStoreSpec, ...]


def group_by_store(each: Sequence[T], stores: Callable[[T], Iterable[str]]) -> list[list[T]]:
    """Group what shares a store, each group in the order of the program.

    >>> group_by_store([("a", "x"), ("b", "y"), ("c", "x")], lambda each: [each[1]])
    [[('a', 'x'), ('c', 'x')], [('b', 'y')]]
    """
    groups: list[tuple[list[int], set[str]]] = []
    for index, one in enumerate(each):
        names = set(stores(one))
        met = [group for group in groups if group[1] & names]
        groups = [group for group in groups if group not in met]
        members = [member for group in met for member in group[0]]
        groups.append(([*members, index], names.union(*(group[1] for group in met))))
    return [[each[index] for index in sorted(members)] for members, _ in sorted(groups, key=lambda g: min(g[0]))]


def follows_directly(process: Process, group: Sequence[Process]) -> bool:
    """Whether the processor follows another of its group directly, with the keys as they are."""
    before = process.inputs[0]
    return isinstance(before, Child) and not before.spec.rekeyed and before.inputs[0] in group


def ancestors(process: Process, *, skip: bool) -> set[Node]:
    """The nodes before a processor; with `skip` without the one that it follows directly."""
    waiting: list[Node] = [] if skip else list(process.inputs)
    found: set[Node] = set()
    while waiting:
        node = waiting.pop()
        if node not in found:
            found.add(node)
            waiting.extend(node.inputs)
    return found


def group_spec(members: Sequence[Process], types: Types) -> GroupSpec:
    """The processors of a group with the types that the kernel has resolved."""
    stores = list(dict.fromkeys(store for each in members for _, store in each.stores))
    outside = [each for each in members if not follows_directly(each, members)]
    return GroupSpec(
        members=tuple(_member(each, outside, stores, types) for each in members),
        stores=tuple(
            ProcessorStoreSpec(
                each.backing.name or each.id,
                types[each.id]["key"],
                _declared(each.value, types[each.id]["value"]),
                each.classes,
            )
            for each in stores
        ),
    )


def _member(process: Process, outside: Sequence[Process], stores: Sequence[ProcessorStore], types: Types) -> Member:
    taken = process.inputs[0].id
    children = [(spec.id(process.id), spec) for spec in process.children]
    return Member(
        process.id,
        process.name,
        process.make,
        outside.index(process) if process in outside else taken,
        *_types(types, taken),
        process.classes,
        tuple((attribute, stores.index(store)) for attribute, store in process.stores),
        tuple((id, _resolved(spec, *_types(types, id))) for id, spec in children),
    )


def _resolved(spec: ChildSpec, key: DataType, value: DataType) -> ChildSpec:
    return ChildSpec(spec.name, key, _declared(spec.value, value), spec.classes, spec.rekeyed, spec.has_own_types)


def _declared(declared: DataType, resolved: DataType) -> DataType:
    """What was declared says which fields must be there, unless only Spark can read it."""
    return declared if declared.is_known else resolved


def _types(types: Types, id: str) -> tuple[DataType, DataType]:
    return types[id]["key"], types[id]["value"]
