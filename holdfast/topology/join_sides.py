"""The two sides of a join: what both make when the user does not say."""

from __future__ import annotations

from dataclasses import replace

from holdfast.topology.nodes import Node
from holdfast.types import UNKNOWN, DataType, Field, Struct

HOW = {"inner": "join", "left": "left join", "outer": "outer join"}
"""What a join is called."""


def check_fields(node: Node, other: str = "table") -> None:
    """Refuse a join without joiner whose sides have no fields, or have a field of one name."""
    left, right = (each.value_type for each in node.inputs)
    for type_ in (left, right):
        if type_.is_known and not isinstance(type_, Struct):
            raise node.refuse(
                f"one side is {type_.in_words()} and has no fields; say what to make of both: "
                f"join({other}, lambda left, right: dict(...))"
            )
    twice = _both(left, right)
    if twice:
        raise node.refuse(
            f"both sides have {_listed(twice)}; say which to take: join({other}, lambda left, right: dict(left, ...))"
        )


def fields_of_both(left: DataType, right: DataType, *, outer: bool = False) -> DataType:
    """A record of the fields of both sides; those of a side that may be missing may be null."""
    if not isinstance(left, Struct) or not isinstance(right, Struct):
        return UNKNOWN
    mine = _nullable(left) if outer else left.fields
    return Struct([*mine, *_nullable(right)])


def _both(left: DataType, right: DataType) -> list[str]:
    if not isinstance(left, Struct) or not isinstance(right, Struct):
        return []
    return [name for name in left.names if name in right.names]


def _nullable(side: Struct) -> list[Field]:
    return [replace(each, nullable=True) for each in side.fields]


def _listed(names: list[str]) -> str:
    return " and ".join(f"a field {name!r}" for name in names[:3]) + (" and more" if len(names) > 3 else "")
