"""A table whose updates are suppressed: only the last one of a while is emitted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from holdfast.documents import Json
from holdfast.topics.windowed import is_windowed
from holdfast.topology.tables import StoredNode
from holdfast.topology.traits import Runs
from holdfast.units.duration import in_words


@dataclass(frozen=True, eq=False, kw_only=True)
class Suppress(StoredNode):
    """Holds updates back until their window closes or a time has passed."""

    op: ClassVar[str] = "suppress"
    runs: ClassVar[Runs] = Runs.WITH_INPUT
    same_value: ClassVar[bool] = True
    layout_fields: ClassVar[Sequence[str]] = ("until",)
    until: str
    limit: int
    max_records: int | None
    on_full: str

    def __post_init__(self) -> None:
        self.want_table(0)
        if self.inputs[0].versioned is not None:
            raise self.refuse("a versioned table emits every version at once; suppress a table without versioned=")
        key = self.key_type
        if self.until == "window_closes" and key.is_known and not is_windowed(key):
            raise self.refuse(
                f"the key is {key.in_words()}, no window; suppress before the key is changed, "
                'or use hf.until_time("5 minutes")'
            )

    @property
    def is_time_driven(self) -> bool:
        """Time decides when an update is emitted."""
        return True

    @property
    def has_pending_results(self) -> bool:
        """Suppressed updates."""
        return True

    @property
    def is_made_of_rows(self) -> bool:
        """Of the rows whose updates are suppressed."""
        return True

    def structure(self) -> dict[str, Json]:
        """The limit and the size of the buffer may change."""
        return {"op": self.op, "until": self.until}

    def missing(self, rows: str) -> str:
        """Of a suppressed table updates would be missing, and not rows."""
        return f"{self.state_title} is new{self.at_note}, over {rows}, whose updates so far it would never emit"

    def label(self) -> str:
        """How long, how many, and what then."""
        until = "until the window closes" if self.until == "window_closes" else f"until {in_words(self.limit)} later"
        full = {"fail": "then fail", "emit": "then emit the earliest"}[self.on_full]
        return until if self.max_records is None else f"{until}, at most {self.max_records} keys, {full}"

    def details(self) -> dict[str, Json]:
        """How long, how many, and what then."""
        return {"until": self.until, "limit": self.limit, "max_records": self.max_records, "on_full": self.on_full}
