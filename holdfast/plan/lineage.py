"""What a stored table is made of, as a digest that does not depend on names, numbers or lines of code."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from holdfast.plan.stages import Node, by_id

# Nor does it depend on when an idle source lets time go on by the clock, which a mode may decide; nor on which times it
# refuses.
_TOLERANCE = ("close_on_idle", "max_ahead", "on_error")
NOT_STRUCTURE = frozenset(["id", "inputs", "at", "place", "places", "store", "turn", "turns", "declared", *_TOLERANCE])

# What a node says beyond what it does: what a function is called and where it stands, and other nodes by their numbers.
_SAID = {
    "python": frozenset(["name", "function"]),
    "child": frozenset(["like"]),
    "rekeyed_child": frozenset(["like"]),
}

_LAYOUT = {
    "agg": ["fields"],
    "top": ["n", "by", "distinct"],
    "deduplicate": ["by"],
    "match": ["within", "strict", "overlap"],
    "stream_join": ["how"],
    "suppress": ["until"],
}


def lineages(nodes: list[Node]) -> dict[str, str]:
    """Give the digest of every node: its operation, expressions and topics, and those of all it reads."""
    digests: dict[str, str] = {}
    for node in nodes:
        inputs = [digests[i] for i in node["inputs"]]
        digests[node["id"]] = inputs[0] if node["op"] == "table_copy" else _digest([structure(node), inputs])
    copies = {node["id"]: _copied(node, by_id(nodes), digests) for node in nodes if node["op"] == "table_copy"}
    # What a lookup keeps are the entries of the left table by what they refer to, whatever is made of them.
    lookups = {node["id"]: digests[node["inputs"][0]] for node in nodes if node["op"] == "fk_lookup"}
    joins = {node["id"]: _met(node, digests) for node in nodes if is_waiting_join(node)}
    # What processors keep is the user's business: types are compared, not how they came about.
    own = {node["id"]: _digest(node["op"]) for node in nodes if node["op"] in ("process", "store")}
    return digests | copies | lookups | joins | own


def is_waiting_join(node: Node) -> bool:
    """Tell whether the node is a join that keeps records of its streams until others come, or their time."""
    return bool(node["op"] in ("stream_join", "join") and node.get("store"))


def _met(node: Node, digests: dict[str, str]) -> str:
    """What such a join keeps are the records of its streams, whatever is made of them and however long they wait."""
    return _digest([node["op"], node.get("how"), [digests[i] for i in kept_inputs(node)]])


def layout(node: Node) -> Any:
    """Give the part of a node that decides how its state looks, beyond the types of its key and value."""
    window = {"window": _windows(node["window"])} if node.get("window") else {}
    parts = {part: without_places(node.get(part)) for part in _LAYOUT.get(node["op"], [])}
    return parts | window | _steps(node) | _endings(node)


def _steps(node: Node) -> dict[str, Any]:
    """What open matches hold, whatever the conditions of the steps are."""
    steps = node["steps"] if node["op"] == "match" else []
    return {"steps": [{k: v for k, v in step.items() if k not in ("condition", "sees")} for step in steps]}


def _windows(window: Any) -> Any:
    """What windows of time are, and whether it is noted when they close; those of records may change their length."""
    by_clock = window["kind"] in ("tumbling", "hopping", "sliding", "calendar")
    parts = [part for part in ("size", "difference", "unit", "timezone") if by_clock and part in window]
    shape = [f"{part} {window[part]}" for part in parts]
    return " ".join([window["kind"], *shape, *(["final"] if window.get("emit") == "final" else [])])


def _endings(node: Node) -> dict[str, Any]:
    """How rows are taken back, whether entries end, and whether older versions stay: all are kept beside the values."""
    taken_back = ("by rows", "by function")["subtract" in node] if node.get("retracts") else None
    store = node.get("store") or {}
    return {"retracts": taken_back, "ttl": bool(store.get("ttl")), "versioned": "versioned" in store}


def kept_inputs(node: Node) -> list[str]:
    """List the inputs whose records lie in the state as they came, not only what was made of them."""
    if is_waiting_join(node):
        return list(node["inputs"] if node["op"] == "stream_join" else node["inputs"][:1])
    return list(node["inputs"]) if _keeps_records(node) else []


def _keeps_records(node: Node) -> bool:
    rows = node.get("retracts") and "subtract" not in node and node["op"] != "count"
    return bool(rows or (node.get("window") and node["window"]["kind"] in ("trailing", "last")))


def without_places(value: object) -> Any:
    """Drop where an expression or a Python function was written, but leave the user's own data alone."""
    if isinstance(value, list):
        return [without_places(v) for v in value]
    if not isinstance(value, dict):
        return value
    # Whether a cast was declared or written does not change what it gives.
    own, places = ("lit", "metadata"), ("at", "declared", "python") if "takes" in value else ("at", "declared")
    return {k: v if k in own else without_places(v) for k, v in value.items() if k not in places}


def structure(node: Node) -> Node:
    """Give what a node does, without what it is called, where it is and what it keeps."""
    if node["op"] in ("stateful", "process"):
        # What functions and processors keep are their states, whatever they give and wherever they stand.
        return {"op": node["op"]}
    if node["op"] == "suppress":
        # What waits may wait longer or shorter, and in a larger buffer.
        return {"op": node["op"], "until": node["until"]}
    said = _SAID.get(node["op"], frozenset[str]())
    return {k: without_places(v) for k, v in node.items() if k not in NOT_STRUCTURE | said}


def _copied(node: Node, known: dict[str, Node], digests: dict[str, str]) -> str:
    """A copy follows its table: the name of a named one, the lineage of another."""
    table = known[node["inputs"][0]]
    return table["store"]["name"] or digests[table["id"]]


def _digest(value: object) -> str:
    text = json.dumps(value, sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()[:16]
