"""Changes of the states that are made of a table's rows, which are not read again."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Set

from holdfast.plan.table_rows import recipe, tables_under, tables_with_rows
from holdfast.topology.nodes import Node


def missing_rows(node: Node, were: Iterable[Node], filled: Set[str]) -> list[str]:
    """Say which rows a new state would miss, because their tables have them already; `filled` are the states before."""
    if node.reads:
        return [_renamed(node, were)]
    if not node.is_made_of_rows or _is_told_below(node, filled):
        return []
    return [node.missing(table.table_title) for table in tables_with_rows(node, filled)]


def _is_told_below(node: Node, filled: Set[str]) -> bool:
    """Tell whether the result of a join by a foreign key need not be named: what it remembers is new as well."""
    below = node.inputs[0]
    return below.keeps_references and below.store is not None and below.store.state not in filled


def _renamed(node: Node, were: Iterable[Node]) -> str:
    """A table of a topic that is read on from where the app is: the rows before that lie in another state."""
    kept = [each for each in were if each.store and {*node.origins} & {*each.origins}]
    where = f"lie in {kept[0].state_title}" if kept else "were read already"
    return f"{node.state_title} is new{node.written}, and the rows of {node.table_title} so far {where}"


def made_otherwise(old: Node, new: Node) -> Iterator[str]:
    """Say how a state is made of rows in another way: these would be retracted otherwise than they were added."""
    if not old.is_made_of_rows or not new.is_made_of_rows or _recorded(old) == _recorded(new):
        return
    was, now = _and(old), _and(new)
    if was != now:
        yield f"{new.state_title}: was made of {was}, is made of {now}{new.written}"
    else:
        yield (
            f"{new.state_title}: it is made of the rows of {now} in another way{new.written}; "
            "those so far went into it in the old way"
        )


def _recorded(node: Node) -> object:
    """Give the recipe as a recorded plan has it: tuples are lists there."""
    return json.loads(json.dumps(recipe(node)))


def _and(node: Node) -> str:
    return " and ".join(table.table_title for table in tables_under(node))
