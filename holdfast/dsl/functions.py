"""Spark's functions by name: a row of the table becomes a function that makes a call."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from typing import NoReturn

from holdfast.dsl import special_functions
from holdfast.dsl.columns import Expression, tree_of
from holdfast.dsl.columns import call as make_call
from holdfast.dsl.higher_order import lambda_expression, result_type, variable_types
from holdfast.dsl.lift import lift
from holdfast.dsl.spark_functions import AGGREGATES, FUNCTIONS, REFUSED, Parameter
from holdfast.errors import ExpressionError, UnknownField
from holdfast.names import did_you_mean, words
from holdfast.position import user_position
from holdfast.topics.serde import Serde
from holdfast.types import INTEGER
from holdfast.types.type_hints import type_of

# Where the result has the type of the arguments, a Python int stays 64 bits; elsewhere Spark wants 32.
_KEEPS_TYPE = words("array map struct named_struct coalesce nvl nvl2 ifnull nullif greatest least sequence")
_CLOCKLESS = {"aes_encrypt": "iv"}
_DATE_AND_TIME = ("make_timestamp", "try_make_timestamp", "make_timestamp_ntz", "try_make_timestamp_ntz")

SPECIAL = {
    name: function
    for name, function in vars(special_functions).items()
    if inspect.isfunction(function) and function.__module__ == special_functions.__name__ and not name.startswith("_")
}
NAMES = sorted({*FUNCTIONS, *SPECIAL})


@functools.cache
def function(name: str) -> Callable[..., Expression]:
    """The function of that name."""
    if name in SPECIAL:
        return SPECIAL[name]
    if name in REFUSED:
        return _refusing(name)
    if name not in FUNCTIONS:
        raise UnknownField(f"holdfast.functions has no {name!r}{did_you_mean(name, NAMES)}", at=user_position())
    return _calling(name)


def check_callable(name: str) -> None:
    """Refuse a SQL name that is refused as a function."""
    if name in REFUSED:
        _refusing(name)()


def _refusing(name: str) -> Callable[..., NoReturn]:
    def refuse(*args: object, **more: object) -> NoReturn:
        raise ExpressionError(f"F.{name} cannot be used: {REFUSED[name]}", at=user_position())

    refuse.__name__ = name
    return refuse


def _calling(name: str) -> Callable[..., Expression]:
    sql, parameters = FUNCTIONS[name]
    signature = _signature(parameters)

    def call(*args: object, **more: object) -> Expression:
        try:
            bound = signature.bind(*args, **more)
        except TypeError as error:
            raise ExpressionError(f"F.{name}{signature}: {error}", at=user_position()) from None
        return _call(name, sql, parameters, bound.arguments)

    call.__name__ = call.__qualname__ = name
    call.__doc__ = f"Spark's `{sql}`{', an aggregate function' if sql in AGGREGATES else ''}."
    call.__signature__ = signature  # type: ignore[attr-defined]
    return call


def _signature(parameters: tuple[Parameter, ...]) -> inspect.Signature:
    made = []
    for name, _, *default in parameters:
        kind = inspect.Parameter.VAR_POSITIONAL if name.startswith("*") else inspect.Parameter.POSITIONAL_OR_KEYWORD
        empty = inspect.Parameter.empty
        made.append(inspect.Parameter(name.lstrip("*"), kind, default=default[0] if default else empty))
    return inspect.Signature(made)


def _call(name: str, sql: str, parameters: tuple[Parameter, ...], given: Mapping[str, object]) -> Expression:
    _check_given(name, given)
    arguments: list[Expression] = []
    lambdas = 0
    for parameter, kind, *default in _ordered(name, parameters, given):
        if parameter.startswith("*"):
            arguments += [_argument(name, sql, kind, each) for each in _spread(given.get(parameter[1:], ()))]
            continue
        value = given.get(parameter)
        if value is None:
            arguments += _default(default)
        elif kind == "f":
            arguments.append(lambda_expression(name, value, variable_types(name, arguments, lambdas)))
            lambdas += 1
        else:
            arguments.append(_argument(name, sql, kind, value))
    made = make_call(sql, *arguments)
    return Expression(tree_of(made), result_type(name, arguments)) if lambdas else made


def _default(default: list[object]) -> list[Expression]:
    """A default is a constant, even where a string given by the user is a field."""
    return [_narrow(default[0])] if default and default[0] is not None else []


def _check_given(name: str, given: Mapping[str, object]) -> None:
    wanted = _CLOCKLESS.get(name)
    if wanted and given.get(wanted) is None:
        raise ExpressionError(f"F.{name} without {wanted}= is not deterministic; give one", at=user_position())


def _ordered(name: str, parameters: tuple[Parameter, ...], given: Mapping[str, object]) -> list[Parameter]:
    """SQL wants (date, time, timezone), PySpark names them after the parts of a date."""
    if name in _DATE_AND_TIME and given.get("date") is not None:
        return sorted(
            parameters, key=lambda each: ("date", "time").index(each[0]) if each[0] in ("date", "time") else 2
        )
    return list(parameters)


def _spread(values: object) -> tuple[object, ...]:
    assert isinstance(values, tuple)
    return tuple(values[0]) if len(values) == 1 and isinstance(values[0], (list, tuple, set)) else values


def _argument(name: str, sql: str, kind: str, value: object) -> Expression:
    if kind == "c" and isinstance(value, str):
        return special_functions.col(value)
    if kind == "o" and isinstance(value, Mapping):
        return make_call("map", *(_option(part) for entry in value.items() for part in entry))
    if kind == "t":
        return _schema(name, value)
    if isinstance(value, tuple):
        value = list(value)
    return _narrow(value) if sql not in _KEEPS_TYPE else lift(value)


def _option(part: object) -> str:
    return str(part).lower() if isinstance(part, bool) else str(part)


def _narrow(value: object) -> Expression:
    if isinstance(value, int) and not isinstance(value, bool) and -(2**31) <= value < 2**31:
        return Expression({"lit": value, "type": "integer"}, INTEGER)
    return lift(value)


def _schema(name: str, declared: object) -> Expression:
    """A type in the words of SQL."""
    if isinstance(declared, (str, Expression)):
        return lift(declared)
    if isinstance(declared, Serde):
        raise ExpressionError(f"F.{name} wants a type, a serde came", at=user_position())
    return lift(str(type_of(declared, f"F.{name}")))
