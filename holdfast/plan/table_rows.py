"""States that are made of the rows of tables: which would miss rows if they started empty, and their recipe."""

from __future__ import annotations

from collections.abc import Set

from holdfast.documents import Json
from holdfast.topology.nodes import Node


def tables_with_rows(node: Node, filled: Set[str]) -> list[Node]:
    """List the tables whose rows a state that starts empty should have; `filled` are the states that have theirs.

    A join of which one side is still empty has no rows either, unless it is a left or an outer join.
    """
    # What remembers references does so of the rows of the left table, whatever the right one has.
    inputs = node.inputs[:1] if node.stores_references else node.inputs
    sides = [_rows_under(each, filled) for each in inputs]
    if not node.has_rows([bool(side) for side in sides]):
        return []
    return list(dict.fromkeys(table for side in sides for table in side))


def _rows_under(node: Node, filled: Set[str]) -> list[Node]:
    if node.store and not node.stores_references:
        return [node] if node.store.state in filled else []
    return tables_with_rows(node, filled)


def recipe(node: Node) -> Json:
    """Say how a state is made of the rows of other states, down to these and not further."""
    return [_under(node.inputs[0])] if node.stores_references else _recipe(node)


def _recipe(node: Node) -> Json:
    return [node.structure(), *(_under(each) for each in node.inputs)]


def _under(node: Node) -> Json:
    if node.is_copy:
        return _under(node.inputs[0])
    if node.store and not node.stores_references:
        return node.store.state
    return _recipe(node)


def tables_under(node: Node) -> list[Node]:
    """List the states that a state is made of."""
    return list(dict.fromkeys(found for each in node.inputs for found in _states(each)))


def _states(node: Node) -> list[Node]:
    if node.is_copy:
        return _states(node.inputs[0])
    if node.store and not node.stores_references:
        return [node]
    return tables_under(node)
