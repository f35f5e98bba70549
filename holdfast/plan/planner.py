"""Cut a topology into stages where keys change, and keep together what shares a key."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import replace

from holdfast.errors import TopologyError
from holdfast.plan.foreign_keys import with_foreign_keys_split
from holdfast.plan.processor_merging import with_processors_joined
from holdfast.plan.rewiring import rewired
from holdfast.plan.rewrites import with_global_places, with_table_copies, without_empty_stages
from holdfast.plan.stages import place_all, place_of, stages_with_state
from holdfast.plan.table_stages import first_needed
from holdfast.plan.topic_order import with_topic_order
from holdfast.topology.graph import Topology
from holdfast.topology.nodes import Node
from holdfast.topology.traits import Runs


def plan(topology: Topology, recorded: Mapping[str, int] | None = None, topics: Sequence[str] = ()) -> Topology:
    """Give every node its place (-1: ingest, 0, 1, …: stage) and say how many stages there are.

    `recorded` maps states to the stages in which an earlier run of the app has them: a store is not placed
    before the stage it has. `topics` are those of that run, in the order that its state knows.

    >>> plan(Topology("a", 1, "fail", ())).stages
    0
    """
    _check(topology)
    nodes = with_processors_joined(with_foreign_keys_split(topology.nodes))
    nodes = _placed(nodes, recorded or {}, _idle_repartitions(nodes))
    nodes, stages = without_empty_stages(with_table_copies(nodes))
    return with_topic_order(replace(topology, nodes=tuple(nodes), stages=stages), topics)


def _placed(nodes: Sequence[Node], recorded: Mapping[str, int], idle: Set[str]) -> list[Node]:
    places = place_all(nodes, _earliest(nodes, recorded, idle), idle)
    return with_global_places(rewired(nodes, lambda node: node.replaced(place=places[node.id])))


def _idle_repartitions(nodes: Sequence[Node]) -> Set[str]:
    """Find the repartitions whose stage would hold no state: they have nothing to do.

    Decided without regard to recorded stages, so that a program and its restart agree.
    """
    idle: set[str] = set()
    while True:
        placed = _placed(nodes, {}, idle)
        needed = stages_with_state(placed)
        moving = [node for node in placed if node.runs is Runs.IN_NEXT_STAGE and node.id not in idle]
        without_state = [node for node in moving if node.place not in needed]
        if not without_state:
            return idle
        lowest = min(place_of(node) for node in without_state)
        idle |= {node.id for node in without_state if node.place == lowest}


def _earliest(nodes: Sequence[Node], recorded: Mapping[str, int], idle: Set[str]) -> dict[str, int]:
    """Find the stages that nodes must not precede: recorded ones, and the first join of a table that is only joined.

    With such tables in stage 0 every join is where its stream wants it; moving a table to the first of
    its joins then moves no join.
    """
    placed = {node.id: recorded[node.store.state] for node in nodes if node.store and node.store.state in recorded}
    return {**first_needed(nodes, place_all(nodes, placed, idle)), **placed}


def _check(topology: Topology) -> None:
    for node in topology.nodes:
        wrong = node.too_much(topology.tasks)
        if wrong:
            raise TopologyError(f"{node.id}: {wrong}", at=node.at)
