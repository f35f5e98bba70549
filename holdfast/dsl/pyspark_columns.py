"""A Column of PySpark as an expression: its tree is read through the running session, without importing PySpark."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any, Protocol

from holdfast.dsl.spark_functions import REFUSED
from holdfast.errors import ExpressionError
from holdfast.position import user_position
from holdfast.topology.infer import E


class JavaObject(Protocol):
    """An object in the JVM, as py4j shows it."""

    # Its methods are those of its class in Java, and what they give is an object, a list, a number or a text.
    def __getattr__(self, name: str, /) -> Callable[..., Any]:
        """A method."""


class PySparkTree(Protocol):
    """A Column of PySpark, as its tree is read."""

    _jc: JavaObject


def column_tree(column: PySparkTree) -> E:
    """The tree of a PySpark Column."""
    return _tree(column._jc.node())


def _tree(node: JavaObject) -> E:
    kind = str(node.getClass().getSimpleName())
    if kind not in _KINDS:
        raise ExpressionError(
            f"the PySpark Column {node.sql()} has a {kind}, which has no meaning here; use holdfast.functions",
            at=user_position(),
        )
    return _KINDS[kind](node)


def _each(sequence: JavaObject) -> list[JavaObject]:
    return [sequence.apply(index) for index in range(sequence.size())]


def _literal(node: JavaObject) -> E:
    value, type_ = node.value(), node.dataType()
    if isinstance(value, Decimal):
        _, digits, exponent = value.as_tuple()
        scale = max(0, -int(exponent))
        return {"cast": {"lit": str(value)}, "to": f"decimal({max(len(digits), scale)},{scale})"}
    if not (value is None or isinstance(value, (bool, int, float, str))):
        raise ExpressionError(
            f"the constant {node.sql()} of a PySpark Column cannot be read here; "
            "write F.lit(...) of holdfast.functions",
            at=user_position(),
        )
    return {"lit": value, "type": json.loads(type_.get().json())} if type_.isDefined() else {"lit": value}


def _function(node: JavaObject) -> E:
    name = str(node.functionName()).lower()
    if name in REFUSED or node.isDistinct():
        reason = REFUSED.get(name, "DISTINCT has no bounded state")
        raise ExpressionError(f"F.{name} cannot be used: {reason}", at=user_position())
    arguments = _each(node.arguments())
    if name == "struct":
        return {"struct": [[_name(each, index), _tree(each)] for index, each in enumerate(arguments, 1)]}
    return {"call": "not" if name == "!" else name, "args": [_tree(each) for each in arguments]}


def _name(node: JavaObject, index: int) -> str:
    kind = str(node.getClass().getSimpleName())
    if kind == "Alias":
        return str(_each(node.name())[-1])
    return str(_each(node.nameParts())[-1]) if kind == "UnresolvedAttribute" else f"col{index}"


def _case(node: JavaObject) -> E:
    branches = [[_tree(each._1()), _tree(each._2())] for each in _each(node.branches())]
    rest = node.otherwise()
    return {"case": branches, "else": _tree(rest.get()) if rest.isDefined() else None}


def _lambda(node: JavaObject) -> E:
    return {"lambda": [str(each.name()) for each in _each(node.arguments())], "body": _tree(node.function())}


_KINDS: Mapping[str, Callable[[JavaObject], E]] = {
    "Literal": _literal,
    "UnresolvedAttribute": lambda node: {"col": ".".join(map(str, _each(node.nameParts())))},
    "UnresolvedStar": lambda node: {"star": True},
    "UnresolvedFunction": _function,
    "SqlExpression": lambda node: {"sql": str(node.expression())},
    "Alias": lambda node: _tree(node.child()),
    "Cast": lambda node: {"cast": _tree(node.child()), "to": json.loads(node.dataType().json())},
    "CaseWhenOtherwise": _case,
    "LambdaFunction": _lambda,
    "UnresolvedNamedLambdaVariable": lambda node: {"var": str(node.name())},
    "UnresolvedExtractValue": lambda node: {"get": _tree(node.child()), "key": _tree(node.extraction())},
}
