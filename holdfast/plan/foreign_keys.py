"""Splits a foreign-key join into the nodes that run it, each in the stage of its key."""

from __future__ import annotations

from collections.abc import Sequence

from holdfast.plan.rewiring import rewired
from holdfast.topology.foreign_keys import parts_of
from holdfast.topology.nodes import Node
from holdfast.topology.python_tables import emits_every_update
from holdfast.topology.table_joins import ForeignKeyJoin


def with_foreign_keys_split(nodes: Sequence[Node]) -> list[Node]:
    """Make three nodes of each join by a foreign key.

    The first sends the entries of the left table to their foreign keys. The second stores them there as subscriptions
    and joins them with the right table. The third stores the result under the key of the left table.
    """
    emissions = {node.id: _emission(node) for node in nodes if isinstance(node, ForeignKeyJoin)}

    def parts(node: Node) -> Node | list[Node]:
        return parts_of(node, emissions[node.id]) if isinstance(node, ForeignKeyJoin) else node

    return rewired(nodes, parts)


def _emission(join: ForeignKeyJoin) -> str:
    """A join whose store has no name emits every update if one of its tables does, as one without a store would."""
    return "every" if not join.backing.name and any(map(emits_every_update, join.inputs)) else join.backing.emit
