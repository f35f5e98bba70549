"""Checks across nodes: duplicate names, topics read in two ways, programs that cannot run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from holdfast.errors import TopologyError
from holdfast.names import check_name, did_you_mean
from holdfast.topics.own_topics import dead_letter_topic, is_own
from holdfast.topology.nodes import Node
from holdfast.topology.sources import Source
from holdfast.topology.stateless import To
from holdfast.topology.tables import retracts

if TYPE_CHECKING:
    from holdfast.topology.graph import Topology

EMIT = ("latest", "every")


def check_node(node: Node, others: Sequence[Node], app: str) -> None:
    """Check a new node against those before it."""
    if node.store:
        _check_store(node, others)
    if isinstance(node, Source):
        _check_source(node, others, app)
    if isinstance(node, To) and isinstance(node.topic, str):
        check_name("topic", node.topic, TopologyError, at=node.at)
        _check_reserved(node, node.topic, app)
    late = getattr(node, "late", None)
    if late is not None:
        check_name("late topic", late, TopologyError, at=node.at)
        _check_reserved(node, late, app)


def _check_store(node: Node, others: Sequence[Node]) -> None:
    store = node.store
    assert store is not None
    if store.name is not None or not store.queryable:
        check_name("store", store.state, TopologyError, longest=100, at=node.at)
    if store.emit not in EMIT:
        raise TopologyError(f'emit is {store.emit!r}; it may be "latest" or "every"', at=node.at)
    if store.ttl is not None:
        _check_ttl(node)
    if store.versioned is not None:
        _check_versioned(node)
    taken = next((each for each in others if each.store and each.store.state == store.state), None)
    if taken:
        raise TopologyError(
            f"store {store.state!r} already belongs to {taken.op} at {taken.at}; "
            "give one of them another name: store=...",
            at=node.at,
        )


def _check_ttl(node: Node) -> None:
    """A time to live is for tables of a topic or a stream, and for aggregates of streams."""
    if node.versioned is not None:
        raise node.refuse("ttl= does not go with versioned=, which says how long old versions stay; choose one")
    if node.is_global_table:
        raise node.refuse("ttl= is not for global tables; use app.table, or delete with null values")
    if node.inputs and retracts(node.inputs[0]):
        raise node.refuse("ttl= would expire rows that the table still has; give the table a ttl= instead")
    if node.inputs and node.inputs[0].is_table:
        raise node.refuse("ttl= belongs to the table that this one is made of: its deletes come here, too")
    if getattr(node, "windowing", None) is not None:
        raise node.refuse("the windows of a windowed table expire by themselves; set the window's retention=")


def _check_versioned(node: Node) -> None:
    if node.is_global_table:
        raise node.refuse("versioned= is not for global tables; use app.table")
    if getattr(node, "windowing", None) is not None:
        raise node.refuse("a windowed table has a value per window; versioned= is for tables without windows")
    if node.inputs and retracts(node.inputs[0]):
        raise node.refuse(
            "versioned= is not for aggregates of a table; keep the versions of what comes of it: "
            '.map_values(lambda v: v, store=hf.Materialized("name", versioned="1 hour"))'
        )
    if not node.may_be_versioned:
        raise node.refuse("versioned= is for tables of a topic or a stream, aggregates of streams and map_values")


def _check_source(node: Source, others: Sequence[Node], app: str) -> None:
    for topic in node.topics:
        check_name("topic", topic, TopologyError, at=node.at)
        if topic != dead_letter_topic(app):
            _check_reserved(node, topic, app)
    if len(set(node.topics)) < len(node.topics):
        raise TopologyError(f"a topic is named twice in {list(node.topics)}", at=node.at)
    for other in others:
        if isinstance(other, Source) and set(other.topics) & set(node.topics):
            raise TopologyError(_read_twice(node, other), at=node.at)


def _read_twice(node: Source, other: Source) -> str:
    topic = next(each for each in node.topics if each in other.topics)
    head = f"topic {topic!r} is already read at {other.at}"
    if node.kind != other.kind:
        return (
            f"{head} as a {_kind(other)}, here as a {_kind(node)}; read it once and turn it: "
            "stream.to_table() or table.to_stream()"
        )
    if set(node.topics) != set(other.topics):
        return f"{head} together with others; read the same topics in both places, or merge() single streams"
    for what, one, two in (("key", other.key, node.key), ("value", other.value, node.value)):
        if one != two:
            return (
                f"{head} with {what} {one.format} {one.type.in_words()}, "
                f"here with {what} {two.format} {two.type.in_words()}; use one type"
            )
    return f"{head} with another timestamp=, max_ahead=, on_error= or store=; use the same in both places"


def _kind(source: Source) -> str:
    return {"global": "global table"}.get(source.kind, source.kind)


def _check_reserved(node: Node, topic: str, app: str) -> None:
    if is_own(app, topic):
        raise TopologyError(
            f"topic {topic!r} is one that app {app!r} keeps for itself; choose another name", at=node.at
        )
    if topic.startswith("__"):
        raise TopologyError(f"topic {topic!r} is one of Kafka's own; choose another name", at=node.at)


def check_topology(topology: Topology, asked: Sequence[tuple[str, str]] = ()) -> None:
    """Check a whole program; `asked` are the stores that handles were taken for, with the user's line."""
    if not topology.sources:
        raise TopologyError(f"app {topology.app!r} reads nothing; begin with app.stream(...) or app.table(...)")
    for name, at in asked:
        if name not in topology.stores:
            hint = did_you_mean(name, topology.stores) or "; give a node that name: count(store=...)"
            raise TopologyError(f"app {topology.app!r} has no store {name!r}{hint}", at=at)
