"""Where an aggregate begins, and whether a field of `agg` aggregates at all."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Mapping
from typing import TypedDict

from holdfast.documents import Json
from holdfast.dsl.columns import Expression, tree_of, type_of_expression
from holdfast.dsl.lambdas import aggregate_in, expression, merge_scope
from holdfast.dsl.lift import lift
from holdfast.errors import ExpressionError
from holdfast.position import user_position
from holdfast.topology.infer import E, Slots, infer
from holdfast.topology.nodes import Node
from holdfast.topology.widening import Paths, widen
from holdfast.types import Array, DataType, Struct
from holdfast.types.type_hints import plain_value, type_of

_NO_TYPE = (
    "does not tell its type; use a dataclass with declared fields, "
    "or give the type: F.cast(F.lit(None), 'timestamp'), F.cast(F.lit(...), 'array<string>')"
)


@dataclasses.dataclass(frozen=True)
class FirstState:
    """The literal that a state begins with, its type, and which parts of that type the user has declared."""

    tree: E
    type: DataType
    declared: Paths


class StateFields(TypedDict):
    """The fields of the state of an aggregate node."""

    initial: E
    state: DataType
    declared: Paths


@dataclasses.dataclass(frozen=True)
class FoldedState:
    """The state of an aggregate: what it begins with, a type that holds what its functions make, and the functions."""

    first: FirstState
    type: DataType
    functions: Mapping[str, E]

    def fields(self) -> StateFields:
        """The fields of the node."""
        return {"initial": self.first.tree, "state": self.type, "declared": self.first.declared}


def folded_state(initial: object, functions: Callable[[DataType], Mapping[str, tuple[E, Slots]]]) -> FoldedState:
    """Widen the type of the first state until it holds what the functions make of it.

    `functions` gives, for a type of states, each function's tree and what it reads.
    """
    first = first_state(initial)
    state = first.type
    while True:
        made = functions(state)
        wider = state
        for tree, slots in made.values():
            wider = widen(wider, infer(tree, slots), first.declared)
        if wider == state:
            return FoldedState(first, state, {name: tree for name, (tree, _) in made.items()})
        state = wider


def first_state(initial: object) -> FirstState:
    """What a state begins with."""
    tree, type_ = _first(initial)
    return FirstState(tree, type_, tuple(_declared(initial, ())))


def _declared(initial: object, path: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """Where the user has said which type the state has: dataclasses and casts; a plain number says nothing."""
    if isinstance(initial, Mapping):
        for name, each in initial.items():
            yield from _declared(each, (*path, name))
    elif dataclasses.is_dataclass(initial) or (isinstance(initial, Expression) and _is_cast(tree_of(initial))):
        yield path


def _is_cast(tree: E) -> bool:
    """Whether somebody has given a type; a decimal constant is a text with a cast, too, and says nothing."""
    return "cast" in tree and not (str(tree["to"]).startswith("decimal") and isinstance(tree["cast"].get("lit"), str))


def _first(initial: object) -> tuple[E, DataType]:
    if dataclasses.is_dataclass(initial) and not isinstance(initial, type):
        type_ = type_of(type(initial), type(initial).__name__)
        lift(initial)
        return {"lit": plain_value(initial, type(initial).__name__), "type": type_.to_json()}, type_
    expression = lift(initial)
    type_ = type_of_expression(expression)
    if not _complete(type_):
        field = _unknown_field(type_)
        where = f"field {field!r} of the initial value" if field else "the initial value"
        raise ExpressionError(f"aggregate: {where} {initial!r} {_NO_TYPE}", at=user_position())
    constant = _constant(tree_of(expression), initial)
    if _has_decimal(tree_of(expression)):
        return tree_of(expression), type_
    return {"lit": constant, "type": type_.to_json()}, type_


def _has_decimal(part: object) -> bool:
    """Whether there is a Decimal in a constant: JSON has no number that keeps its digits, so it stays an expression."""
    if isinstance(part, Mapping):
        return ("cast" in part and isinstance(part["cast"].get("lit"), str)) or any(map(_has_decimal, part.values()))
    return isinstance(part, list) and any(map(_has_decimal, part))


def merge_tree(merge: object, group: Node, state: DataType) -> dict[str, tuple[E, Slots]]:
    """The function that makes one state of two, if there is one."""
    scope = merge_scope(group, state)
    return {} if merge is None else {"merge": (expression(merge, scope, "merge="), scope.slots)}


def _complete(type_: DataType) -> bool:
    if not type_.is_known:
        return False
    if isinstance(type_, Struct):
        return all(_complete(each.type) for each in type_.fields)
    return _complete(type_.element) if isinstance(type_, Array) else True


def _unknown_field(type_: DataType) -> str | None:
    """The first field of a record whose type is not known."""
    fields = type_.fields if isinstance(type_, Struct) else ()
    return next((each.name for each in fields if not _complete(each.type)), None)


def _constant(tree: E, initial: object) -> Json:
    if "lit" in tree:
        value: Json = tree["lit"]
        return value
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
    if aggregate_in(tree) is None and "sql" not in tree:
        raise ExpressionError(
            f"agg field {name!r} has no aggregate function; for example {name}=F.max(...) or {name}=F.count('*')",
            at=user_position(),
        )
