"""The nodes of a foreign-key join in a plan, each in the stage of its key."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar

from holdfast.documents import Document, Json
from holdfast.topology.infer import E
from holdfast.topology.join_sides import HOW
from holdfast.topology.nodes import Node
from holdfast.topology.tables import StoredNode
from holdfast.topology.traits import Runs
from holdfast.topology.wording import wording

if TYPE_CHECKING:
    from holdfast.topology.table_joins import ForeignKeyJoin


@dataclass(frozen=True, eq=False, kw_only=True)
class ForeignKeySubscriber(Node):
    """Sends the entries of the left table to their foreign keys."""

    op: ClassVar[str] = "fk_subscribe"
    rekeys: ClassVar[bool] = True
    how: str
    on: E

    def label(self) -> str:
        """What refers to the other table."""
        return f"on {wording(self.on)}"

    def details(self) -> dict[str, Json]:
        """Which entries, and where to."""
        return {"how": self.how, "on": self.on}


@dataclass(frozen=True, eq=False, kw_only=True)
class ForeignKeyLookup(StoredNode):
    """Stores the subscriptions of each foreign key, and joins them with the right table."""

    op: ClassVar[str] = "fk_lookup"
    is_table: ClassVar[bool] = False
    runs: ClassVar[Runs] = Runs.AT_REFERENCE
    rekeys: ClassVar[bool] = True
    stores_references: ClassVar[bool] = True
    how: str
    kind: str
    joiner: E | None

    @property
    def tables_read(self) -> Sequence[int]:
        """The right one."""
        return (1,)

    @property
    def is_made_of_rows(self) -> bool:
        """Of the rows of the left table."""
        return True

    def state_lineage(self, lineages: Mapping[str, str]) -> str:
        """The state is made of the entries of the left table by foreign key: the joiner does not change it."""
        return lineages[self.inputs[0].id]

    def missing(self, rows: str) -> str:
        """Messages name the join, of which this is a part."""
        join = self.id.removesuffix(".lookup")
        return f"{join} is new{self.at_note}, and what the rows of {rows} so far refer to is missing"

    def label(self) -> str:
        """Which table."""
        return f"{HOW[self.how]} with {self.inputs[1].id}"

    @classmethod
    def parts(cls, document: Document) -> dict[str, object]:
        """How both sides meet."""
        return {**super().parts(document), "kind": document["with"]}

    def details(self) -> dict[str, Json]:
        """How both sides meet."""
        return {"how": self.how, "with": self.kind, "joiner": self.joiner}


@dataclass(frozen=True, eq=False, kw_only=True)
class ForeignKeyResult(StoredNode):
    """Stores the result under the key of the left table."""

    op: ClassVar[str] = "fk_join"

    @property
    def is_made_of_rows(self) -> bool:
        """Of those of both tables."""
        return True


def parts_of(join: ForeignKeyJoin, emit: str) -> list[Node]:
    """Make three nodes of a join by a foreign key, whose result emits every update, or the latest of a batch."""
    (left, right), backing = join.inputs, replace(join.backing, emit=emit)
    subscription = ForeignKeySubscriber(id=f"{join.id}.subscribe", inputs=(left,), at=join.at, how=join.how, on=join.on)
    state = f"{backing.state}~subscriptions"
    lookup = ForeignKeyLookup(
        id=f"{join.id}.lookup",
        inputs=(subscription, right),
        at=join.at,
        how=join.how,
        kind=join.kind,
        joiner=join.joiner,
        backing=replace(backing, name=None, state=state, emit="latest", changelog=None, ttl=None, versioned=None),
    )
    return [subscription, lookup, ForeignKeyResult(id=join.id, inputs=(lookup,), at=join.at, backing=backing)]
