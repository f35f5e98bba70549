"""The order of the topics of a program: by their place in it, records that lie in state say where they came from."""

from __future__ import annotations

from collections.abc import Sequence

from holdfast.plan.stages import Topology


def topic_order(plan: Topology) -> list[str]:
    """Give the topics in the order that the state of a plan knows: that of the program that began it.

    >>> topic_order({"nodes": [{"op": "source", "id": "in", "topics": ["b", "a"]}]})
    ['b', 'a']
    """
    known: list[str] = plan.get("topics") or _declared(plan)
    return known


def with_topic_order(plan: Topology, before: Sequence[str]) -> Topology:
    """Let the topics stay in the order that they had before, wherever the program declares them now.

    >>> with_topic_order({"nodes": [{"op": "source", "id": "in", "topics": ["b", "a"]}]}, ["a", "b"])["topics"]
    ['a', 'b']
    """
    declared = _declared(plan)
    order = [topic for topic in before if topic in declared]
    order += [topic for topic in declared if topic not in order]
    return plan if order == declared else {**plan, "topics": order}


def _declared(plan: Topology) -> list[str]:
    sources = [node for node in plan["nodes"] if node["op"] in ("source", "dataframe")]
    return list(dict.fromkeys(topic for node in sources for topic in node.get("topics", [node["id"]])))
