"""States that are made of the rows of tables: which of them would miss rows at a start, and how they are made."""

from __future__ import annotations

from collections.abc import Mapping, Set
from typing import Any

from holdfast.plan.lineage import structure
from holdfast.plan.stages import VIEWS, Node

Nodes = Mapping[str, Node]
_MADE_OF_ROWS = VIEWS | {"table_copy", "fk_lookup", "fk_join"}


def is_made_of_rows(node: Node) -> bool:
    """Tell whether a state is a function of a table's rows; others begin with the records that come from now on."""
    return bool(node.get("store") and (node.get("retracts") or node["op"] in _MADE_OF_ROWS))


def tables_with_rows(node: Node, nodes: Nodes, filled: Set[str]) -> list[str]:
    """List the tables whose rows a state that starts empty should have; `filled` are the states that have theirs.

    A join of which one side is still empty has no rows either, unless it is a left or an outer join.
    """
    sides = [_rows_under(i, nodes, filled) for i in node["inputs"]]
    if node["op"] == "fk_lookup":
        sides = sides[:1]  # it remembers what the rows of the left table refer to, whatever the right one has
    if node["op"] == "table_join" and not _has_rows(node["how"], *sides):
        return []
    return list(dict.fromkeys(table for side in sides for table in side))


def _rows_under(id: str, nodes: Nodes, filled: Set[str]) -> list[str]:
    node = nodes[id]
    if node.get("store") and node["op"] != "fk_lookup":
        return [id] if node["store"]["state"] in filled else []
    return tables_with_rows(node, nodes, filled)


def _has_rows(how: str, left: list[str], right: list[str]) -> bool:
    return {"inner": bool(left and right), "left": bool(left), "outer": bool(left or right)}[how]


def recipe(node: Node, nodes: Nodes) -> Any:
    """Say how a state is made of the rows of other states, down to these and not further."""
    if node["op"] == "fk_lookup":
        return [_under(node["inputs"][0], nodes)]  # what refers to what, whatever is made of it
    return _recipe(node, nodes)


def _recipe(node: Node, nodes: Nodes) -> Any:
    return [structure(node), *(_under(i, nodes) for i in node["inputs"])]


def _under(id: str, nodes: Nodes) -> Any:
    node = nodes[id]
    if node["op"] == "table_copy":
        return _under(node["inputs"][0], nodes)
    if node.get("store") and node["op"] != "fk_lookup":
        return node["store"]["state"]
    return _recipe(node, nodes)


def tables_under(node: Node, nodes: Nodes) -> list[str]:
    """List the states that a state is made of."""
    found = [each for i in node["inputs"] for each in _states(i, nodes)]
    return list(dict.fromkeys(found))


def _states(id: str, nodes: Nodes) -> list[str]:
    node = nodes[id]
    if node["op"] == "table_copy":
        return _states(node["inputs"][0], nodes)
    if node.get("store") and node["op"] != "fk_lookup":
        return [id]
    return tables_under(node, nodes)
