"""Where a dead letter may be replayed: at the node that refused it, or at its source."""

from __future__ import annotations

from holdfast.errors import HoldfastError
from holdfast.topics.letters import Letter, NodeInput
from holdfast.topology.graph import Topology
from holdfast.topology.nodes import Node
from holdfast.topology.sources import DataFrame, Source
from holdfast.topology.tables import GroupBy, GroupByKey, retracts


class CannotReplay(HoldfastError):
    """A dead letter that cannot be replayed at the requested place."""


def entry(topology: Topology, letter: Letter, *, at_source: bool = False) -> tuple[str, NodeInput]:
    """The node to which a letter goes back, and the key and value for it; refuses what would give wrong results."""
    found = {node.id: node for node in topology.nodes}
    source = source_of(topology, letter)
    if source is not None and (at_source or letter.node == source.id):
        return source.id, _at_source(letter)
    if at_source:
        raise _refused(letter, f"the program does not read {letter.topic or 'a topic'} for it any more")
    node = found.get(letter.node)
    if node is None:
        raise _refused(
            letter, "the program has no such node that takes records; --at source puts it back at its source"
        )
    _refuse_tables(node, letter)
    if letter.seen is None:
        raise _refused(
            letter, "what the node saw was too large to be kept; --at source puts the record back at its source"
        )
    return node.id, letter.seen


def source_of(topology: Topology, letter: Letter) -> Node | None:
    """The source that the letter's record came by."""
    readers = [s for s in topology.sources if _reads(s, letter.topic)]
    same = [s for s in readers if s.id == letter.node]
    return next(iter(same or readers), None)


def seen_twice(topology: Topology, source: str, node: str) -> list[str]:
    """The stores and outputs that a record reaches from its source without passing a node: they have seen it before."""
    reached, front = set[str](), [source]
    while front:
        current = front.pop()
        for each in topology.nodes:
            if each.id not in reached and each.id != node and any(i.id == current for i in each.inputs):
                reached.add(each.id)
                front.append(each.id)
    return [n.id for n in topology.nodes if n.id in reached and (n.store is not None or n.writes)]


def _reads(source: Node, topic: str) -> bool:
    return topic in source.topics if isinstance(source, Source) else source.id == topic


def _at_source(letter: Letter) -> NodeInput:
    if letter.gone:
        raise _refused(letter, "the source record is gone from its topic, so only what the node saw is left")
    return NodeInput(letter.key, letter.value)


def _refuse_tables(node: Node, letter: Letter) -> None:
    origin: Node | None = node.inputs[letter.port] if letter.port < len(node.inputs) else None
    while isinstance(origin, (GroupBy, GroupByKey)) and not retracts(origin):
        origin = origin.inputs[0]
    if origin is not None and (origin.is_table or retracts(origin)):
        raise _refused(
            letter,
            f"it takes changes of the table {origin.id}, which has gone on since: the row as it was may be no longer "
            "there. --at source puts the record back at its source; or write the right row to the topic of the table",
        )


def _refused(letter: Letter, why: str) -> CannotReplay:
    return CannotReplay(f"letter {letter.id} cannot be replayed at {letter.node}: {why}")


def frames(topology: Topology) -> set[str]:
    """The sources whose records have no place that lasts."""
    return {node.id for node in topology.nodes if isinstance(node, DataFrame)}
