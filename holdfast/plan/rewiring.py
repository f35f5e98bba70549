"""Replaces nodes of a graph, and rewires all nodes that read them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

from holdfast.topology.graph import Topology
from holdfast.topology.nodes import Node

Change = Callable[[Node], Node | Sequence[Node]]


def rewired(nodes: Iterable[Node], change: Change) -> list[Node]:
    """Give the nodes as `change` makes them, in their order; of several the last one has the readers.

    `change` is given each node with inputs that are changed already.
    """
    made: dict[str, Node] = {}
    out: list[Node] = []
    for node in nodes:
        inputs = tuple(made[each.id] for each in node.inputs)
        new = change(node if _same(inputs, node.inputs) else node.replaced(inputs=inputs))
        parts = [new] if isinstance(new, Node) else list(new)
        made[node.id] = parts[-1]
        out += parts
    return out


def _same(one: Sequence[Node], other: Sequence[Node]) -> bool:
    return all(a is b for a, b in zip(one, other, strict=True))


def with_fields(plan: Topology, fields: Mapping[str, Mapping[str, object]]) -> Topology:
    """Give the plan with other fields of some nodes."""
    return replace(plan, nodes=tuple(rewired(plan.nodes, lambda node: node.replaced(**fields.get(node.id, {})))))
