"""Where each node runs: one rule for each way to run."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass

from holdfast.topology.nodes import Node
from holdfast.topology.traits import Runs

INGEST = -1


@dataclass(frozen=True)
class RecordPlace:
    """The place of a record, and whether it is in the task of its key there."""

    place: int
    partitioned: bool

    def keyed_stage(self) -> int:
        """Give the first stage that can hold state for the key of what comes from here."""
        return max(self.place if self.partitioned else self.place + 1, 0)

    def arrives_partitioned(self, at: int) -> bool:
        """Tell whether a record that goes from here to place `at` is then in the task of its key."""
        return self.partitioned or self.place < at


RecordPlaces = Sequence[RecordPlace]
Rule = Callable[[Node, RecordPlaces, int], RecordPlace]


def source(node: Node, inputs: RecordPlaces, first: int) -> RecordPlace:
    """Streams start at ingest; tables live in the first stage that needs them."""
    return RecordPlace(INGEST, False) if node.reads == "stream" else RecordPlace(max(first, 0), True)


def anywhere(node: Node, inputs: RecordPlaces, first: int) -> RecordPlace:
    """Run where the last of the inputs is."""
    place = max(i.place for i in inputs)
    return RecordPlace(place, not node.rekeys and all(i.arrives_partitioned(place) for i in inputs))


def by_key(node: Node, inputs: RecordPlaces, first: int) -> RecordPlace:
    """Run in the first stage where every input is in the task of its key."""
    return RecordPlace(max(first, *(i.keyed_stage() for i in inputs)), True)


def at_table(node: Node, inputs: RecordPlaces, first: int) -> RecordPlace:
    """Run where the stream can meet the table, not before the table's own stage."""
    stream, table = inputs
    if node.tables_read:
        return RecordPlace(max(first, stream.keyed_stage(), table.place), True)
    place = max(stream.place, 0)
    return RecordPlace(place, stream.arrives_partitioned(place))


def between_tables(node: Node, inputs: RecordPlaces, first: int) -> RecordPlace:
    """Run where the later of both tables is; a global table comes to where the other is."""
    tables = inputs[:1] if _meets_global(node) else inputs
    return RecordPlace(max(first, *(table.place for table in tables)), True)


def at_reference(node: Node, inputs: RecordPlaces, first: int) -> RecordPlace:
    """Run where the subscriptions can meet the table, not before the table's own stage."""
    subscriptions, table = inputs
    own = first if _meets_global(node) else table.place
    return RecordPlace(max(first, subscriptions.keyed_stage(), own), False)


def _meets_global(node: Node) -> bool:
    return node.inputs[1].reads == "global"


def in_next_stage(node: Node, inputs: RecordPlaces, first: int) -> RecordPlace:
    """Always travel to the next stage."""
    return RecordPlace(max(inputs[0].place + 1, 0), True)


def with_input(node: Node, inputs: RecordPlaces, first: int) -> RecordPlace:
    """Stay with what it is made of."""
    return inputs[0]


RULES: Mapping[Runs, Rule] = {
    Runs.AS_SOURCE: source,
    Runs.ANYWHERE: anywhere,
    Runs.BY_KEY: by_key,
    Runs.AT_TABLE: at_table,
    Runs.BETWEEN_TABLES: between_tables,
    Runs.AT_REFERENCE: at_reference,
    Runs.IN_NEXT_STAGE: in_next_stage,
    Runs.WITH_INPUT: with_input,
}


def place_all(nodes: Sequence[Node], first: Mapping[str, int], idle: Set[str] = frozenset()) -> dict[str, int]:
    """Give every node its place.

    `first` holds the earliest stage of nodes that shall not start before it; `idle` holds repartitions that stay
    where their input is.
    """
    placed: dict[str, RecordPlace] = {}
    for node in nodes:
        rule = anywhere if node.id in idle else RULES[node.runs]
        placed[node.id] = rule(node, [placed[each.id] for each in node.inputs], first.get(node.id, 0))
    return {id: each.place for id, each in placed.items()}


def place_of(node: Node) -> int:
    """Give the place of a planned node."""
    assert node.place is not None
    return node.place


def stages_of(node: Node) -> list[int]:
    """List the places of a planned node: several for a global table."""
    return [place_of(node)] if node.places is None else list(node.places)


def stages_with_state(nodes: Sequence[Node]) -> list[int]:
    """List the stages in which planned nodes have or read state."""
    return sorted({stage for node in nodes if node.needs_stage for stage in stages_of(node) if stage >= 0})


def consumers(nodes: Sequence[Node]) -> dict[str, list[Node]]:
    """Index nodes by the ids they read from."""
    readers: dict[str, list[Node]] = {node.id: [] for node in nodes}
    for node in nodes:
        for each in dict.fromkeys(node.inputs):
            readers[each.id].append(node)
    return readers
