"""What differs between a recorded plan and a new one, and which differences the state survives."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from holdfast.plan.evolution import allowances, refusals
from holdfast.plan.lineage import is_waiting_join, kept_inputs, layout, lineages
from holdfast.plan.stages import Node, Topology, by_id, is_source, stages_of

Types = dict[str, Any]


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
    types: dict[str, Any]
    records: list[Any]
    """The types of the records that lie in it."""

    @property
    def title(self) -> str:
        """Name the store as the user knows it."""
        name = self.node["store"]["name"]
        return f"store '{name}'" if name else f"the state of {self.node['id']}"


def compare(old: Topology, new: Topology, old_types: Types | None, new_types: Types | None) -> Changes:
    """Compare two plans."""
    before, after = _stores(old, old_types), _stores(new, new_types)
    both = [(before[state], after[state]) for state in before if state in after]
    added = [after[state] for state in after if state not in before]
    removed = [before[state] for state in before if state not in after]
    known = {stored.node["id"] for stored in before.values()}
    refused = [
        *_numbers(old, new),
        *_topics(old, new),
        *(line for pair in both for line in _changed(*pair)),
        *_late_copies(added, known),
        *_late_lookups(added, by_id(new["nodes"]), known),
        *_in_new_stages(added, old["stages"]),
    ]
    evolved = [line for pair in both if pair[1].node["op"] == "stateful" for line in _evolved(*pair)]
    return Changes(tuple(refused), (*evolved, *_allowed(added, removed, old["stages"])))


def _stores(plan: Topology, types: Types | None) -> dict[str, Stored]:
    digests = lineages(plan["nodes"])
    return {
        node["store"]["state"]: Stored(
            node, digests[node["id"]], _types(node, types or {}), _records(node, types or {})
        )
        for node in plan["nodes"]
        if node.get("store")
    }


def _types(node: Node, types: Types) -> dict[str, Any]:
    """Give the types the kernel resolved, else those that a source declares."""
    if node["op"] == "stateful":
        key = types.get("nodes", {}).get(node["inputs"][0], {}).get("key")
        return {"value": node["state"], **({"key": key} if key else {})}
    if node["op"] == "process":
        return {}  # what it keeps itself has nothing of the records
    resolved = types.get("nodes", {}).get(node["id"])
    if resolved:
        return {"key": resolved["key"]} if is_waiting_join(node) else dict(resolved)
    return {part: node[part]["type"] for part in ("key", "value") if node["op"] == "source" and node.get(part)}


def _records(node: Node, types: Types) -> list[Any]:
    """Give the types of the records that a node keeps, as far as the kernel has resolved them."""
    resolved = types.get("nodes", {})
    return [resolved[i]["value"] for i in kept_inputs(node) if i in resolved]


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
        yield f"{old.title}: was made by {old.node['op']}, is made by {new.node['op']}{_at(new.node)}"
        return
    yield from _retyped(old, new)
    if layout(old.node) != layout(new.node):
        yield f"{old.title}: what {new.node['op']} keeps has changed{_at(new.node)}"
    if not old.node["store"]["name"] and not new.node["store"]["name"] and old.lineage != new.lineage:
        yield f"{old.title}: what it is made of has changed{_at(new.node)}; a store with a name may change so"


def _retyped(old: Stored, new: Stored) -> Iterator[str]:
    if new.node["op"] == "stateful":
        lines = refusals(old.types["value"], new.types["value"], _type)
        yield from (f"{old.title}: of its state {line}{_at(new.node)}" for line in lines)
    for part in ("key",) if new.node["op"] == "stateful" else ("key", "value"):
        was, now = old.types.get(part), new.types.get(part)
        if was is not None and now is not None and was != now:
            yield f"{old.title}: its {part} was {_type(was)}, is {_type(now)}"
    if old.records != new.records:
        was, now = (", ".join(map(_type, each.records)) for each in (old, new))
        yield f"{old.title}: the records that lie in it were {was}, are {now}"


def _evolved(old: Stored, new: Stored) -> Iterator[str]:
    """What a state survives."""
    if old.node["op"] == "stateful" and not [*_retyped(old, new)]:
        lines = allowances(old.types["value"], new.types["value"], _type)
        yield from (f"{old.title}: of its state {line}{_at(new.node)}" for line in lines)


def _late_copies(added: Iterable[Stored], known: set[str]) -> Iterator[str]:
    """A copy made later would miss what its table already holds."""
    for copy in added:
        table = copy.node["inputs"][0] if copy.node["op"] == "table_copy" else None
        if table in known:
            yield f"table {table} is now also read in stage {copy.node['place']}, where its rows so far are missing"


def _late_lookups(added: Iterable[Stored], nodes: dict[str, Node], known: set[str]) -> Iterator[str]:
    """A join by a foreign key that is made later would not know what the entries so far refer to."""
    for lookup in added:
        tables = _stored_under(lookup.node["inputs"][0], nodes) if lookup.node["op"] == "fk_lookup" else []
        for table in tables:
            if table in known:
                join = lookup.node["id"].removesuffix(".lookup")
                yield f"{join} is new{_at(lookup.node)}, and what the rows of table {table} so far refer to is missing"


def _stored_under(id: str, nodes: dict[str, Node]) -> list[str]:
    """List the tables with a store that a node without one is made of."""
    below = [table for i in nodes[id]["inputs"] for table in _stored_under(i, nodes)]
    return [id] if nodes[id].get("store") else below


def _fits(stored: Stored, stages: int) -> bool:
    return all(stage < stages for stage in stages_of(stored.node))


def _in_new_stages(added: Iterable[Stored], stages: int) -> Iterator[str]:
    for stored in added:
        if stored.node["op"] != "table_copy" and not _fits(stored, stages):
            where = _stages(stages_of(stored.node))
            yield f"{stored.title} is new{_at(stored.node)}, in {where}, which the state does not have"


def _allowed(added: Iterable[Stored], removed: Iterable[Stored], stages: int) -> Iterator[str]:
    for stored in added:
        if stored.node["op"] != "table_copy" and _fits(stored, stages):
            yield f"{stored.title} is new{_at(stored.node)}: it starts empty, in {_stages(stages_of(stored.node))}"
    for stored in removed:
        yield f"{stored.title} is gone: its state is dropped"


def _stages(places: list[int]) -> str:
    if not places:
        return "no stage"
    return ("stages " if len(places) > 1 else "stage ") + ", ".join(map(str, places))


def _type(type: Any) -> str:
    """Write a Spark type as DDL does."""
    if not isinstance(type, dict):
        return str(type)
    if type.get("type") == "struct":
        return "{" + ", ".join(_field(f) for f in type["fields"]) + "}"
    if type.get("type") == "array":
        return f"array<{_type(type['elementType'])}>"
    if type.get("type") == "map":
        return f"map<{_type(type['keyType'])}, {_type(type['valueType'])}>"
    return str(type.get("ddl") or json.dumps(type))


def _field(field: dict[str, Any]) -> str:
    return f"{field['name']} {_type(field['type'])}{'' if field.get('nullable', True) else ' not null'}"


def _at(node: Node) -> str:
    return f" ({node['at']})" if node.get("at") else ""
