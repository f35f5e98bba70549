"""The state traits of an operator: what of it is part of the stored state, for changed programs."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar

from holdfast.documents import Json
from holdfast.topology.store import Store

if TYPE_CHECKING:
    from holdfast.topology.nodes import Node
    from holdfast.topology.runner_spec import Types
    from holdfast.types import DataType

# A digest does not depend on names, numbers, lines of code and tasks; nor on when an idle source advances time by the
# clock, which a mode may decide; nor on which times it refuses.
_TOLERANCE = ("close_on_idle", "max_ahead", "on_error")
NO_STRUCTURE = frozenset(["id", "inputs", "at", "store", "declared", *_TOLERANCE])


class StateTraits:
    """The traits of an operator's state."""

    if TYPE_CHECKING:
        op: ClassVar[str]
        is_copy: ClassVar[bool]
        id: str
        inputs: tuple[Node, ...]
        at: str
        place: int | None

        @property
        def store(self) -> Store | None: ...
        def body(self) -> dict[str, Json]: ...

    layout_fields: ClassVar[Sequence[str]] = ()
    """The fields that decide how its state looks, beyond the types of its key and value."""
    no_structure: ClassVar[frozenset[str]] = frozenset()
    """The fields that do not change what it gives."""
    evolves: ClassVar[bool] = False
    """Whether its states are documents whose type may change with the program."""
    stores_references: ClassVar[bool] = False
    """Whether it stores to which foreign key each row of its first input refers, and no more of it."""

    def structure(self) -> dict[str, Json]:
        """What it does, without its name, its place and its store."""
        left_out = NO_STRUCTURE | self.no_structure
        return {name: without_places(each) for name, each in self.body().items() if name not in left_out}

    def layout(self) -> dict[str, Json]:
        """What decides the layout of its state, with whether entries expire and whether it has older versions."""
        body, store = self.body(), self.store
        expiring = {"ttl": bool(store and store.ttl), "versioned": bool(store and store.versioned is not None)}
        return {**{name: without_places(body.get(name)) for name in self.layout_fields}, **expiring}

    def made_of(self, lineages: Mapping[str, str]) -> str:
        """The digest of what it gives: its operation, expressions and topics, and those of all it reads."""
        return digest([self.structure(), [lineages[each.id] for each in self.inputs]])

    def state_lineage(self, lineages: Mapping[str, str]) -> str:
        """The digest of what its state is made of."""
        return lineages[self.id]

    @property
    def stored_inputs(self) -> Sequence[Node]:
        """The inputs whose records are stored unchanged, not only results made of them."""
        return ()

    @property
    def retracts(self) -> bool:
        """Whether its input may be retracted, because it is rows of a table."""
        return False

    @property
    def is_made_of_rows(self) -> bool:
        """Whether its state is a function of a table's rows; others begin with the records that come from now on."""
        return self.store is not None and self.retracts

    @property
    def has_pending_results(self) -> bool:
        """Whether its state has results that were not emitted yet."""
        return False

    @property
    def buffers_records(self) -> bool:
        """Whether it buffers records of its streams until a record that joins them comes, or their time is over."""
        return False

    def has_rows(self, sides: Sequence[bool]) -> bool:
        """Whether it has rows, of which of its inputs have some."""
        return any(sides)

    def state_types(self, types: Types) -> Mapping[str, DataType]:
        """The types of what its state holds, of those that the kernel has resolved for all nodes."""
        return dict(types.get(self.id, {}))

    @property
    def state_title(self) -> str:
        """How refusals call its state: as the user knows it."""
        assert self.store is not None
        if not self.store.queryable:
            return f"state '{self.store.state}'"
        return f"store '{self.store.name}'" if self.store.name else f"the state of {self.id}"

    @property
    def table_title(self) -> str:
        """How refusals call it as a table."""
        return self.state_title

    @property
    def at_note(self) -> str:
        """The line of the program in parentheses, to follow its name in a message."""
        return f" ({self.at})" if self.at else ""

    def missing(self, rows: str) -> str:
        """Say that it is new and the rows of a table so far are missing in it."""
        nonsense = ", and it would retract them all the same" if self.retracts else ""
        title = f"{self.state_title} is new{self.at_note}"
        return f"{title}, over {rows}, whose rows so far would be missing in it{nonsense}"


def without_places(value: Json) -> Json:
    """Drop where an expression or a Python function was written, but leave the user's own data alone."""
    if isinstance(value, list):
        return [without_places(v) for v in value]
    if not isinstance(value, dict):
        return value
    # Whether a cast was declared or written does not change what it gives.
    own, places = ("lit", "metadata"), ("at", "declared", "python") if "takes" in value else ("at", "declared")
    return {k: v if k in own else without_places(v) for k, v in value.items() if k not in places}


def digest(value: Json) -> str:
    """A short text that differs where the values differ."""
    text = json.dumps(value, sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()[:16]
