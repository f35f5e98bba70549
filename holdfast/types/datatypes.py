"""Data types: immutable values that know their parts.

>>> from holdfast.types import STRING, Array, Struct
>>> Struct(name=STRING, tags=Array(STRING)).field("tags").element
Scalar(name='string')
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TypeVar

from holdfast.documents import Document, Json
from holdfast.types.visitor import TypeVisitor

R = TypeVar("R")
_BITS = {"byte": 8, "short": 16, "integer": 32, "long": 64}


@dataclass(frozen=True)
class DataType:
    """The type of a key, of a value, or of a part of them."""

    @property
    def is_known(self) -> bool:
        """Whether its outermost shape is known without Spark."""
        return True

    @property
    def is_integer(self) -> bool:
        """Whether it is a whole number of a fixed width."""
        return False

    @property
    def is_number(self) -> bool:
        """Whether it is a number."""
        return False

    def accept(self, visitor: TypeVisitor[R]) -> R:
        """What the visitor makes of this type."""
        return visitor.other(self)

    def to_json(self) -> Json:
        """The type as Spark's JSON, for documents."""
        from holdfast.types.spark_json import to_json

        return to_json(self)

    def in_words(self) -> str:
        """The type in the words of error messages: int, string, record(id, name)."""
        from holdfast.types.display import in_words

        return in_words(self)

    def __str__(self) -> str:
        from holdfast.types.display import ddl

        return ddl(self)


@dataclass(frozen=True)
class Unknown(DataType):
    """A type that only Spark knows."""

    @property
    def is_known(self) -> bool:
        """It is not."""
        return False


@dataclass(frozen=True)
class Unread(DataType):
    """A type whose DDL only Spark can read."""

    ddl: str

    @property
    def is_known(self) -> bool:
        """Not without Spark."""
        return False


@dataclass(frozen=True)
class Foreign(DataType):
    """A type of Spark's that Holdfast has no class for, as it came."""

    document: Document = field(hash=False)


@dataclass(frozen=True)
class Scalar(DataType):
    """A type without parts, under Spark's name for it."""

    name: str

    @property
    def is_integer(self) -> bool:
        """Whether it is one of four widths."""
        return self.name in _BITS

    @property
    def is_number(self) -> bool:
        """Whether it is an integer or a float."""
        return self.name in _BITS or self in FRACTIONS

    @property
    def bits(self) -> int:
        """How wide an integer is."""
        return _BITS[self.name]

    def accept(self, visitor: TypeVisitor[R]) -> R:
        """A scalar."""
        return visitor.scalar(self)


@dataclass(frozen=True, init=False)
class Decimal(Scalar):
    """A number with a fixed number of digits, some of them after the point."""

    precision: int
    scale: int

    def __init__(self, precision: int, scale: int) -> None:
        object.__setattr__(self, "name", f"decimal({precision},{scale})")
        object.__setattr__(self, "precision", precision)
        object.__setattr__(self, "scale", scale)

    @property
    def is_number(self) -> bool:
        """It is."""
        return True

    def accept(self, visitor: TypeVisitor[R]) -> R:
        """A decimal."""
        return visitor.decimal(self)


@dataclass(frozen=True)
class Array(DataType):
    """A list of values of one type."""

    element: DataType
    contains_null: bool = True

    def accept(self, visitor: TypeVisitor[R]) -> R:
        """An array."""
        return visitor.array(self)


@dataclass(frozen=True)
class Map(DataType):
    """Values by keys."""

    key: DataType
    value: DataType
    value_contains_null: bool = True

    def accept(self, visitor: TypeVisitor[R]) -> R:
        """A map."""
        return visitor.map(self)


@dataclass(frozen=True)
class Field:
    """A field of a record; what else is said of it, such as its default, is in `metadata`."""

    name: str
    type: DataType
    nullable: bool = True
    metadata: Mapping[str, Json] = field(default_factory=dict, hash=False)

    @property
    def default(self) -> Json:
        """What it has, as JSON, where an older document lacks it."""
        return self.metadata.get("default")


@dataclass(frozen=True, init=False)
class Struct(DataType):
    """A record: fields in order. Fields that may be null can be given by name."""

    fields: tuple[Field, ...]

    def __init__(self, fields: Iterable[Field] = (), /, **types: DataType) -> None:
        named = (Field(name, type_) for name, type_ in types.items())
        object.__setattr__(self, "fields", (*fields, *named))

    @property
    def names(self) -> list[str]:
        """The names of its fields."""
        return [each.name for each in self.fields]

    def field(self, name: str) -> DataType:
        """The type of a field."""
        found = self.get(name)
        if found is None:
            raise KeyError(name)
        return found

    def get(self, name: str) -> DataType | None:
        """The type of a field, None if there is none of that name."""
        return next((each.type for each in self.fields if each.name == name), None)

    def accept(self, visitor: TypeVisitor[R]) -> R:
        """A record."""
        return visitor.struct(self)


UNKNOWN = Unknown()
BYTE, SHORT, INTEGER, LONG = (Scalar(name) for name in ("byte", "short", "integer", "long"))
FLOAT, DOUBLE = Scalar("float"), Scalar("double")
BOOLEAN, STRING, BINARY = Scalar("boolean"), Scalar("string"), Scalar("binary")
TIMESTAMP, TIMESTAMP_NTZ, DATE = Scalar("timestamp"), Scalar("timestamp_ntz"), Scalar("date")

INTEGERS = (BYTE, SHORT, INTEGER, LONG)
FRACTIONS = (FLOAT, DOUBLE)
