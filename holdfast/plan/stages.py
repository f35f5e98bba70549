"""Where each node runs: one rule per node type."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Any

Node = dict[str, Any]
Topology = dict[str, Any]

INGEST = -1

REKEYING = frozenset(
    ["map", "flat_map", "select_key", "group_by", "table_group_by", "fk_subscribe", "fk_lookup", "rekeyed_child"]
)
KEEPING = frozenset(
    ["filter", "filter_not", "require", "map_values", "flat_map_values", "split", "branch", "merge", "python", "child"]
)
PASSING = frozenset(["group_by_key", "to_stream", "print", "to"])
STATELESS = REKEYING | KEEPING | PASSING
FOLDING = frozenset(["count", "agg", "reduce", "aggregate", "top", "cogroup"])
KEYED = FOLDING | frozenset(
    ["to_table", "table_copy", "match", "stream_join", "fk_join", "deduplicate", "process", "stateful"]
)
DERIVED_TABLES = frozenset(["table_filter", "table_map_values", "suppress"])
VIEWS = DERIVED_TABLES | {"table_join"}


@dataclass(frozen=True)
class Spot:
    """A place, and whether a record there is in the task of its key."""

    place: int
    partitioned: bool

    def keyed_stage(self) -> int:
        """Give the first stage that can hold state for the key of what comes from here."""
        return max(self.place if self.partitioned else self.place + 1, 0)

    def arrives_partitioned(self, at: int) -> bool:
        """Tell whether a record that goes from here to place `at` is then in the task of its key."""
        return self.partitioned or self.place < at


Spots = Sequence[Spot]
Rule = Callable[[Node, Spots, int], Spot]


def source(node: Node, inputs: Spots, first: int) -> Spot:
    """Streams start at ingest; tables live in the first stage that needs them."""
    return Spot(INGEST, False) if node.get("kind", "stream") == "stream" else Spot(max(first, 0), True)


def stateless(node: Node, inputs: Spots, first: int) -> Spot:
    """Run where the last of the inputs is."""
    place = max(i.place for i in inputs)
    partitioned = node["op"] not in REKEYING and all(i.arrives_partitioned(place) for i in inputs)
    return Spot(place, partitioned)


def keyed(node: Node, inputs: Spots, first: int) -> Spot:
    """Run in the first stage where every input is in the task of its key."""
    return Spot(max(first, *(i.keyed_stage() for i in inputs)), True)


def join(node: Node, inputs: Spots, first: int) -> Spot:
    """Run where the stream can meet the table, not before the table's own stage."""
    stream, table = inputs
    if node["with"] == "table":
        return Spot(max(first, stream.keyed_stage(), table.place), True)
    place = max(stream.place, 0)
    return Spot(place, stream.arrives_partitioned(place))


def table_join(node: Node, inputs: Spots, first: int) -> Spot:
    """Run where the later of both tables is; a global table comes to where the other is."""
    tables = inputs[:1] if node["with"] == "global" else inputs
    return Spot(max(first, *(table.place for table in tables)), True)


def foreign_key_lookup(node: Node, inputs: Spots, first: int) -> Spot:
    """Run where the subscriptions can meet the table, not before the table's own stage."""
    subscriptions, table = inputs
    own = first if node["with"] == "global" else table.place
    return Spot(max(first, subscriptions.keyed_stage(), own), False)


def repartition(node: Node, inputs: Spots, first: int) -> Spot:
    """Always travel to the next stage."""
    return Spot(max(inputs[0].place + 1, 0), True)


def derived_table(node: Node, inputs: Spots, first: int) -> Spot:
    """Stay with the table it is made of."""
    return inputs[0]


RULES: dict[str, Rule] = {
    "source": source,
    "dataframe": source,
    "join": join,
    "repartition": repartition,
    **dict.fromkeys(STATELESS, stateless),
    **dict.fromkeys(KEYED, keyed),
    **dict.fromkeys(DERIVED_TABLES | {"store"}, derived_table),
    "table_join": table_join,
    "fk_lookup": foreign_key_lookup,
}


def place_all(nodes: Sequence[Node], first: Mapping[str, int], idle: Set[str] = frozenset()) -> dict[str, int]:
    """Give every node its place.

    `first` holds the earliest stage of nodes that shall not start before it; `idle` holds repartitions that stay
    where their input is.
    """
    spots: dict[str, Spot] = {}
    for node in nodes:
        inputs = [spots[i] for i in node["inputs"]]
        rule = stateless if node["id"] in idle else RULES[node["op"]]
        spots[node["id"]] = rule(node, inputs, first.get(node["id"], 0))
    return {id: spot.place for id, spot in spots.items()}


def is_source(node: Node, kind: str) -> bool:
    """Tell whether the node reads a topic as a stream, a table or a global table."""
    return bool(node["op"] in ("source", "dataframe") and node.get("kind", "stream") == kind)


def is_table_join(node: Node) -> bool:
    """Tell whether the node joins a stream with a partitioned table."""
    return bool(node["op"] == "join" and node["with"] == "table")


def is_global_join(node: Node) -> bool:
    """Tell whether the node joins a stream with a global table."""
    return bool(node["op"] == "join" and node["with"] == "global")


def is_view(node: Node) -> bool:
    """Tell whether the node is a table without a store of its own."""
    return node["op"] in VIEWS and not node.get("store")


def tables_read(node: Node) -> list[int]:
    """List the positions of the inputs that the node reads as tables, so that they must be in its stage."""
    if is_table_join(node) or node["op"] == "fk_lookup":
        return [1]
    return [0, 1] if node["op"] == "table_join" else []


def holds_stage(node: Node) -> bool:
    """Tell whether the node keeps or reads state, so that its stage must exist."""
    return bool(node.get("store")) or node["op"] == "join"


def stages_of(node: Node) -> list[int]:
    """List the places of a planned node: several for a global table."""
    return list(node["places"]) if "places" in node else [node["place"]]


def held_stages(nodes: Sequence[Node]) -> list[int]:
    """List the stages in which planned nodes keep or read state."""
    return sorted({s for node in nodes if holds_stage(node) for s in stages_of(node) if s >= 0})


def by_id(nodes: Sequence[Node]) -> dict[str, Node]:
    """Index nodes by their id."""
    return {node["id"]: node for node in nodes}


def consumers(nodes: Sequence[Node]) -> dict[str, list[Node]]:
    """Index nodes by the ids they read from."""
    readers: dict[str, list[Node]] = {node["id"]: [] for node in nodes}
    for node in nodes:
        for i in dict.fromkeys(node["inputs"]):
            readers[i].append(node)
    return readers
