"""Methods of a stream with a function that runs in Python: the call, then the same method on its result."""

from __future__ import annotations

import dataclasses
import typing
from types import GenericAlias
from typing import TypedDict

from holdfast.dsl.columns import Expression
from holdfast.dsl.handle import Handle
from holdfast.dsl.lambdas import parameters
from holdfast.dsl.python_functions import PythonFunction
from holdfast.errors import ExpressionError
from holdfast.position import user_position
from holdfast.topology.nodes import Node
from holdfast.types import Array, DataType
from holdfast.types.value_classes import Classes, classes_of
from holdfast.workers.function_spec import FunctionSpec


class CallFields(TypedDict):
    """The fields of a node that calls a function in Python."""

    call: FunctionSpec
    name: str
    returns: DataType


def result(both: Expression) -> Expression:
    """What the function gave."""
    return both.result


def value(both: Expression) -> Expression:
    """The value as it was."""
    return both.value


def both_of_pair(both: Expression) -> tuple[Expression, Expression]:
    """Key and value out of what the function gave."""
    return both.result["_1"], both.result["_2"]


def result_and_value(both: Expression) -> tuple[Expression, Expression]:
    """What the function gave as key of the value as it was."""
    return both.result, both.value


def call_fields(stream: Handle, function: PythonFunction, what: str, *, many: bool = False) -> CallFields:
    """The fields of the node that puts the result of the function next to each value."""
    if many and function.kind == "arrow":
        raise ExpressionError(
            f"{what}: a function of hf.arrow gives one row for each that it gets; give a list for each: "
            "map_values(hf.arrow(f, returns=list[...])).flat_map_values(lambda items: items), or use hf.python",
            at=user_position(),
        )
    item = function.item(what)
    returns = Array(item) if many else item
    call = FunctionSpec(
        function=function.function,
        name=function.name,
        at=function.at,
        takes=function.takes(what),
        returns=returns,
        item=item,
        many=many,
        kind=function.kind,
        classes=() if function.kind == "arrow" else _classes(stream, function, many=many),
        async_options=function.async_options,
        effect=function.effect,
    )
    return {"call": call, "name": call.title, "returns": returns}


def _classes(stream: Handle, function: PythonFunction, *, many: bool) -> tuple[tuple[str, Classes], ...]:
    """The dataclasses that key and value have, as the function says or as the topic was declared, and the result's."""
    found: dict[str, object] = dict(declared(stream.graph.classes, stream.node))
    one = function.declared
    if isinstance(one, tuple):
        one = GenericAlias(tuple, one)
    found["result"] = GenericAlias(list, one) if many else one
    hints = annotated(function.function)
    for name, parameter in zip(function.takes(""), parameters(function.function, ""), strict=False):
        if dataclasses.is_dataclass(hints.get(parameter)):
            found[name] = hints[parameter]
    return tuple((name, classes_of(found[name])) for name in sorted(found))


def annotated(function: object) -> dict[str, object]:
    """The annotations, also those that are written as text, if what they name can be found."""
    try:
        return typing.get_type_hints(function)
    except (NameError, TypeError):
        return getattr(function, "__annotations__", {})


def declared(classes: dict[str, dict[str, type]], node: Node) -> dict[str, type]:
    """The classes of a node's key and value, taken from the source where nothing has changed them."""
    while node.id not in classes and node.same_value and node.inputs:
        node = node.inputs[0]
    return classes.get(node.id, {})
