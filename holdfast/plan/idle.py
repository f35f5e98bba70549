"""Sources that count as idle although the program does not say when: in a demo and in a drain."""

from __future__ import annotations

from holdfast.plan.stages import Node, Topology
from holdfast.topology.windowing import PLAIN_KEYS

_TIMED = frozenset(["stream_join", "suppress", "match", "process", "stateful"])


def as_run(plan: Topology, mode: str, milliseconds: int | None = None) -> Topology:
    """Give the plan as a mode runs it: a drain closes at its end what is open; `milliseconds` does that after a while.

    The state knows nothing of it, so the plan as it was written is what is recorded and compared.
    """
    idle = 1 if mode == "drain" else milliseconds
    return plan if idle is None else closing_on_idle(plan, idle)


def closing_on_idle(plan: Topology, milliseconds: int) -> Topology:
    """Let the sources that say nothing be idle after so long without records, if anything waits for time at all.

    >>> closing_on_idle({"nodes": [{"op": "source", "kind": "stream"}]}, 5)["nodes"]
    [{'op': 'source', 'kind': 'stream'}]
    """
    if not any(map(_waits, plan["nodes"])):
        return plan
    return {**plan, "nodes": [_closing(node, milliseconds) for node in plan["nodes"]]}


def _waits(node: Node) -> bool:
    """Tell whether the node does something when time has passed."""
    store, window = node.get("store") or {}, node.get("window")
    closes = window and window["kind"] not in PLAIN_KEYS
    return node["op"] in _TIMED or bool(closes or node.get("grace") or store.get("ttl"))


def _closing(node: Node, milliseconds: int) -> Node:
    if node["op"] != "source" or node.get("close_on_idle"):
        return node
    return {**node, "close_on_idle": milliseconds}
