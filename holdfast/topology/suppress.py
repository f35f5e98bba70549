"""A table that keeps its updates to itself for a while."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from holdfast.topics.windowed import is_windowed
from holdfast.topology.tables import StoredNode


@dataclass(frozen=True, eq=False, kw_only=True)
class Suppress(StoredNode):
    """Holds updates back until their window closes or a time has passed."""

    op: ClassVar[str] = "suppress"
    until: str
    limit: int
    max_records: int | None
    on_full: str

    def __post_init__(self) -> None:
        self.want_table(0)
        if self.inputs[0].versioned is not None:
            raise self.refuse("a versioned table tells of every version at once; suppress a table without versioned=")
        key = self.key_type
        if self.until == "window_closes" and key.is_known and not is_windowed(key):
            raise self.refuse(
                f"the key is {key.in_words()}, no window; suppress before the key is changed, "
                'or use hf.until_time("5 minutes")'
            )

    def details(self) -> dict[str, Any]:
        """How long, how many, and what then."""
        return {"until": self.until, "limit": self.limit, "max_records": self.max_records, "on_full": self.on_full}
