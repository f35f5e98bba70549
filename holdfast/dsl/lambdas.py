"""Makes expression trees of what a user passes as an expression: lambdas, field names, expressions, Columns."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from holdfast.dsl.binding import bind
from holdfast.dsl.columns import Expression, tree_of
from holdfast.dsl.lift import lift
from holdfast.dsl.misuse import refuse_is_none
from holdfast.dsl.spark_functions import AGGREGATES
from holdfast.errors import ExpressionError, HoldfastError
from holdfast.names import did_you_mean
from holdfast.position import code_position, user_position, written_at
from holdfast.topology.infer import E
from holdfast.topology.marks import refuse_marked
from holdfast.topology.nodes import Node
from holdfast.types import DataType

_KINDS = inspect.Parameter


@dataclass(frozen=True)
class Scope:
    """What an expression may read, and which parameters a lambda may have; `steps` are given by name."""

    slots: Mapping[str, DataType]
    forms: tuple[tuple[str, ...], ...]
    steps: tuple[str, ...] | None = None

    def proxies(self, names: tuple[str, ...]) -> list[Expression]:
        """The arguments that a lambda is called with."""
        return [Expression({"slot": name, "path": []}, self.slots[name]) for name in names]


def record_scope(node: Node) -> Scope:
    """The value, or key and value, of a node's records."""
    return Scope({"value": node.value_type, "key": node.key_type}, (("value",), ("key", "value")))


def joiner_scope(left: Node, right: Node) -> Scope:
    """Both sides of a join, with or without the key."""
    slots = {"left": left.value_type, "right": right.value_type, "key": left.key_type}
    return Scope(slots, (("left", "right"), ("key", "left", "right")))


def reduce_scope(group: Node) -> Scope:
    """The value so far and the next."""
    slots = {"old": group.value_type, "new": group.value_type, "key": group.key_type}
    return Scope(slots, (("old", "new"), ("key", "old", "new")))


def aggregate_scope(group: Node, state: DataType) -> Scope:
    """The state and the value."""
    slots = {"state": state, "value": group.value_type, "key": group.key_type}
    return Scope(slots, (("state", "value"), ("key", "state", "value")))


def merge_scope(group: Node, state: DataType) -> Scope:
    """Two states of one key."""
    slots = {"left": state, "right": state, "key": group.key_type}
    return Scope(slots, (("left", "right"), ("key", "left", "right")))


def step_scope(group: Node, earlier: Mapping[str, DataType]) -> Scope:
    """A record, and by name what the earlier steps of a pattern took."""
    slots = {"value": group.value_type, "key": group.key_type, **earlier}
    return Scope(slots, (("value",), ("key", "value")), tuple(earlier))


def expression(given: object, scope: Scope, what: str, *, aggregates: bool = False) -> E:
    """The tree of what was given, bound to the scope; `what` names it in errors."""
    return bound(evaluate(given, scope, what), given, scope, aggregates=aggregates)


def bound(made: object, given: object, scope: Scope, *, aggregates: bool = False) -> E:
    """The tree of what `given` made, bound to the scope; errors name the line of a lambda."""
    code = getattr(given, "__code__", None)
    with written_at(code_position(code) if code else None):
        tree = bind(tree_of(lift(made)), scope.slots)
        refuse_marked(tree, user_position())
        if not aggregates:
            refuse_aggregate(tree)
        return tree


def refuse_aggregate(tree: E) -> None:
    """Refuse an aggregate function where one record is looked at."""
    name = aggregate_in(tree)
    if name is not None:
        raise ExpressionError(
            f"F.{name} is an aggregate function: it needs the records of a group; use "
            f"group_by(...).agg(name=F.{name}(...)), or of one array F.aggregate(array, initial, f)",
            at=user_position(),
        )


def aggregate_in(part: object) -> str | None:
    """The first aggregate function in a tree."""
    if isinstance(part, Mapping):
        if part.get("call") in AGGREGATES:
            return str(part["call"])
        return next(filter(None, map(aggregate_in, (v for k, v in part.items() if k not in ("lit", "type")))), None)
    return next(filter(None, map(aggregate_in, part)), None) if isinstance(part, list) else None


def evaluate(given: object, scope: Scope, what: str) -> object:
    """What was given, with a lambda called and a field name looked up."""
    if isinstance(given, str):
        return Expression({"col": given})
    if getattr(type(given), "runs_in_python", False):
        raise ExpressionError(
            f"{what} cannot run in Python here; compute it before, with map_values(hf.python(f, returns=...))",
            at=user_position(),
        )
    if callable(given) and not isinstance(given, (Expression, type)) and not hasattr(given, "_jc"):
        return call_lambda(given, scope, what)
    if given is None or isinstance(given, type):
        raise ExpressionError(f"{what} is {given!r}; give a lambda, a field name or an expression", at=user_position())
    return given


def call_lambda(function: Callable[..., object], scope: Scope, what: str) -> object:
    """What a lambda makes of proxies."""
    names, asked = parameters(function, what, scope.steps), asked_steps(function)
    form = next((each for each in scope.forms if len(each) == len(names)), None)
    if form is None:
        wanted = " or ".join(f"({', '.join(each)})" for each in scope.forms)
        raise ExpressionError(
            f"{what} has the parameters ({', '.join(names)}); it is called with {wanted}", at=_position(function)
        )
    by_name = dict(zip(asked, scope.proxies(asked), strict=True))
    return guarded(function, names, scope.proxies(form), what, by_name)


def guarded(
    function: Callable[..., object],
    names: tuple[str, ...],
    proxies: list[Expression],
    what: str,
    by_name: Mapping[str, Expression] = {},
) -> object:
    """Call a lambda over proxies; an exception of it is raised with the line of the lambda."""
    code = getattr(function, "__code__", None)
    if code is not None:
        refuse_is_none(code, (*names, *by_name))
    try:
        return function(*proxies, **by_name)
    except HoldfastError:
        raise
    except Exception as error:
        raise ExpressionError(
            f"{what} failed while it was read: {type(error).__name__}: {error}; it is called with descriptions "
            "of fields and not with values; use holdfast.functions, or run it in Python: hf.python(f, returns=...)",
            at=_position(function),
        ) from error


def parameters(function: Callable[..., object], what: str, steps: tuple[str, ...] | None = None) -> tuple[str, ...]:
    """The positional parameters without default."""
    try:
        found = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        raise ExpressionError(f"{what}: {function!r} cannot be read; use a lambda", at=user_position()) from None
    for each in found:
        if each.kind is _KINDS.VAR_POSITIONAL or (steps is None and _by_name(each)):
            raise ExpressionError(f"{what} has the parameter {each}; use plain ones", at=_position(function))
        if steps is not None and _by_name(each) and each.name not in steps:
            hint = did_you_mean(each.name, steps)
            raise ExpressionError(
                f"{what} asks for {each.name!r}, but no step before it has a record of that name{hint}",
                at=_position(function),
            )
    positional = (_KINDS.POSITIONAL_ONLY, _KINDS.POSITIONAL_OR_KEYWORD)
    return tuple(each.name for each in found if each.kind in positional and each.default is _KINDS.empty)


def asked_steps(function: Callable[..., object]) -> tuple[str, ...]:
    """The earlier steps of a pattern that a lambda asks for: its parameters after the star."""
    return tuple(each.name for each in inspect.signature(function).parameters.values() if _by_name(each))


def _by_name(parameter: inspect.Parameter) -> bool:
    return parameter.kind is _KINDS.KEYWORD_ONLY and parameter.default is _KINDS.empty


def _position(function: Callable[..., object]) -> str:
    code = getattr(function, "__code__", None)
    return code_position(code) if code else user_position()
