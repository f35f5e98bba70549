"""Lambdas inside functions: `F.transform(array, lambda x: ...)`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar

from holdfast.dsl.columns import Expression, tree_of, type_of_expression
from holdfast.dsl.lambdas import guarded, parameters
from holdfast.dsl.lift import lift
from holdfast.errors import ExpressionError
from holdfast.position import user_position
from holdfast.types import BOOLEAN, INTEGER, UNKNOWN, Array, DataType, Map

_depth: ContextVar[int] = ContextVar("holdfast_lambda_depth", default=0)


@contextmanager
def _deeper() -> Iterator[int]:
    token = _depth.set(_depth.get() + 1)
    try:
        yield _depth.get()
    finally:
        _depth.reset(token)


def lambda_expression(name: str, function: object, types: list[DataType]) -> Expression:
    """A lambda as an expression; its variables carry the depth, so that a nested one cannot capture them."""
    if not callable(function) or isinstance(function, Expression):
        raise ExpressionError(f"F.{name} wants a lambda, {function!r} came", at=user_position())
    names = parameters(function, f"the lambda of F.{name}")
    if not 1 <= len(names) <= len(types):
        raise ExpressionError(
            f"the lambda of F.{name} has {len(names)} parameters; it is called with {_wanted(len(types))}",
            at=user_position(),
        )
    with _deeper() as depth:
        variables = [f"{each}_{depth}" for each in names]
        proxies = [Expression({"var": each}, type_) for each, type_ in zip(variables, types, strict=False)]
        body = lift(guarded(function, names, proxies, f"the lambda of F.{name}"))
    return Expression({"lambda": variables, "body": tree_of(body)}, type_of_expression(body))


def _wanted(most: int) -> str:
    return "one" if most == 1 else f"at most {most}"


def _element(expression: Expression) -> DataType:
    type_ = type_of_expression(expression)
    return type_.element if isinstance(type_, Array) else UNKNOWN


def _entry(expression: Expression) -> list[DataType]:
    type_ = type_of_expression(expression)
    return [type_.key, type_.value] if isinstance(type_, Map) else [UNKNOWN, UNKNOWN]


def _value(expression: Expression) -> DataType:
    return _entry(expression)[1]


# What the lambdas of each function are called with, given the arguments before them.
_VARIABLES: Mapping[str, Callable[[list[Expression]], list[list[DataType]]]] = {
    "transform": lambda a: [[_element(a[0]), INTEGER]],
    "filter": lambda a: [[_element(a[0]), INTEGER]],
    "exists": lambda a: [[_element(a[0])]],
    "forall": lambda a: [[_element(a[0])]],
    "array_sort": lambda a: [[_element(a[0]), _element(a[0])]],
    "aggregate": lambda a: [[type_of_expression(a[1]), _element(a[0])], [type_of_expression(a[1])]],
    "reduce": lambda a: [[type_of_expression(a[1]), _element(a[0])], [type_of_expression(a[1])]],
    "zip_with": lambda a: [[_element(a[0]), _element(a[1])]],
    "transform_keys": lambda a: [_entry(a[0])],
    "transform_values": lambda a: [_entry(a[0])],
    "map_filter": lambda a: [_entry(a[0])],
    "map_zip_with": lambda a: [[_entry(a[0])[0], _value(a[0]), _value(a[1])]],
}


def variable_types(name: str, before: list[Expression], index: int) -> list[DataType]:
    """The types of the variables of the function's lambda number `index`."""
    return _VARIABLES[name](before)[index]


def result_type(name: str, arguments: list[Expression]) -> DataType:
    """The type of a higher-order function, where it is plain."""
    if name == "transform":
        return Array(type_of_expression(arguments[1]))
    if name in ("filter", "map_filter", "array_sort"):
        return type_of_expression(arguments[0])
    return BOOLEAN if name in ("exists", "forall") else UNKNOWN
