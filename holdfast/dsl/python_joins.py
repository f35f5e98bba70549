"""Python functions as joiners and as mappers of tables: a join of both sides, then a call of the function."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping

from holdfast.dsl.handle import Handle
from holdfast.dsl.lambdas import parameters
from holdfast.dsl.python_calls import CallFields, annotated, declared
from holdfast.dsl.python_functions import PythonFunction
from holdfast.errors import ExpressionError
from holdfast.topology.graph import StoreOptions
from holdfast.topology.infer import E
from holdfast.topology.nodes import Node
from holdfast.topology.python_tables import PythonFilter, PythonTable, emits_every_update
from holdfast.types import BOOLEAN
from holdfast.types.value_classes import Classes, classes_of
from holdfast.workers.argument_adapters import JoinerAdapter, PredicateAdapter, ValueAdapter
from holdfast.workers.fold_spec import FoldSpec
from holdfast.workers.function_spec import FunctionSpec

_SIDES = ("key", "left", "right")
_RECORD = ("key", "value")


def sides(left: object, right: object) -> dict[str, object]:
    """Both sides, for a function that makes something of them."""
    return {"left": left, "right": right}


def joiner_fields(joiner: PythonFunction, left: Handle, right: Handle) -> CallFields:
    """The fields of the node that calls a joiner in Python with both sides."""
    takes = _takes(joiner, "the joiner", _SIDES)
    if joiner.kind == "arrow":
        raise ExpressionError(
            "the joiner: a function of hf.arrow gets a batch, not two sides; use hf.python",
            at=joiner.at,
        )
    classes = {"value": _classes_of_sides(joiner, takes, left, right), "key": _classes(joiner, takes, left).get("key")}
    returns = joiner.item("the joiner")
    call = FunctionSpec(
        JoinerAdapter(joiner.function),
        joiner.name,
        joiner.at,
        _RECORD[3 - len(takes) :],
        returns,
        returns,
        kind=joiner.kind,
        classes=(*_known(classes), ("result", classes_of(joiner.declared))),
        async_options=joiner.async_options,
    )
    return {"call": call, "name": call.title, "returns": returns}


def joined_table(both: Handle, joiner: PythonFunction, left: Handle, right: Handle, store: StoreOptions | None) -> Node:
    """The table of what a joiner in Python makes of both sides."""
    takes = _takes(joiner, "the joiner", _SIDES)
    classes = {"value": _classes_of_sides(joiner, takes, left, right), "key": _classes(joiner, takes, left).get("key")}
    call = _call(joiner, "the joiner", len(takes) == 3, ValueAdapter(JoinerAdapter(joiner.function)), classes)
    return _table(both, joiner, call, store)


def mapped_table(table: Handle, function: PythonFunction, store: StoreOptions | None) -> Node:
    """The table of what a function in Python makes of each value."""
    what = "the function of map_values"
    takes = _takes(function, what, _RECORD)
    classes = _classes(function, takes, table)
    return _table(
        table, function, _call(function, what, len(takes) == 2, ValueAdapter(function.function), classes), store
    )


def filtered_table(table: Handle, predicate: PythonFunction, store: StoreOptions | None, *, wanted: bool) -> Node:
    """The entries of a table for which a function in Python gives true, or those for which it does not."""
    what = "the predicate of filter"
    takes = _takes(predicate, what, _RECORD)
    classes = _classes(predicate, takes, table)
    call = _call(predicate, what, len(takes) == 2, PredicateAdapter(predicate.function, wanted), classes)
    if call.returns != BOOLEAN:
        raise ExpressionError(f"{what} returns {predicate.declared!r}; give returns=bool", at=predicate.at)
    fold = FoldSpec((call,), begins=True, state=classes.get("value") or Classes())
    return table._add(PythonFilter, store=_options(table, store), predicate=_tree(call), fold=fold)


def _table(table: Handle, function: PythonFunction, call: FunctionSpec, store: StoreOptions | None) -> Node:
    fold = FoldSpec((call,), begins=True, state=classes_of(function.declared))
    node = table._add(PythonTable, store=_options(table, store), value=_tree(call), fold=fold)
    if dataclasses.is_dataclass(function.declared) and isinstance(function.declared, type):
        table.graph.classes[node.id] = {**declared(table.graph.classes, table.node), "value": function.declared}
    return node


def _options(table: Handle, store: StoreOptions | None) -> StoreOptions:
    """Without a name it emits what one without a store would emit: every update, if the table under it does."""
    return store or StoreOptions(emit="every" if emits_every_update(table.node) else "latest")


def _call(
    function: PythonFunction,
    what: str,
    keyed: bool,
    called: Callable[..., object],
    classes: Mapping[str, Classes | None],
) -> FunctionSpec:
    if function.kind != "plain":
        raise ExpressionError(
            f"{what}: a table is worked out by a plain function; use to_stream(), map_values(...) and to_table()",
            at=function.at,
        )
    type_ = function.item(what)
    takes = ("key", "state", "value") if keyed else ("state", "value")
    return FunctionSpec(called, function.name, function.at, takes, type_, type_, classes=_known(classes))


def _tree(call: FunctionSpec) -> E:
    return {"python": call.title, "returns": call.returns.to_json(), "takes": list(call.takes)}


def _takes(function: PythonFunction, what: str, forms: tuple[str, ...]) -> tuple[str, ...]:
    names = parameters(function.function, what)
    if len(names) not in (len(forms) - 1, len(forms)):
        raise ExpressionError(
            f"{what} has the parameters ({', '.join(names)}); it is called with ({', '.join(forms[1:])}) or "
            f"({', '.join(forms)})",
            at=function.at,
        )
    return names


def _classes(function: PythonFunction, names: tuple[str, ...], table: Handle) -> dict[str, Classes]:
    """The classes of key and value: as the function says, or as the topic was declared."""
    found: dict[str, object] = dict(declared(table.graph.classes, table.node))
    hints = annotated(function.function)
    for name, parameter in zip(reversed(_RECORD), reversed(names), strict=False):
        if dataclasses.is_dataclass(hints.get(parameter)):
            found[name] = hints[parameter]
    return {name: classes_of(each) for name, each in found.items()}


def _classes_of_sides(joiner: PythonFunction, names: tuple[str, ...], left: Handle, right: Handle) -> Classes:
    hints = annotated(joiner.function)
    parts = {}
    for side, table, parameter in (("left", left, names[-2]), ("right", right, names[-1])):
        hint = hints.get(parameter)
        known = declared(table.graph.classes, table.node).get("value")
        parts[side] = classes_of(hint) if classes_of(hint).cls else classes_of(known)
    return Classes(parts=parts)


def _known(classes: Mapping[str, Classes | None]) -> tuple[tuple[str, Classes], ...]:
    return tuple((name, each) for name, each in sorted(classes.items()) if each is not None)
