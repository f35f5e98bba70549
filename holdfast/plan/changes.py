"""Compares a recorded plan with a new one: which changes are refused, and which the state survives."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from holdfast.documents import Document
from holdfast.plan.lineage import lineages
from holdfast.plan.row_changes import made_otherwise, missing_rows
from holdfast.plan.stages import stages_of
from holdfast.plan.type_changes import allowances, refusals
from holdfast.topology.graph import Topology
from holdfast.topology.nodes import Node
from holdfast.topology.runner_spec import Types, resolved_types
from holdfast.topology.sources import NAMES
from holdfast.topology.store import Store
from holdfast.types import UNKNOWN, Array, DataType, Field, Map, Scalar, Struct, TypeVisitor, Unread

_PARTS = {"key": "its key", "value": "its value", "remembered": "what its functions remember"}


@dataclass(frozen=True)
class Changes:
    """The changes of a program, in sentences."""

    refused: tuple[str, ...]
    allowed: tuple[str, ...]


@dataclass(frozen=True)
class RecordedStore:
    """A store as a plan has it."""

    node: Node
    lineage: str
    types: dict[str, DataType]
    records: list[DataType]
    """The types of the records that lie in it."""

    @property
    def store(self) -> Store:
        """What it is called, and its options."""
        assert self.node.store is not None
        return self.node.store

    @property
    def state(self) -> str:
        """What it is called in the checkpoint."""
        return self.store.state

    @property
    def title(self) -> str:
        """Name the store as the user knows it."""
        return self.node.state_title


def compare(old: Topology, new: Topology, old_types: Document | None, new_types: Document | None) -> Changes:
    """Compare two plans."""
    before, after = _stores(old, old_types), _stores(new, new_types)
    both = [(before[state], after[state]) for state in before if state in after]
    added = [after[state] for state in after if state not in before]
    removed = [before[state] for state in before if state not in after]
    missing = {stored.state: missing_rows(stored.node, old.nodes, before.keys()) for stored in added}
    refused = [
        *_numbers(old, new),
        *_topics(old, new),
        *(line for pair in both for line in [*_changed(*pair)] or made_otherwise(*(each.node for each in pair))),
        *(line for lines in missing.values() for line in lines),
        *_in_new_stages(added, old.stages or 0),
    ]
    evolved = [line for pair in both if pair[1].node.evolves for line in _evolved(*pair)]
    empty = [stored for stored in added if not missing[stored.state]]
    return Changes(tuple(refused), (*evolved, *_allowed(empty, removed, old.stages or 0)))


def _stores(plan: Topology, types: Document | None) -> dict[str, RecordedStore]:
    digests, resolved = lineages(plan.nodes), resolved_types((types or {}).get("nodes", {}))
    return {
        node.store.state: RecordedStore(
            node, node.state_lineage(digests), _types(node, resolved), _records(node, resolved)
        )
        for node in plan.nodes
        if node.store
    }


def _types(node: Node, resolved: Types) -> dict[str, DataType]:
    return {part: of for part, of in node.state_types(resolved).items() if of != UNKNOWN}


def _records(node: Node, types: Types) -> list[DataType]:
    """Give the types of the records that a node stores, as far as the kernel has resolved them."""
    return [types[each.id]["value"] for each in node.stored_inputs if each.id in types]


def _numbers(old: Topology, new: Topology) -> Iterator[str]:
    if old.app != new.app:
        yield f"app: was '{old.app}', is '{new.app}'"
    for name, was, now in (("tasks", old.tasks, new.tasks), ("stages", old.stages, new.stages)):
        if was != now:
            yield f"number of {name}: was {was}, is {now}"


def _topics(old: Topology, new: Topology) -> Iterator[str]:
    before, after = _sources(old), _sources(new)
    for topic in sorted(before.keys() | after.keys()):
        was, now = before.get(topic), after.get(topic)
        if now is None:
            yield f"source topic '{topic}' was removed"
        elif was is None:
            yield f"source topic '{topic}' was added"
        elif was != now:
            yield f"source topic '{topic}': was read as a {was}, is read as a {now}"


def _sources(plan: Topology) -> dict[str, str]:
    return {name: NAMES[node.reads] for node in plan.nodes if node.reads for name in node.origins}


def _changed(old: RecordedStore, new: RecordedStore) -> Iterator[str]:
    was, now = stages_of(old.node), stages_of(new.node)
    if was != now:
        yield f"{old.title}: was in {_stages(was)}, is in {_stages(now)}"
    if old.node.op != new.node.op:
        yield f"{old.title}: was made by {old.node.op}, is made by {new.node.op}{new.node.at_note}"
        return
    retyped = [*_retyped(old, new)]
    yield from retyped
    if old.node.layout() != new.node.layout():
        yield f"{old.title}: what {new.node.op} stores has changed{new.node.at_note}{_details(old.node, new.node)}"
    if not (old.store.is_named and new.store.is_named) and old.lineage != new.lineage:
        hint = "" if retyped or new.node.is_made_of_rows else "; a store with a name may change so"
        yield f"{old.title}: what it is made of has changed{new.node.at_note}{hint}"


def _details(old: Node, new: Node) -> str:
    """The labels of two nodes, where they differ."""
    was, now = old.label(), new.label()
    return "" if was == now else f": was {was or 'without windows'}, is {now or 'without windows'}"


def _retyped(old: RecordedStore, new: RecordedStore) -> Iterator[str]:
    if new.node.evolves:
        lines = refusals(old.types["value"], new.types["value"], _type)
        yield from (f"{old.title}: in its state, {line}{new.node.at_note}" for line in lines)
    for part, words in _PARTS.items():
        was, now = old.types.get(part), new.types.get(part)
        if was is not None and now is not None and was != now and not (part == "value" and new.node.evolves):
            yield f"{old.title}: {words} was {_type(was)}, is {_type(now)}"
    if old.records != new.records:
        were, are = (", ".join(map(_type, each.records)) for each in (old, new))
        yield f"{old.title}: the records that lie in it were {were}, are {are}"


def _evolved(old: RecordedStore, new: RecordedStore) -> Iterator[str]:
    """What a state survives."""
    if old.node.evolves and not [*_retyped(old, new)]:
        lines = allowances(old.types["value"], new.types["value"], _type)
        yield from (f"{old.title}: in its state, {line}{new.node.at_note}" for line in lines)


def _fits(stored: RecordedStore, stages: int) -> bool:
    return all(stage < stages for stage in stages_of(stored.node))


def _in_new_stages(added: Iterable[RecordedStore], stages: int) -> Iterator[str]:
    for stored in added:
        if not stored.node.is_copy and not _fits(stored, stages):
            where = _stages(stages_of(stored.node))
            yield f"{stored.title} is new{stored.node.at_note}, in {where}, which the state does not have"


def _allowed(added: Iterable[RecordedStore], removed: Iterable[RecordedStore], stages: int) -> Iterator[str]:
    for stored in added:
        if not stored.node.is_copy and _fits(stored, stages):
            yield f"{stored.title} is new{stored.node.at_note}: it starts empty, in {_stages(stages_of(stored.node))}"
    for stored in removed:
        waiting = ", and its pending results are never emitted" if stored.node.has_pending_results else ""
        yield f"{stored.title} was removed: its state is dropped{waiting}"


def _stages(places: list[int]) -> str:
    if not places:
        return "no stage"
    return ("stages " if len(places) > 1 else "stage ") + ", ".join(map(str, places))


class _Shown(TypeVisitor[str]):
    """A type as DDL writes it, with Spark's names."""

    def scalar(self, of: Scalar) -> str:
        return of.name

    def array(self, of: Array) -> str:
        return f"array<{self.visit(of.element)}>"

    def map(self, of: Map) -> str:
        return f"map<{self.visit(of.key)}, {self.visit(of.value)}>"

    def struct(self, of: Struct) -> str:
        return "{" + ", ".join(map(self._field, of.fields)) + "}"

    def _field(self, field: Field) -> str:
        return f"{field.name} {self.visit(field.type)}{'' if field.nullable else ' not null'}"

    def other(self, of: DataType) -> str:
        return of.ddl if isinstance(of, Unread) else json.dumps(of.to_json())


_type = _Shown().visit
