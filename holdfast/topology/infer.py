"""The type of an expression, as far as it is known without Spark."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from holdfast.names import words
from holdfast.topics.types import T
from holdfast.topology import shapes
from holdfast.topology.widening import common

E = dict[str, Any]
Slots = Mapping[str, T]

_BOOLEAN = words(
    "= != < <= > >= <=> and or not isnull isnotnull isnan rlike like ilike contains startswith endswith "
    "array_contains exists forall in between bool_and bool_or every some any"
)
_STRING = words(
    "upper lower ucase lcase trim ltrim rtrim btrim replace regexp_replace regexp_extract "
    "concat_ws format_string date_format initcap hex md5 sha1 sha2 base64 to_json"
)
_LONG = words("count count_if approx_count_distinct unix_millis unix_seconds unix_micros")
_INTEGER = words("length char_length size year month day dayofmonth hour minute second")
_DOUBLE = words("stddev stddev_samp stddev_pop variance var_samp var_pop sqrt exp ln pow power")
_SAME = words("min max abs negative ~ nullif")
_WIDEST = words("coalesce & | ^ greatest least nvl ifnull")
_FIRST = words("first last any_value first_value last_value substring substr lpad rpad array_sort array_distinct")
_BY = words("max_by min_by")
_ARITHMETIC = words("+ - * %")


def infer(tree: E, slots: Slots) -> T:
    """The type of `tree` where `slots` have these types; None if only Spark can tell."""
    for form, rule in _RULES.items():
        if form in tree:
            return rule(tree, slots)
    return None


def _slot(tree: E, slots: Slots) -> T:
    type_ = slots.get(tree["slot"])
    for name in tree["path"]:
        if not shapes.is_record(type_) or name not in shapes.field_names(type_):
            return None
        type_ = shapes.field_type(type_, name)
    return type_


def literal_type(value: Any) -> T:
    """The type of a plain JSON value."""
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int):
        return "long"
    if isinstance(value, float):
        return "double"
    return "string" if isinstance(value, str) else None


def _literal(tree: E, slots: Slots) -> T:
    return tree["type"] if "type" in tree else literal_type(tree["lit"])


def _case(tree: E, slots: Slots) -> T:
    results = [value for _, value in tree["case"]] + ([tree["else"]] if tree.get("else") else [])
    return _common([infer(each, slots) for each in results if each.get("lit", ...) is not None])


def _common(types: Sequence[T]) -> T:
    return types[0] if types and all(each == types[0] for each in types) else None


def _array(tree: E, slots: Slots) -> T:
    return shapes.array_of(_common([infer(each, slots) for each in tree["array"]]))


def _get(tree: E, slots: Slots) -> T:
    type_ = infer(tree["get"], slots)
    kind = shapes.kind_of(type_)
    if kind == "array":
        return type_["elementType"]
    if kind == "map":
        return type_["valueType"]
    name = tree["key"].get("lit")
    return shapes.field_type(type_, name) if kind == "struct" and name in shapes.field_names(type_) else None


def _call(tree: E, slots: Slots) -> T:
    name = tree["call"]
    if name in _BOOLEAN:
        return "boolean"
    if name in _STRING:
        return "string"
    if name in _LONG:
        return "long"
    if name in _INTEGER:
        return "integer"
    if name in _DOUBLE:
        return "double"
    return _from_arguments(name, [infer(each, slots) for each in tree["args"]])


def _from_arguments(name: str, types: list[T]) -> T:
    if name in _ARITHMETIC:
        return _arithmetic(types[0], types[1])
    if name in _SAME and types:
        return _common(types)
    if name in _WIDEST and types:
        return functools.reduce(common, types)
    if name in _FIRST:
        return types[0]
    if name in _BY:
        return types[0] if len(types) == 2 else None
    return _SPECIAL[name](types) if name in _SPECIAL and types else None


def _arithmetic(left: T, right: T) -> T:
    if left in shapes.INTEGERS and right in shapes.INTEGERS:
        return max(left, right, key=shapes.INTEGERS.index)
    if "double" in (left, right) and {left, right} <= {*shapes.INTEGERS, *shapes.FRACTIONS}:
        return "double"
    return None


def _sum(types: list[T]) -> T:
    if types[0] in shapes.INTEGERS:
        return "long"
    return "double" if types[0] in shapes.FRACTIONS else None


def _ratio(types: list[T]) -> T:
    return "double" if all(each in (*shapes.INTEGERS, *shapes.FRACTIONS) for each in types) else None


def _floor_div(types: list[T]) -> T:
    whole = all(each in shapes.INTEGERS for each in types)
    return "long" if whole else _ratio(types)


def _collected(types: list[T]) -> T:
    return shapes.array_of(types[0])


_SPECIAL: Mapping[str, Callable[[list[T]], T]] = {
    "sum": _sum,
    "avg": _ratio,
    "mean": _ratio,
    "/": _ratio,
    "floor_div": _floor_div,
    "floor_mod": lambda types: _arithmetic(types[0], types[1]),
    "concat": _common,
    "split": lambda types: shapes.array_of("string"),
    "collect_list": _collected,
    "collect_set": _collected,
    "floor": lambda types: "long" if types[0] in (*shapes.INTEGERS, *shapes.FRACTIONS) and len(types) == 1 else None,
    "ceil": lambda types: "long" if types[0] in (*shapes.INTEGERS, *shapes.FRACTIONS) and len(types) == 1 else None,
}

_META = {"timestamp": "timestamp", "topic": "string", "partition": "integer", "offset": "long", "headers": None}

_RULES: Mapping[str, Callable[[E, Slots], T]] = {
    "slot": _slot,
    "lit": _literal,
    "cast": lambda tree, slots: tree["to"],
    "case": _case,
    "struct": lambda tree, slots: shapes.record_of([(name, infer(each, slots)) for name, each in tree["struct"]]),
    "array": _array,
    "get": _get,
    "call": _call,
    "meta": lambda tree, slots: _META[tree["meta"]],
    "python": lambda tree, slots: tree["returns"],
}
