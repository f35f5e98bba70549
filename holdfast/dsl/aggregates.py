"""Where an aggregate begins, and whether a field of `agg` aggregates at all."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from holdfast.dsl.calling import expression, merge_scope
from holdfast.dsl.columns import tree_of, type_of_expression
from holdfast.dsl.lift import lift
from holdfast.dsl.position import user_position
from holdfast.errors import ExpressionError
from holdfast.topics.types import T, plain_value, type_of
from holdfast.topology import shapes
from holdfast.topology.infer import E
from holdfast.topology.nodes import Node

_NO_TYPE = (
    "does not tell its type; use a dataclass with declared fields, "
    "or give the type: F.cast(F.lit(...), 'array<string>')"
)


def initial_state(initial: Any) -> tuple[E, T]:
    """The literal a state begins with, and the state's type."""
    if dataclasses.is_dataclass(initial) and not isinstance(initial, type):
        type_ = type_of(type(initial), type(initial).__name__)
        return {"lit": plain_value(initial, type(initial).__name__), "type": type_}, type_
    expression = lift(initial)
    type_ = type_of_expression(expression)
    if not _complete(type_):
        raise ExpressionError(f"aggregate: the initial value {initial!r} {_NO_TYPE}", at=user_position())
    return {"lit": _constant(tree_of(expression), initial), "type": type_}, type_


def merge_tree(merge: Any, group: Node, state: T) -> E | None:
    """The function that makes one state of two, if there is one."""
    return None if merge is None else expression(merge, merge_scope(group, state), "merge=")


def _complete(type_: T) -> bool:
    if not shapes.is_known(type_):
        return False
    kind = shapes.kind_of(type_)
    if kind == "struct":
        return all(_complete(each["type"]) for each in type_["fields"])
    return _complete(type_["elementType"]) if kind == "array" else True


def _constant(tree: E, initial: Any) -> Any:
    if "lit" in tree:
        return tree["lit"]
    if "cast" in tree:
        return _constant(tree["cast"], initial)
    if "array" in tree:
        return [_constant(each, initial) for each in tree["array"]]
    if "struct" in tree:
        return {name: _constant(each, initial) for name, each in tree["struct"]}
    raise ExpressionError(
        "aggregate: the initial value must be a constant, not an expression of fields", at=user_position()
    )


def check_aggregate(name: str, tree: E) -> None:
    """Refuse a field of `agg` without an aggregate function."""
    from holdfast.dsl.spark_functions import AGGREGATES

    if not _calls(tree, AGGREGATES) and "sql" not in tree:
        raise ExpressionError(
            f"agg field {name!r} has no aggregate function; for example {name}=F.max(...) or {name}=F.count('*')",
            at=user_position(),
        )


def _calls(part: Any, names: Any) -> bool:
    if isinstance(part, Mapping):
        return part.get("call") in names or any(_calls(each, names) for each in part.values())
    return isinstance(part, list) and any(_calls(each, names) for each in part)
