"""The type of an expression, as far as it is known without Spark."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence

from holdfast.documents import Document
from holdfast.names import words
from holdfast.topology.widening import common_type
from holdfast.types import (
    BOOLEAN,
    DOUBLE,
    FRACTIONS,
    INTEGER,
    INTEGERS,
    LONG,
    STRING,
    TIMESTAMP,
    UNKNOWN,
    Array,
    DataType,
    Field,
    Map,
    Scalar,
    Struct,
    from_json,
)

E = Document
"""An expression as the plan carries it."""

Slots = Mapping[str, DataType]

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


def infer(tree: E, slots: Slots) -> DataType:
    """The type of `tree` where `slots` have these types, as far as it is known without Spark."""
    for form, rule in _RULES.items():
        if form in tree:
            return rule(tree, slots)
    return UNKNOWN


def _slot(tree: E, slots: Slots) -> DataType:
    type_ = slots.get(tree["slot"], UNKNOWN)
    for name in tree["path"]:
        type_ = _field(type_, name)
    return type_


def _field(type_: DataType, name: object) -> DataType:
    found = type_.get(name) if isinstance(type_, Struct) and isinstance(name, str) else None
    return UNKNOWN if found is None else found


def literal_type(value: object) -> DataType:
    """The type of a plain JSON value."""
    if isinstance(value, bool):
        return BOOLEAN
    if isinstance(value, int):
        return LONG
    if isinstance(value, float):
        return DOUBLE
    return STRING if isinstance(value, str) else UNKNOWN


def _literal(tree: E, slots: Slots) -> DataType:
    return from_json(tree["type"]) if "type" in tree else literal_type(tree["lit"])


def _case(tree: E, slots: Slots) -> DataType:
    results = [value for _, value in tree["case"]] + ([tree["else"]] if tree.get("else") else [])
    return _common([infer(each, slots) for each in results if each.get("lit", ...) is not None])


def _common(types: Sequence[DataType]) -> DataType:
    return types[0] if types and all(each == types[0] for each in types) else UNKNOWN


def _array(tree: E, slots: Slots) -> DataType:
    return Array(_common([infer(each, slots) for each in tree["array"]]))


def _get(tree: E, slots: Slots) -> DataType:
    type_ = infer(tree["get"], slots)
    if isinstance(type_, Array):
        return type_.element
    if isinstance(type_, Map):
        return type_.value
    return _field(type_, tree["key"].get("lit"))


def _call(tree: E, slots: Slots) -> DataType:
    name = tree["call"]
    if name in _BOOLEAN:
        return BOOLEAN
    if name in _STRING:
        return STRING
    if name in _LONG:
        return LONG
    if name in _INTEGER:
        return INTEGER
    if name in _DOUBLE:
        return DOUBLE
    return _from_arguments(name, [infer(each, slots) for each in tree["args"]])


def _from_arguments(name: str, types: list[DataType]) -> DataType:
    if name in _ARITHMETIC:
        return _arithmetic(types[0], types[1])
    if name in _SAME and types:
        return _common(types)
    if name in _WIDEST and types:
        return functools.reduce(common_type, types)
    if name in _FIRST:
        return types[0]
    if name in _BY:
        return types[0] if len(types) == 2 else UNKNOWN
    return _SPECIAL[name](types) if name in _SPECIAL and types else UNKNOWN


def _arithmetic(left: DataType, right: DataType) -> DataType:
    if isinstance(left, Scalar) and isinstance(right, Scalar):
        if left.is_integer and right.is_integer:
            return max(left, right, key=INTEGERS.index)
        if DOUBLE in (left, right) and {left, right} <= {*INTEGERS, *FRACTIONS}:
            return DOUBLE
    return UNKNOWN


def _sum(types: list[DataType]) -> DataType:
    if types[0] in INTEGERS:
        return LONG
    return DOUBLE if types[0] in FRACTIONS else UNKNOWN


def _ratio(types: list[DataType]) -> DataType:
    return DOUBLE if all(each in (*INTEGERS, *FRACTIONS) for each in types) else UNKNOWN


def _floor_div(types: list[DataType]) -> DataType:
    whole = all(each in INTEGERS for each in types)
    return LONG if whole else _ratio(types)


def _whole(types: list[DataType]) -> DataType:
    return LONG if types[0] in (*INTEGERS, *FRACTIONS) and len(types) == 1 else UNKNOWN


def _collected(types: list[DataType]) -> DataType:
    return Array(types[0])


_SPECIAL: Mapping[str, Callable[[list[DataType]], DataType]] = {
    "sum": _sum,
    "avg": _ratio,
    "mean": _ratio,
    "/": _ratio,
    "floor_div": _floor_div,
    "floor_mod": lambda types: _arithmetic(types[0], types[1]),
    "concat": _common,
    "split": lambda types: Array(STRING),
    "collect_list": _collected,
    "collect_set": _collected,
    "floor": _whole,
    "ceil": _whole,
}

_META = {"timestamp": TIMESTAMP, "topic": STRING, "partition": INTEGER, "offset": LONG, "headers": UNKNOWN}

_RULES: Mapping[str, Callable[[E, Slots], DataType]] = {
    "slot": _slot,
    "lit": _literal,
    "cast": lambda tree, slots: from_json(tree["to"]),
    "case": _case,
    "struct": lambda tree, slots: Struct(Field(name, infer(each, slots)) for name, each in tree["struct"]),
    "array": _array,
    "get": _get,
    "call": _call,
    "meta": lambda tree, slots: _META[tree["meta"]],
    "python": lambda tree, slots: from_json(tree["returns"]),
}
