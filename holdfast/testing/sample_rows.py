"""The first rows of a stream or a table on sample data, as notebooks and terminals show them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from holdfast.html_tables import html_table, text_table


@dataclass(frozen=True)
class SampleRows:
    """Key and value of each row that is shown; what `show()` gives.

    >>> SampleRows("orders", "key: STRING", [("a", {"id": 1, "price": 2.5}), ("b", {"id": 2, "price": None})], 2)
    orders, 2 rows
    key  id  price
    a    1   2.5
    b    2
    """

    name: str
    schema: str
    rows: list[tuple[object, object]]
    total: int
    dead_letters: list[str] = field(default_factory=list)
    """The reasons of records that could not be processed."""

    @property
    def columns(self) -> list[str]:
        """The names over the cells: the key, and the fields of the value or the value itself.

        >>> SampleRows("counts", "", [("a", 1)], 1).columns
        ['key', 'value']
        """
        return ["key", *(self._fields() or ["value"])]

    def cells(self) -> list[list[object]]:
        """The rows as they stand under the columns.

        >>> SampleRows("orders", "", [("a", {"id": 1})], 1).cells()
        [['a', 1]]
        """
        fields = self._fields()
        if not fields:
            return [[key, value] for key, value in self.rows]
        return [[key, *((value or {}).get(name) for name in fields)] for key, value in self._records()]

    def _records(self) -> Iterator[tuple[object, dict[str, object] | None]]:
        return ((key, value) for key, value in self.rows if value is None or isinstance(value, dict))

    def _fields(self) -> list[str]:
        """The fields of the values, where all of them are records."""
        values = [value for _, value in self.rows if value is not None]
        if not values or not all(isinstance(value, dict) for value in values):
            return []
        return list(dict.fromkeys(name for value in values if isinstance(value, dict) for name in value))

    def _title(self) -> str:
        count = f"{self.total} row{'' if self.total == 1 else 's'}"
        return f"{self.name}, {count}" if self.total == len(self.rows) else f"{self.name}, {len(self.rows)} of {count}"

    def __len__(self) -> int:
        return len(self.rows)

    def __repr__(self) -> str:
        lost = [f"dead letter: {reason}" for reason in self.dead_letters]
        return "\n".join([self._title(), text_table(self.columns, self.cells()), *lost])

    def _repr_html_(self) -> str:
        lost = html_table(["dead letters"], ([reason] for reason in self.dead_letters)) if self.dead_letters else ""
        return html_table(self.columns, self.cells(), self._title()) + lost
