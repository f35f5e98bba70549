"""What differs between a recorded plan and a new one, and which differences the state survives."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from holdfast.documents import Document
from holdfast.plan.evolution import allowances, refusals
from holdfast.plan.lineage import is_waiting_join, kept_inputs, layout, lineages
from holdfast.plan.naming import at, title
from holdfast.plan.row_changes import made_otherwise, missing_rows
from holdfast.plan.stages import Node, Topology, by_id, is_source, stages_of
from holdfast.plan.table_rows import is_made_of_rows
from holdfast.topology.reading import detail
from holdfast.types import Array, DataType, Field, Map, Scalar, Struct, TypeVisitor, Unread, from_json

Types = Document
_PARTS = {"key": "its key", "value": "its value", "remembered": "what its functions remember"}
_HOLDING_BACK = frozenset(["suppress", "match", "stream_join", "join"])


@dataclass(frozen=True)
class Changes:
    """Sentences about what differs."""

    refused: tuple[str, ...]
    allowed: tuple[str, ...]


@dataclass(frozen=True)
class Stored:
    """A store as a plan has it."""

    node: Node
    lineage: str
    types: dict[str, DataType]
    records: list[DataType]
    """The types of the records that lie in it."""

    @property
    def state(self) -> str:
        """What it is called in the checkpoint."""
        return str(self.node["store"]["state"])

    @property
    def is_named(self) -> bool:
        """Tell whether the user named it, so that it does not hang on a generated number."""
        store = self.node["store"]
        return bool(store["name"]) or not store.get("queryable", True)

    @property
    def title(self) -> str:
        """Name the store as the user knows it."""
        return title(self.node)


def compare(old: Topology, new: Topology, old_types: Types | None, new_types: Types | None) -> Changes:
    """Compare two plans."""
    before, after = _stores(old, old_types), _stores(new, new_types)
    both = [(before[state], after[state]) for state in before if state in after]
    added = [after[state] for state in after if state not in before]
    removed = [before[state] for state in before if state not in after]
    were, are = by_id(old["nodes"]), by_id(new["nodes"])
    missing = {stored.state: missing_rows(stored.node, are, were, before.keys()) for stored in added}
    refused = [
        *_numbers(old, new),
        *_topics(old, new),
        *(line for pair in both for line in [*_changed(*pair)] or made_otherwise(*_nodes(*pair), were, are)),
        *(line for lines in missing.values() for line in lines),
        *_in_new_stages(added, old["stages"]),
    ]
    evolved = [line for pair in both if pair[1].node["op"] == "stateful" for line in _evolved(*pair)]
    empty = [stored for stored in added if not missing[stored.state]]
    return Changes(tuple(refused), (*evolved, *_allowed(empty, removed, old["stages"])))


def _nodes(old: Stored, new: Stored) -> tuple[Node, Node]:
    return old.node, new.node


def _stores(plan: Topology, types: Types | None) -> dict[str, Stored]:
    digests = lineages(plan["nodes"])
    return {
        node["store"]["state"]: Stored(
            node, digests[node["id"]], _types(node, types or {}), _records(node, types or {})
        )
        for node in plan["nodes"]
        if node.get("store")
    }


def _types(node: Node, types: Types) -> dict[str, DataType]:
    """Give the types the kernel resolved, else those that a source declares."""
    return {part: from_json(of) for part, of in _documents(node, types).items() if of is not None}


def _documents(node: Node, types: Types) -> Document:
    if node["op"] == "stateful":
        key = types.get("nodes", {}).get(node["inputs"][0], {}).get("key")
        return {"value": node["state"], **({"key": key} if key else {})}
    if node["op"] == "process":
        return {}  # what it keeps itself has nothing of the records
    resolved = types.get("nodes", {}).get(node["id"])
    if resolved:
        return {"key": resolved["key"]} if is_waiting_join(node) else dict(resolved)
    return {part: node[part]["type"] for part in ("key", "value") if node["op"] == "source" and node.get(part)}


def _records(node: Node, types: Types) -> list[DataType]:
    """Give the types of the records that a node keeps, as far as the kernel has resolved them."""
    resolved = types.get("nodes", {})
    return [from_json(resolved[i]["value"]) for i in kept_inputs(node) if i in resolved]


def _numbers(old: Topology, new: Topology) -> Iterator[str]:
    if old["app"] != new["app"]:
        yield f"app: was '{old['app']}', is '{new['app']}'"
    for name in ("tasks", "stages"):
        if old[name] != new[name]:
            yield f"number of {name}: was {old[name]}, is {new[name]}"


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
    kinds = {"stream": "stream", "table": "table", "global": "global table"}
    return {
        topic: name
        for node in plan["nodes"]
        for kind, name in kinds.items()
        if is_source(node, kind)
        for topic in node.get("topics", [node["id"]])
    }


def _changed(old: Stored, new: Stored) -> Iterator[str]:
    was, now = stages_of(old.node), stages_of(new.node)
    if was != now:
        yield f"{old.title}: was in {_stages(was)}, is in {_stages(now)}"
    if old.node["op"] != new.node["op"]:
        yield f"{old.title}: was made by {old.node['op']}, is made by {new.node['op']}{at(new.node)}"
        return
    retyped = [*_retyped(old, new)]
    yield from retyped
    if layout(old.node) != layout(new.node):
        yield f"{old.title}: what {new.node['op']} keeps has changed{at(new.node)}{_details(old.node, new.node)}"
    if not (old.is_named and new.is_named) and old.lineage != new.lineage:
        way = "" if retyped or is_made_of_rows(new.node) else "; a store with a name may change so"
        yield f"{old.title}: what it is made of has changed{at(new.node)}{way}"


def _details(old: Node, new: Node) -> str:
    """What two nodes do, where words tell the difference."""
    was, now = detail(old), detail(new)
    return "" if was == now else f": was {was or 'without windows'}, is {now or 'without windows'}"


def _retyped(old: Stored, new: Stored) -> Iterator[str]:
    if new.node["op"] == "stateful":
        lines = refusals(old.types["value"], new.types["value"], _type)
        yield from (f"{old.title}: of its state {line}{at(new.node)}" for line in lines)
    for part, words in _PARTS.items():
        was, now = old.types.get(part), new.types.get(part)
        if was is not None and now is not None and was != now and (part, new.node["op"]) != ("value", "stateful"):
            yield f"{old.title}: {words} was {_type(was)}, is {_type(now)}"
    if old.records != new.records:
        were, are = (", ".join(map(_type, each.records)) for each in (old, new))
        yield f"{old.title}: the records that lie in it were {were}, are {are}"


def _evolved(old: Stored, new: Stored) -> Iterator[str]:
    """What a state survives."""
    if old.node["op"] == "stateful" and not [*_retyped(old, new)]:
        lines = allowances(old.types["value"], new.types["value"], _type)
        yield from (f"{old.title}: of its state {line}{at(new.node)}" for line in lines)


def _fits(stored: Stored, stages: int) -> bool:
    return all(stage < stages for stage in stages_of(stored.node))


def _in_new_stages(added: Iterable[Stored], stages: int) -> Iterator[str]:
    for stored in added:
        if stored.node["op"] != "table_copy" and not _fits(stored, stages):
            where = _stages(stages_of(stored.node))
            yield f"{stored.title} is new{at(stored.node)}, in {where}, which the state does not have"


def _allowed(added: Iterable[Stored], removed: Iterable[Stored], stages: int) -> Iterator[str]:
    for stored in added:
        if stored.node["op"] != "table_copy" and _fits(stored, stages):
            yield f"{stored.title} is new{at(stored.node)}: it starts empty, in {_stages(stages_of(stored.node))}"
    for stored in removed:
        waiting = ", and what waits in it is never emitted" if _holds_back(stored.node) else ""
        yield f"{stored.title} is gone: its state is dropped{waiting}"


def _holds_back(node: Node) -> bool:
    """Tell whether something lies in the node's state that has not been told yet."""
    return node["op"] in _HOLDING_BACK or (node.get("window") or {}).get("emit") == "final"


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
