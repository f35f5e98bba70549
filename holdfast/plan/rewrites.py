"""Small changes of a placed topology, each a pure function named for its result."""

from __future__ import annotations

from collections.abc import Sequence

from holdfast.plan.stages import (
    Node,
    by_id,
    held_stages,
    is_global_join,
    is_source,
    is_view,
    tables_read,
)


def with_global_places(nodes: Sequence[Node]) -> list[Node]:
    """Give each global table the stages that read it; a named one that nobody reads is kept in stage 0."""
    used: dict[str, set[int]] = {node["id"]: set() for node in nodes if is_source(node, "global")}
    for node in nodes:
        if is_global_join(node):
            used[node["inputs"][1]].add(node["place"])
    return [_global_places(node, used[node["id"]]) if node["id"] in used else node for node in nodes]


def _global_places(node: Node, used: set[int]) -> Node:
    places = sorted(used) or ([0] if node["store"]["name"] else [])
    return {**node, "place": places[0] if places else -1, "places": places}


def with_table_copies(nodes: Sequence[Node]) -> list[Node]:
    """Put a copy of each table into every later stage where a join reads it, one for all joins of a stage.

    Of a global table that a table is joined with there is a copy by key: each change of it changes the join once.
    """
    known = by_id(nodes)
    out: dict[str, Node] = {}
    for node in nodes:
        inputs = list(node["inputs"])
        for position in tables_read(node):
            table = known[inputs[position]]
            if table["place"] < node["place"] or is_source(table, "global"):
                copies = _copies(known, inputs[position], node["place"])
                out.update({copy["id"]: copy for copy in copies if copy["id"] not in out})
                inputs[position] = copies[-1]["id"]
        out[node["id"]] = {**node, "inputs": inputs}
    return _without_abandoned_views(list(out.values()), nodes)


def _without_abandoned_views(nodes: list[Node], before: Sequence[Node]) -> list[Node]:
    """Drop the views whose every reader now reads a copy; they would only repeat the copy's work."""
    had_readers = {i for node in before for i in node["inputs"]}
    have_readers = {i for node in nodes for i in node["inputs"]}
    abandoned = had_readers - have_readers
    left = [node for node in nodes if not (is_view(node) and node["id"] in abandoned)]
    return left if len(left) == len(nodes) else _without_abandoned_views(left, before)


def _copies(known: dict[str, Node], table: str, stage: int) -> list[Node]:
    """Copy the stored table under `table`, then repeat the views above it."""
    node = known[table]
    copied = {"id": f"{table}@{stage}", "place": stage}
    if not is_view(node):
        store = _copy_store(node, stage)
        return [{**copied, "op": "table_copy", "inputs": [table], "at": node.get("at"), "store": store}]
    below = [_copies(known, i, stage) for i in node["inputs"]]
    tables = [copies[-1]["id"] for copies in below]
    return [*(copy for copies in below for copy in copies), {**node, **copied, "inputs": tables}]


def _copy_store(table: Node, stage: int) -> Node:
    """A copy is told of everything, the end of an entry's life included."""
    store = {name: each for name, each in table["store"].items() if name != "ttl"}
    return {**store, "name": None, "state": f"{store['state']}@{stage}", "emit": "every", "changelog": None}


def without_empty_stages(nodes: Sequence[Node]) -> tuple[list[Node], int]:
    """Drop the stages that hold no state; what ran there runs where its input is."""
    held = held_stages(nodes)
    places = [_renumbered(node, held) for node in nodes]
    return places, len(held)


def _renumbered(node: Node, held: list[int]) -> Node:
    def number(place: int) -> int:
        return sum(stage <= place for stage in held) - 1

    node = {**node, "place": number(node["place"])}
    if "places" in node:
        node["places"] = [number(place) for place in node["places"]]
    return node
