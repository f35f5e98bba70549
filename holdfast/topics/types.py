"""Types as Spark's JSON, where they are not yet `holdfast.types`."""

from __future__ import annotations

from typing import Any

from holdfast.types import to_json, type_hints

T = Any
"""A type as Spark's JSON: "long", {"type": "struct", ...}; None where only Spark can tell."""


def type_of(declared: object, where: str) -> T:
    """The type that `declared` stands for; `where` names it in errors."""
    return to_json(type_hints.type_of(declared, where))


def struct(fields: list[dict[str, Any]]) -> T:
    """A record type."""
    return {"type": "struct", "fields": fields}


def field(name: str, type_: T, *, nullable: bool = True) -> dict[str, Any]:
    """A field of a record type."""
    return {"name": name, "type": type_, "nullable": nullable, "metadata": {}}
