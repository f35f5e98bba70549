"""How refusals call what a plan has: as the user wrote it."""

from __future__ import annotations

from holdfast.plan.stages import Node


def title(node: Node) -> str:
    """Name the state of a node.

    >>> title({"id": "count-1", "store": {"name": None, "state": "count-1"}})
    'the state of count-1'
    """
    store = node["store"]
    if not store.get("queryable", True):
        return f"state '{store['state']}'"
    return f"store '{store['name']}'" if store["name"] else f"the state of {node['id']}"


def table(node: Node) -> str:
    """Name a table: that of a topic by the topic, another by its state."""
    return f"table {node['id']}" if node["op"] in ("source", "dataframe") else title(node)


def at(node: Node) -> str:
    """Say where a node was written, after its name."""
    return f" ({node['at']})" if node.get("at") else ""
