"""Questions about types that are known without Spark; None stands for a type that only Spark can tell."""

from __future__ import annotations

from typing import Any

from holdfast.topics.types import T

INTEGERS = ("byte", "short", "integer", "long")
FRACTIONS = ("float", "double")
_PLAIN = {
    **dict.fromkeys(INTEGERS, "int"),
    **dict.fromkeys(FRACTIONS, "float"),
    "boolean": "bool",
    "binary": "bytes",
}
_DDL = {"long": "BIGINT", "integer": "INT", "short": "SMALLINT", "byte": "TINYINT"}


def is_known(type_: T) -> bool:
    """Whether the outermost shape of the type is known without Spark."""
    return type_ is not None and not (isinstance(type_, dict) and "ddl" in type_)


def is_record(type_: T) -> bool:
    """Whether the type is a record."""
    return isinstance(type_, dict) and type_.get("type") == "struct"


def is_number(type_: T) -> bool:
    """Whether the type is a number."""
    return isinstance(type_, str) and (type_ in INTEGERS or type_ in FRACTIONS or type_.startswith("decimal"))


def kind_of(type_: T) -> str | None:
    """struct, array, map or scalar; None if unknown."""
    if not is_known(type_):
        return None
    return str(type_["type"]) if isinstance(type_, dict) else "scalar"


def field_names(type_: T) -> list[str]:
    """The names of a record's fields."""
    return [each["name"] for each in type_["fields"]]


def field_type(type_: T, name: str) -> T:
    """The type of a record's field."""
    return next(each["type"] for each in type_["fields"] if each["name"] == name)


def record_of(fields: list[tuple[str, T]]) -> T:
    """A record type of computed fields."""
    return {
        "type": "struct",
        "fields": [{"name": name, "type": type_, "nullable": True, "metadata": {}} for name, type_ in fields],
    }


def array_of(element: T) -> T:
    """An array type."""
    return {"type": "array", "elementType": element, "containsNull": True}


def plain(type_: T) -> str:
    """The type in the words of error messages: int, string, record(id, name)."""
    if type_ is None:
        return "unknown"
    if isinstance(type_, str):
        return _PLAIN.get(type_, type_)
    kind = type_.get("type")
    if kind == "struct":
        return f"record({', '.join(field_names(type_))})"
    if kind == "array":
        return f"array of {plain(type_['elementType'])}"
    if kind == "map":
        return f"map of {plain(type_['keyType'])} to {plain(type_['valueType'])}"
    return str(type_.get("ddl", type_))


def ddl(type_: T) -> str:
    """The type as Spark's DDL, `?` where only Spark can tell."""
    if type_ is None:
        return "?"
    if isinstance(type_, str):
        return _DDL.get(type_, type_.upper())
    kind = type_.get("type")
    if kind == "struct":
        return f"STRUCT<{', '.join(map(_field_ddl, type_['fields']))}>"
    if kind == "array":
        return f"ARRAY<{ddl(type_['elementType'])}>"
    if kind == "map":
        return f"MAP<{ddl(type_['keyType'])}, {ddl(type_['valueType'])}>"
    return str(type_.get("ddl", "?"))


def _field_ddl(field: dict[str, Any]) -> str:
    return f"{field['name']}: {ddl(field['type'])}{'' if field['nullable'] else ' NOT NULL'}"


def same_shape(one: T, other: T) -> bool:
    """Whether keys of both types can be equal: integers of any width are one, unknown fits everything."""
    if not is_known(one) or not is_known(other):
        return True
    if isinstance(one, str) or isinstance(other, str):
        return one == other or (one in INTEGERS and other in INTEGERS)
    if one["type"] != other["type"]:
        return False
    if one["type"] == "array":
        return same_shape(one["elementType"], other["elementType"])
    if one["type"] == "map":
        return same_shape(one["keyType"], other["keyType"]) and same_shape(one["valueType"], other["valueType"])
    return field_names(one) == field_names(other) and all(
        same_shape(left["type"], right["type"]) for left, right in zip(one["fields"], other["fields"], strict=True)
    )
