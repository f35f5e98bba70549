"""The node that repeats a table in a later stage."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import ClassVar

from holdfast.documents import Json
from holdfast.topology.nodes import Node, Store
from holdfast.topology.tables import StoredNode


@dataclass(frozen=True, eq=False, kw_only=True)
class TableCopy(StoredNode):
    """A table in another stage than its own."""

    op: ClassVar[str] = "table_copy"
    is_copy: ClassVar[bool] = True

    @property
    def is_made_of_rows(self) -> bool:
        """Of those of its table."""
        return True

    def made_of(self, lineages: Mapping[str, str]) -> str:
        """What its table is made of."""
        return lineages[self.inputs[0].id]

    def state_lineage(self, lineages: Mapping[str, str]) -> str:
        """That of the table: its name, or its lineage if it has none."""
        table = self.inputs[0]
        return (table.store and table.store.name) or lineages[table.id]

    def missing(self, rows: str) -> str:
        """It is the table that is read in one more stage."""
        return f"{rows} is now also read in stage {self.place}, where its rows so far are missing"

    def made_by(self) -> str:
        """Its table."""
        return f"a copy of {self.inputs[0].id}"

    def caption(self, short: Callable[[str], str]) -> str:
        """Its table."""
        return f"copy of {short(self.inputs[0].id)}"

    def to_json(self) -> dict[str, Json]:
        """The node as the plan carries it."""
        return {"id": self.id, "place": self.place, **super().to_json()}


def copy_of(table: Node, stage: int) -> TableCopy:
    """The copy of a stored table in a stage. It gets every update, also the deletes of entries that expire."""
    assert table.store is not None
    return TableCopy(
        id=f"{table.id}@{stage}", inputs=(table,), at=table.at, place=stage, backing=_copied(table.store, stage)
    )


def _copied(store: Store, stage: int) -> Store:
    return replace(store, name=None, state=f"{store.state}@{stage}", emit="every", changelog=None, ttl=None)
