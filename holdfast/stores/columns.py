"""A store as a table: which columns it has."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from holdfast.topics.windowed import is_windowed
from holdfast.types import TIMESTAMP, DataType, Struct

KEY, VALUE = "key", "value"
WINDOW_START, WINDOW_END = "window_start", "window_end"
_TAKEN = "value_"


@dataclass(frozen=True)
class Column:
    """A column of a store's table."""

    name: str
    type: DataType


@dataclass(frozen=True)
class TableColumns:
    """The columns of a store's table: those of its keys, and then those of its values."""

    key: Sequence[Column]
    value: Sequence[Column]
    is_windowed: bool
    is_record: bool  # whether values are records, with a column for each field

    @classmethod
    def of(cls, key: DataType, value: DataType) -> TableColumns:
        """The table of keys and values of two types.

        >>> from holdfast.types import LONG, STRING, Struct
        >>> [column.name for column in TableColumns.of(STRING, Struct(score=LONG, key=LONG)).all]
        ['key', 'score', 'value_key']
        """
        windowed = isinstance(key, Struct) and is_windowed(key)
        of_key = [Column(KEY, key)]
        if windowed and isinstance(key, Struct):
            of_key = [
                Column(KEY, key.field("key")),
                Column(WINDOW_START, TIMESTAMP),
                Column(WINDOW_END, TIMESTAMP),
            ]
        record = isinstance(value, Struct) and bool(value.fields)
        fields = [Column(each.name, each.type) for each in value.fields] if isinstance(value, Struct) else []
        return cls(of_key, _free(of_key, fields) if record else [Column(VALUE, value)], windowed, record)

    @property
    def all(self) -> list[Column]:
        """Every column in order."""
        return [*self.key, *self.value]


def _free(taken: Sequence[Column], fields: Sequence[Column]) -> list[Column]:
    """Fields under their names, with a prefix where SQL, which knows no case, would have the name twice."""
    names = {each.name.lower() for each in taken}
    found = []
    for field in fields:
        name = field.name
        while name.lower() in names:
            name = _TAKEN + name
        names.add(name.lower())
        found.append(Column(name, field.type))
    return found
