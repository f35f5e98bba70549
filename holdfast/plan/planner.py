"""Cut a topology into stages where keys change, and keep together what shares a key."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence, Set

from holdfast.errors import TopologyError
from holdfast.plan.foreign_keys import with_foreign_keys_split
from holdfast.plan.needs import first_needed
from holdfast.plan.processor_merging import with_processors_joined
from holdfast.plan.rewrites import with_global_places, with_table_copies, without_empty_stages
from holdfast.plan.stages import RULES, Node, Topology, held_stages, place_all
from holdfast.plan.topic_order import with_topic_order


def plan(topology: Topology, keep: Mapping[str, int] | None = None, topics: Sequence[str] = ()) -> Topology:
    """Give every node its place (-1: ingest, 0, 1, …: stage) and say how many stages there are.

    `keep` maps states to the stages in which an earlier run of the app has them: a store is not placed
    before the stage it has. `topics` are those of that run, in the order that its state knows.

    >>> plan({"app": "a", "tasks": 1, "nodes": []})["stages"]
    0
    """
    nodes: list[Node] = copy.deepcopy(topology["nodes"])
    _check(nodes, topology["tasks"])
    nodes = with_processors_joined(with_foreign_keys_split(nodes))
    nodes = _placed(nodes, keep or {}, _idle_repartitions(nodes))
    nodes, stages = without_empty_stages(with_table_copies(nodes))
    return with_topic_order({**copy.deepcopy(topology), "nodes": nodes, "stages": stages}, topics)


def _placed(nodes: list[Node], keep: Mapping[str, int], idle: Set[str]) -> list[Node]:
    places = place_all(nodes, _earliest(nodes, keep, idle), idle)
    return with_global_places([{**node, "place": places[node["id"]]} for node in nodes])


def _idle_repartitions(nodes: list[Node]) -> Set[str]:
    """Find the repartitions whose stage would hold no state: they have nothing to do.

    Decided without regard to kept stages, so that a program and its restart agree.
    """
    idle: set[str] = set()
    while True:
        placed = _placed(nodes, {}, idle)
        held = held_stages(placed)
        moving = [node for node in placed if node["op"] == "repartition" and node["id"] not in idle]
        alone = [node for node in moving if node["place"] not in held]
        if not alone:
            return idle
        lowest = min(node["place"] for node in alone)
        idle |= {node["id"] for node in alone if node["place"] == lowest}


def _earliest(nodes: list[Node], keep: Mapping[str, int], idle: Set[str]) -> dict[str, int]:
    """Find the stages that nodes must not precede: kept ones, and the first join of a table that is only joined.

    With such tables in stage 0 every join is where its stream alone wants it; moving a table to the first of
    its joins then moves no join.
    """
    kept = {node["id"]: keep[state] for node in nodes if (state := _state(node)) in keep}
    return {**first_needed(nodes, place_all(nodes, kept, idle)), **kept}


def _state(node: Node) -> str:
    return str((node.get("store") or {}).get("state", ""))


def _check(nodes: list[Node], tasks: int) -> None:
    known: dict[str, Node] = {}
    for node in nodes:
        _check_node(node, known, tasks)
        known[node["id"]] = node


def _check_node(node: Node, known: dict[str, Node], tasks: int) -> None:
    wrong = _unknown_op(node) or _undefined_input(node, known) or _second_of_its_name(node, known)
    wrong = wrong or _too_many_tasks(node, tasks)
    if wrong:
        raise TopologyError(f"{node['id']}: {wrong}", at=node.get("at"))


def _unknown_op(node: Node) -> str | None:
    known = ", ".join(sorted(RULES))
    return None if node["op"] in RULES else f"no such operation: {node['op']}; use one of {known}"


def _undefined_input(node: Node, known: dict[str, Node]) -> str | None:
    missing = [i for i in node["inputs"] if i not in known]
    return f"reads from {missing[0]}, which is not defined before it" if missing else None


def _second_of_its_name(node: Node, known: dict[str, Node]) -> str | None:
    return "there are two nodes of this name; name their stores differently" if node["id"] in known else None


def _too_many_tasks(node: Node, tasks: int) -> str | None:
    wanted = node.get("tasks") or 0
    if node["op"] != "repartition" or wanted <= tasks:
        return None
    return (
        f"tasks={wanted} is more than the {tasks} tasks of the app; "
        f"ask for at most {tasks}, or give the app more: App(…, tasks={wanted})"
    )
