"""Changes of states that are made of the rows of tables: an app that goes on does not read those rows again."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Set

from holdfast.plan.table_rows import recipe, tables_under, tables_with_rows
from holdfast.topology.nodes import Node


def missing_rows(node: Node, were: Iterable[Node], filled: Set[str]) -> list[str]:
    """Say which rows a new state would miss, because their tables have them already; `filled` are the states before."""
    if node.reads:
        return [_renamed(node, were)]
    if not node.is_made_of_rows or _subscriptions_are_new(node, filled):
        return []
    return [node.missing(table.table_title) for table in tables_with_rows(node, filled)]


def _subscriptions_are_new(node: Node, filled: Set[str]) -> bool:
    """Tell whether the subscriptions of a foreign-key join are new as well: then the refusal names only them."""
    lookup = node.inputs[0]
    return lookup.stores_references and lookup.store is not None and lookup.store.state not in filled


def _renamed(node: Node, were: Iterable[Node]) -> str:
    """Say that the state of a source table is new: its topic is read from where the app stopped."""
    earlier = [each for each in were if each.store and {*node.origins} & {*each.origins}]
    where = f"lie in {earlier[0].state_title}" if earlier else "were read already"
    return f"{node.state_title} is new{node.at_note}, and the rows of {node.table_title} so far {where}"


def made_otherwise(old: Node, new: Node) -> Iterator[str]:
    """Say that a state would retract rows in another way than it has added them."""
    if not old.is_made_of_rows or not new.is_made_of_rows or _recorded(old) == _recorded(new):
        return
    was, now = _and(old), _and(new)
    if was != now:
        yield f"{new.state_title}: was made of {was}, is made of {now}{new.at_note}"
    else:
        yield (
            f"{new.state_title}: it is made of the rows of {now} in another way{new.at_note}; "
            "those so far went into it in the old way"
        )


def _recorded(node: Node) -> object:
    """Give the recipe as a recorded plan has it: tuples are lists there."""
    return json.loads(json.dumps(recipe(node)))


def _and(node: Node) -> str:
    return " and ".join(table.table_title for table in tables_under(node))
