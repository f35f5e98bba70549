"""The order of the topics of a program: stored records refer to their topic by its index in it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from holdfast.topology.graph import Topology


def topic_order(plan: Topology) -> list[str]:
    """Give the topics in the order that the state of a plan knows: that of the program that began it.

    >>> topic_order(Topology("a", 1, "fail", ()))
    []
    """
    return _declared(plan) if plan.order is None else list(plan.order)


def with_topic_order(plan: Topology, before: Sequence[str]) -> Topology:
    """Let the topics stay in the order that they had before, wherever the program declares them now."""
    declared = _declared(plan)
    order = [topic for topic in before if topic in declared]
    order += [topic for topic in declared if topic not in order]
    return plan if order == declared else replace(plan, order=tuple(order))


def _declared(plan: Topology) -> list[str]:
    return list(dict.fromkeys(name for node in plan.nodes for name in node.origins))
