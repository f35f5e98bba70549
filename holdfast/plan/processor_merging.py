"""Merges processors that share a store into one node, which runs them record by record."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from holdfast.topology.nodes import Node
from holdfast.topology.processor_nodes import (
    Child,
    Process,
    ProcessorGroup,
    ProcessorStore,
    follows_directly,
    group_by_store,
)


def with_processors_joined(nodes: Sequence[Node]) -> list[Node]:
    """Make one node of the processors that share a store; their stores follow it.

    Each node gets its `turn`: as in Kafka Streams, consumers of a record have it in the order of the program.

    >>> with_processors_joined([])
    []
    """
    processors = [node for node in nodes if isinstance(node, Process)]
    if not processors:
        return list(nodes)
    turns = {node.id: turn for turn, node in enumerate(nodes)}
    groups = group_by_store(processors, lambda each: each.store_ids)
    return _Joining(nodes, groups, turns).nodes()


class _Joining:
    """Makes the nodes anew, each after its inputs and as near as may be to the order of the program."""

    def __init__(self, nodes: Sequence[Node], groups: Sequence[Sequence[Process]], turns: Mapping[str, int]) -> None:
        self._turns = turns
        self._groups = {group[0].id: group for group in groups}
        self._homes = {member.id: group[0].id for group in groups for member in group}
        users = {id: self._homes[member.id] for group in groups for member in group for id in member.store_ids}
        self._waiting = [node for node in nodes if self._homes.get(node.id, node.id) == node.id]
        self._inputs = {node.id: self._read(node, users) for node in self._waiting}
        self._made: dict[str, Node] = {}

    def nodes(self) -> list[Node]:
        """The nodes in their new order."""
        while self._waiting:
            ready = next(node for node in self._waiting if all(i in self._made for i in self._inputs[node.id]))
            self._made[ready.id] = self._new(ready)
            self._waiting.remove(ready)
        return list(self._made.values())

    def _read(self, node: Node, users: Mapping[str, str]) -> list[str]:
        """The ids of what a node reads in the plan."""
        if isinstance(node, Process):
            return [member.inputs[0].id for member in self._outside(node.id)]
        if isinstance(node, ProcessorStore):
            return [users[node.id]]
        if isinstance(node, Child):
            return [self._homes[node.inputs[0].id]]
        return [each.id for each in node.inputs]

    def _outside(self, home: str) -> list[Process]:
        group = self._groups[home]
        return [member for member in group if not follows_directly(member, group)]

    def _new(self, node: Node) -> Node:
        inputs = tuple(self._made[i] for i in self._inputs[node.id])
        turn = self._turns[node.id]
        return self._joined(node, inputs) if isinstance(node, Process) else node.replaced(inputs=inputs, turn=turn)

    def _joined(self, first: Process, inputs: tuple[Node, ...]) -> ProcessorGroup:
        group = self._groups[first.id]
        return ProcessorGroup(
            id=first.id,
            inputs=inputs,
            at=first.at,
            turn=self._turns[first.id],
            name=", ".join(member.name for member in group),
            backing=first.backing,
            names={id: name for member in group for id, name in member.store_names.items()},
            children=[child for member in group for child in member.child_ids],
            members=tuple(member.id for member in group),
            turns=tuple(self._turns[member.id] for member in self._outside(first.id)),
        )
