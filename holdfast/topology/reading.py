"""What the nodes of a topology's JSON are, in words: for descriptions and pictures."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from holdfast.topology.windowing import window_words
from holdfast.topology.wording import wording
from holdfast.units.duration import in_words

Node = dict[str, Any]
Topology = dict[str, Any]

SOURCES = ("source", "dataframe")
AGGREGATES = frozenset(["count", "agg", "reduce", "aggregate", "cogroup", "top"])
DERIVED = frozenset(["table_filter", "table_map_values", "table_join", "fk_join", "table_copy", "suppress"])
TABLE_OPS = AGGREGATES | DERIVED | {"to_table"}


def kind(node: Node) -> str:
    """Say what a node gives: topic, stream, table or global."""
    if node["op"] in SOURCES:
        return str(node.get("kind", "stream"))
    if node["op"] == "to":
        return "topic"
    return "table" if node["op"] in TABLE_OPS else "stream"


def role(node: Node) -> str:
    """Say which part a node plays: Source, Sink or Processor."""
    if node["op"] in SOURCES:
        return "Source"
    return "Sink" if node["op"] == "to" else "Processor"


def store_name(node: Node) -> str | None:
    """Name the store of a node: the user's name, or its state's in parentheses."""
    store = node.get("store")
    if node["op"] == "process" and node["stores"]:
        return ", ".join(each["name"] for each in node["stores"])
    if not store:
        return None
    return str(store["name"]) if store["name"] else f"({store['state']})"


def topic_name(node: Node) -> str:
    """Name the topic that a `to` node writes."""
    topic = node["topic"]
    return topic if isinstance(topic, str) else f"topic of {wording(topic)}"


def detail(node: Node) -> str:
    """Say in a few words what the node does with its input."""
    plain = _plain_detail(node)
    return ", ".join(filter(None, [plain, window_words(node["window"])])) if node.get("window") else plain


def _plain_detail(node: Node) -> str:
    op = node["op"]
    if op in _DETAILS:
        return _DETAILS[op](node)
    for name in ("predicate", "key", "value", "items"):
        if isinstance(node.get(name), dict):
            return wording(node[name])
    return ""


def _join(node: Node) -> str:
    kind = ("left join" if node.get("left") else "join") + f" with {node['inputs'][1]}"
    kind = f"{kind} on {wording(node['on'])}" if node.get("on") else kind
    return f"{kind}, grace {in_words(node['grace'])}" if node.get("grace") is not None else kind


def _stream_join(node: Node) -> str:
    word = {"inner": "join", "left": "left join", "outer": "outer join"}[node["how"]]
    before, after = in_words(node["before"]), in_words(node["after"])
    span = f"within {after}" if before == after else f"from {before} before to {after} after"
    grace = f", grace {in_words(node['grace'])}" if node["grace"] else ""
    return f"{word} with {node['inputs'][1]} {span}{grace}"


def _table_join(node: Node) -> str:
    """The parts of a join by a foreign key are nodes of their own in a plan; each says its own."""
    if len(node["inputs"]) < 2:
        return ""
    met = {"inner": "join", "left": "left join", "outer": "outer join"}[node["how"]] + f" with {node['inputs'][1]}"
    return f"{met} on {wording(node['on'])}" if node.get("on") else met


def _top(node: Node) -> str:
    distinct = f", one per {wording(node['distinct'])}" if node.get("distinct") else ""
    return f"{node['n']} by {wording(node['by'])}{distinct}"


def _match(node: Node) -> str:
    steps = [_step(each) for each in node["steps"]]
    how = [name for name in ("strict", "overlap") if node[name]]
    return ", ".join([*steps, f"within {in_words(node['within'])}", *how])


def _step(step: Node) -> str:
    many = f"{step['n']}{' or more' if step['at_least'] else ''} times " if step["kind"] == "times" else ""
    return f"{step['name']}: {'no ' if step['kind'] == 'absent' else many}{wording(step['condition'])}"


def _map(node: Node) -> str:
    return ", ".join(wording(node[part]) for part in ("key", "value") if node.get(part))


def _agg(node: Node) -> str:
    return ", ".join(f"{name} = {wording(e)}" for name, e in node.get("fields", []))


def _cogroup(node: Node) -> str:
    return ", ".join(f"{i}: {wording(add)}" for i, add in zip(node["inputs"], node["adds"], strict=True))


def _suppress(node: Node) -> str:
    until = "until the window closes" if node["until"] == "window_closes" else f"until {in_words(node['limit'])} later"
    full = {"fail": "then fail", "emit": "then the earliest go on"}[node["on_full"]]
    return until if node["max_records"] is None else f"{until}, at most {node['max_records']} keys, {full}"


def _split(node: Node) -> str:
    branches = [f"{b['name']}: {wording(b['predicate'])}" for b in node.get("branches", [])]
    return ", ".join([*branches, node.get("default") or "rest"])


_DETAILS: dict[str, Callable[[Node], str]] = {
    "source": lambda node: "",
    "dataframe": lambda node: "a Spark DataFrame",
    "to": lambda node: "",
    "join": _join,
    "stream_join": _stream_join,
    "table_join": _table_join,
    "fk_join": _table_join,
    "fk_lookup": _table_join,
    "fk_subscribe": lambda node: f"on {wording(node['on'])}",
    "top": _top,
    "map": _map,
    "match": _match,
    "agg": _agg,
    "split": _split,
    "branch": lambda node: str(node.get("name") or f"number {node['index']}"),
    "process": lambda node: str(node["name"]),
    "child": lambda node: str(node["name"] or "to all"),
    "rekeyed_child": lambda node: str(node["name"] or "to all"),
    "deduplicate": lambda node: f"by {wording(node['by'])} within {node['within']} ms",
    "reduce": lambda node: wording(node["f"]) if node.get("f") else "",
    "aggregate": lambda node: wording(node["add"]) if node.get("add") else "",
    "cogroup": _cogroup,
    "repartition": lambda node: f"{node['tasks']} tasks" if node.get("tasks") else "",
    "print": lambda node: str(node.get("label") or ""),
    "suppress": _suppress,
    "stateful": lambda node: str(node["name"]),
}


def named_branches(nodes: Sequence[Node]) -> list[Node]:
    """Give each branch the name it has in its split."""
    splits = {node["id"]: node for node in nodes if node["op"] == "split"}
    return [{**node, "name": _branch_name(node, splits[node["inputs"][0]])} if _named(node) else node for node in nodes]


def shown(nodes: Sequence[Node]) -> list[Node]:
    """The nodes that are told of, branches with their names; stores of processors are told with these."""
    return [node for node in named_branches(nodes) if node["op"] != "store"]


def _named(node: Node) -> bool:
    return bool(node["op"] == "branch")


def _branch_name(branch: Node, split: Node) -> str:
    names = [b["name"] for b in split.get("branches", [])]
    return str([*names, split.get("default") or "rest"][branch["index"]])


def sub_topologies(nodes: Sequence[Node]) -> list[list[Node]]:
    """Group nodes that are connected, in order of their first node."""
    group: dict[str, int] = {}
    for number, node in enumerate(nodes):
        touched = {group[i] for i in node["inputs"]}
        group[node["id"]] = home = min(touched, default=number)
        group = {id: home if g in touched else g for id, g in group.items()}
    homes = sorted(set(group.values()))
    return [[node for node in nodes if group[node["id"]] == home] for home in homes]
