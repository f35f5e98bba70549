"""The two sides of a join: what both make when the user does not say."""

from __future__ import annotations

from holdfast.topics.types import T
from holdfast.topology import shapes
from holdfast.topology.nodes import Node


def check_fields(node: Node, other: str = "table") -> None:
    """Refuse a join without joiner whose sides have no fields, or have a field of one name."""
    left, right = (each.value_type for each in node.inputs)
    for type_ in (left, right):
        if shapes.is_known(type_) and not shapes.is_record(type_):
            raise node.refuse(
                f"one side is {shapes.plain(type_)} and has no fields; say what to make of both: "
                f"join({other}, lambda left, right: dict(...))"
            )
    twice = _both(left, right) if _records(left, right) else []
    if twice:
        raise node.refuse(
            f"both sides have {_listed(twice)}; say which to take: join({other}, lambda left, right: dict(left, ...))"
        )


def fields_of_both(left: T, right: T, *, outer: bool = False) -> T:
    """A record of the fields of both sides; those of a side that may be missing may be null."""
    if not _records(left, right):
        return None
    mine = _nullable(left) if outer else left["fields"]
    return {"type": "struct", "fields": [*mine, *_nullable(right)]}


def _records(left: T, right: T) -> bool:
    return shapes.is_record(left) and shapes.is_record(right)


def _both(left: T, right: T) -> list[str]:
    return [name for name in shapes.field_names(left) if name in shapes.field_names(right)]


def _nullable(side: T) -> list[T]:
    return [{**each, "nullable": True} for each in side["fields"]]


def _listed(names: list[str]) -> str:
    return " and ".join(f"a field {name!r}" for name in names[:3]) + (" and more" if len(names) > 3 else "")
