"""Aggregates whose functions run in Python."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import TypedDict

from holdfast.dsl.handle import Handle
from holdfast.dsl.lambdas import parameters
from holdfast.dsl.python_calls import annotated, declared
from holdfast.dsl.python_functions import PythonFunction
from holdfast.errors import ExpressionError, TopologyError
from holdfast.position import user_position
from holdfast.topology.infer import E
from holdfast.topology.tables import retracts
from holdfast.types import DataType
from holdfast.types.comparing import same_shape
from holdfast.types.value_classes import Classes, classes_of
from holdfast.workers.fold_spec import FoldSpec
from holdfast.workers.function_spec import FunctionSpec

Functions = Mapping[str, object]
"""The functions of an aggregate by the name of their argument; None where none was given."""


def in_python(method: str, functions: Functions) -> bool:
    """Whether the functions of an aggregate run in Python: all of them, or none."""
    given = {name: each for name, each in functions.items() if each is not None}
    ours = [name for name, each in given.items() if isinstance(each, PythonFunction)]
    others = [name for name in given if name not in ours]
    if ours and others:
        raise TopologyError(
            f"{method}: {ours[0]} runs in Python, {others[0]} does not; a state is either Spark's or Python's, so give "
            f"all as hf.python(f, returns=...)",
            at=user_position(),
        )
    return bool(ours)


class ReduceFields(TypedDict):
    """The fields of a node that reduces."""

    f: E
    subtract: E | None
    fold: FoldSpec


class FoldedFields(TypedDict):
    """What nodes with a state of their own have in common."""

    initial: E
    state: DataType
    fold: FoldSpec


class AggregateFields(FoldedFields):
    """The fields of a node that aggregates."""

    add: E
    merge: E | None
    subtract: E | None


class CogroupFields(FoldedFields):
    """The fields of a node that folds several groups."""

    adds: tuple[E, ...]
    merge: E | None


@dataclasses.dataclass(frozen=True)
class _State:
    """What the state of an aggregate begins with, its type and its class."""

    begin: object
    type: DataType
    classes: Classes

    def fold(self, adds: tuple[FunctionSpec, ...], calls: Mapping[str, FunctionSpec]) -> FoldSpec:
        """The functions over this state."""
        merge, subtract = calls.get("merge"), calls.get("subtract")
        return FoldSpec(adds, merge, subtract, begins=True, begin=self.begin, state=self.classes)

    @property
    def tree(self) -> E:
        """What it begins with, for the document."""
        return {"python": repr(self.begin), "returns": self.type.to_json()}


def reducing(group: Handle, functions: Functions) -> ReduceFields:
    """The fields of a node that reduces with functions in Python."""
    given, value = _given(functions), group.node.value_type
    if "subtract" in given and not retracts(group.node):
        raise _no_table("reduce")
    calls = {name: _call(group, each, f"the {name} function of reduce") for name, each in given.items()}
    if value.is_known:
        for call in calls.values():
            _check(f"reduce: {call.name}", call, value, "the values are")
    cls = _class(given["f"], 1) or _class_of_values(group)
    fold = FoldSpec((_with_class(calls["f"], cls),), subtract=calls.get("subtract"), state=classes_of(cls))
    return {"f": _tree(calls["f"]), "subtract": _tree_of("subtract", calls), "fold": fold}


def aggregating(group: Handle, initial: object, functions: Functions) -> AggregateFields:
    """The fields of a node that aggregates with functions in Python."""
    given = _given(functions)
    if "subtract" in given and not retracts(group.node):
        raise _no_table("aggregate")
    calls = {name: _call(group, each, f"the {name} function of aggregate") for name, each in given.items()}
    state = _state("aggregate", initial, given["add"], calls["add"], calls)
    return {
        "initial": state.tree,
        "state": state.type,
        "add": _tree(calls["add"]),
        "merge": _tree_of("merge", calls),
        "subtract": _tree_of("subtract", calls),
        "fold": state.fold((calls["add"],), calls),
    }


def cogrouping(groups: tuple[Handle, ...], initial: object, functions: Functions) -> CogroupFields:
    """The fields of a node that folds several groups with functions in Python."""
    given = _given(functions)
    merging = {name: _call(groups[0], each, "merge=") for name, each in given.items() if name == "merge"}
    adds = [each for name, each in given.items() if name != "merge"]
    calls = {
        f"group {number}": _call(group, add, f"the add function of group {number}")
        for number, (group, add) in enumerate(zip(groups, adds, strict=True), 1)
    }
    state = _state("cogroup", initial, adds[0], calls["group 1"], {**calls, **merging})
    return {
        "initial": state.tree,
        "state": state.type,
        "adds": tuple(map(_tree, calls.values())),
        "merge": _tree_of("merge", merging),
        "fold": state.fold(tuple(calls.values()), merging),
    }


def _state(
    method: str, initial: object, function: PythonFunction, add: FunctionSpec, calls: Mapping[str, FunctionSpec]
) -> _State:
    """The state's type, which the add function declares, what it begins with, and its class."""
    state = add.returns
    for name, call in calls.items():
        _check(f"{method}: {name}", call, state, "the state is")
    begin = initial() if callable(initial) else initial
    _check_initial(method, begin, state)
    cls = _class(function, 0) or (type(begin) if dataclasses.is_dataclass(begin) else None)
    return _State(begin, state, classes_of(cls))


def _given(functions: Functions) -> dict[str, PythonFunction]:
    return {name: each for name, each in functions.items() if isinstance(each, PythonFunction)}


def _call(group: Handle, function: PythonFunction, what: str) -> FunctionSpec:
    if function.kind != "plain":
        raise ExpressionError(
            f"{what}: each call needs the state that the last one made, so a plain function is wanted; "
            "ask a service before, with map_values(hf.python(f, returns=...))",
            at=function.at,
        )
    names = parameters(function.function, what)
    if len(names) not in (2, 3):
        raise ExpressionError(
            f"{what} has the parameters ({', '.join(names)}); it is called with (state, value) or (key, state, value)",
            at=function.at,
        )
    type_ = function.item(what)
    classes = _classes(group, function, names)
    takes = ("key", "state", "value")[3 - len(names) :]
    return FunctionSpec(function.function, function.name, function.at, takes, type_, type_, classes=classes)


def _tree(call: FunctionSpec) -> E:
    return {"python": call.title, "returns": call.returns.to_json(), "takes": list(call.takes)}


def _tree_of(name: str, calls: Mapping[str, FunctionSpec]) -> E | None:
    return _tree(calls[name]) if name in calls else None


def _classes(group: Handle, function: PythonFunction, names: tuple[str, ...]) -> tuple[tuple[str, Classes], ...]:
    found: dict[str, object] = dict(declared(group.graph.classes, group.node))
    hints = annotated(function.function)
    asked = {"value": names[-1], **({"key": names[0]} if len(names) == 3 else {})}
    for name, parameter in asked.items():
        if dataclasses.is_dataclass(hints.get(parameter)):
            found[name] = hints[parameter]
    return tuple((name, classes_of(found[name])) for name in sorted(found))


def _class(function: PythonFunction, place: int) -> object:
    """The class of states: as the function's result is declared, or as the function says what it takes."""
    if not isinstance(function.declared, (str, tuple)) and not hasattr(function.declared, "jsonValue"):
        return function.declared
    names = parameters(function.function, "")
    hint = annotated(function.function).get(names[len(names) - 2 + place])
    return hint if dataclasses.is_dataclass(hint) else None


def _class_of_values(group: Handle) -> type | None:
    return declared(group.graph.classes, group.node).get("value")


def _with_class(call: FunctionSpec, cls: object) -> FunctionSpec:
    """Values are what states are, so both have the same class."""
    if not dataclasses.is_dataclass(cls):
        return call
    classes = {**dict(call.classes), "value": classes_of(cls)}
    return dataclasses.replace(call, classes=tuple((name, classes[name]) for name in sorted(classes)))


def _check(what: str, call: FunctionSpec, wanted: DataType, are: str) -> None:
    if not same_shape(call.returns, wanted):
        raise TopologyError(
            f"{what} returns {call.returns.in_words()}, {are} {wanted.in_words()}; give the same: returns=...",
            at=call.at,
        )


def _check_initial(method: str, begin: object, state: DataType) -> None:
    from holdfast.workers.codec.column_encoder import WrongType, value_checker

    try:
        value_checker(state)(begin, "initial")
    except WrongType as error:
        raise TopologyError(
            f"{method}: {error}; the function's returns= is {state.in_words()}", at=user_position()
        ) from None


def _no_table(method: str) -> TopologyError:
    return TopologyError(
        f"{method}: subtract= is for groups of a table; the records of a stream stay", at=user_position()
    )
