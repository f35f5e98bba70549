"""Idle timeouts for sources of a program that sets none, in a demo and in a drain."""

from __future__ import annotations

from dataclasses import replace

from holdfast.plan.rewiring import rewired
from holdfast.topology.graph import Topology
from holdfast.topology.nodes import Node
from holdfast.topology.sources import Source


def as_run(plan: Topology, mode: str, milliseconds: int | None = None) -> Topology:
    """Give the plan as a mode runs it: a drain closes open windows at its end.

    The state knows nothing of it, so the plan as it was written is what is recorded and compared.
    """
    idle = 1 if mode == "drain" else milliseconds
    return plan if idle is None else closing_on_idle(plan, idle)


def closing_on_idle(plan: Topology, milliseconds: int) -> Topology:
    """Give sources without an idle timeout this one, if a node of the plan is driven by time."""
    if not any(node.is_time_driven for node in plan.nodes):
        return plan
    return replace(plan, nodes=tuple(rewired(plan.nodes, lambda node: _closing(node, milliseconds))))


def _closing(node: Node, milliseconds: int) -> Node:
    return node if not isinstance(node, Source) or node.close_on_idle else node.replaced(close_on_idle=milliseconds)
