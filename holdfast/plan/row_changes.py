"""Changes of the states that are made of a table's rows, which are not read again."""

from __future__ import annotations

import json
from collections.abc import Iterator, Set
from typing import Any

from holdfast.plan.naming import at, table, title
from holdfast.plan.stages import Node
from holdfast.plan.table_rows import Nodes, is_made_of_rows, recipe, tables_under, tables_with_rows


def missing_rows(node: Node, nodes: Nodes, were: Nodes, filled: Set[str]) -> list[str]:
    """Say which rows a new state would miss, because their tables have them already; `filled` are the states before."""
    if node["op"] in ("source", "dataframe"):
        return [_renamed(node, were)]
    tables = tables_with_rows(node, nodes, filled) if is_made_of_rows(node) else []
    if _is_told_below(node, nodes, filled):
        return []
    return [_missing(node, table(nodes[each])) for each in tables]


def _is_told_below(node: Node, nodes: Nodes, filled: Set[str]) -> bool:
    """Tell whether the result of a join by a foreign key need not be named: what it remembers is new as well."""
    return bool(node["op"] == "fk_join" and nodes[node["inputs"][0]]["store"]["state"] not in filled)


def _missing(node: Node, rows: str) -> str:
    if node["op"] == "table_copy":
        return f"{rows} is now also read in stage {node['place']}, where its rows so far are missing"
    if node["op"] == "fk_lookup":
        join = node["id"].removesuffix(".lookup")
        return f"{join} is new{at(node)}, and what the rows of {rows} so far refer to is missing"
    if node["op"] == "suppress":
        return f"{title(node)} is new{at(node)}, over {rows}, whose updates so far it would never emit"
    nonsense = ", and it would retract them all the same" if node.get("retracts") else ""
    return f"{title(node)} is new{at(node)}, over {rows}, whose rows so far would be missing in it{nonsense}"


def _renamed(node: Node, were: Nodes) -> str:
    """A table of a topic that is read on from where the app is: the rows before that lie in another state."""
    kept = [each for each in were.values() if each.get("store") and _topics(node) & _topics(each)]
    where = f"lie in {title(kept[0])}" if kept else "were read already"
    return f"{title(node)} is new{at(node)}, and the rows of {table(node)} so far {where}"


def _topics(node: Node) -> set[str]:
    return set(node.get("topics", [node["id"]]))


def made_otherwise(old: Node, new: Node, were: Nodes, are: Nodes) -> Iterator[str]:
    """Say how a state is made of rows in another way: these would be retracted otherwise than they were added."""
    if not is_made_of_rows(old) or not is_made_of_rows(new) or _recorded(old, were) == _recorded(new, are):
        return
    was, now = (_and(node, nodes) for node, nodes in ((old, were), (new, are)))
    if was != now:
        yield f"{title(new)}: was made of {was}, is made of {now}{at(new)}"
    else:
        yield (
            f"{title(new)}: it is made of the rows of {now} in another way{at(new)}; "
            "those so far went into it in the old way"
        )


def _recorded(node: Node, nodes: Nodes) -> Any:
    """Give the recipe as a recorded plan has it: tuples are lists there."""
    return json.loads(json.dumps(recipe(node, nodes)))


def _and(node: Node, nodes: Nodes) -> str:
    return " and ".join(table(nodes[each]) for each in tables_under(node, nodes))
