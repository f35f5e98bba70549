"""What Python would do at once and cannot: each refusal names the lambda's line and both ways out."""

import json
import re
from dataclasses import dataclass

import pytest

import holdfast as hf
from holdfast import functions as F
from holdfast.errors import ExpressionError, HoldfastError, UnknownField


def helper(o):
    if o.vip:
        return 1
    return 2


@pytest.mark.parametrize(
    ("function", "what", "instead"),
    [
        (lambda o: o.vip and o.id > 1, "`and`, `or`, `not` and `if`", "`&`, `|`, `~`"),
        (lambda o: o.vip or o.id > 1, "`and`, `or`, `not` and `if`", "`&`, `|`, `~`"),
        (lambda o: not o.vip, "`and`, `or`, `not` and `if`", "`&`, `|`, `~`"),
        (lambda o: 1 if o.vip else 2, "`and`, `or`, `not` and `if`", "F.when(condition, a).otherwise(b)"),
        (lambda o: 1 < o.id < 5, "`and`, `or`, `not` and `if`", "`&`, `|`, `~`"),
        (helper, "`and`, `or`, `not` and `if`", "F.when"),
        (lambda o: "x" in o.tags, "`in`", "F.array_contains(array, x)"),
        (lambda o: o.country in ("de", "fr"), "`in`", "F.isin(x, a, b)"),
        (lambda o: len(o.tags), "`len`", "F.size(array)"),
        (lambda o: [t + "!" for t in o.tags], "`for` and unpacking", "F.transform(array, lambda x: ...)"),
        (lambda o: [*o.tags], "`for` and unpacking", "F.transform"),
        (lambda o: str(o.id), "`str` and f-strings", 'F.cast(x, "string")'),
        (lambda o: f"{o.id}", "f-strings and `format`", "F.concat(a, b)"),
        (lambda o: f"{o.id}", "f-strings and `format`", "F.format_string"),
        (lambda o: "%s" % o.id, "`str` and f-strings", "F.format_string"),  # noqa: UP031
        (lambda o: int(o.amount), "`int`", 'F.cast(x, "bigint")'),
        (lambda o: float(o.id), "`float`", 'F.cast(x, "double")'),
        (lambda o: [1, 2][o.id], "a position in a list", "F.element_at"),
        (lambda o: o.tags[1:2], "a slice", "F.slice"),
        (lambda o: o.id is None, "`is None`", "F.isnull(x)"),
        (lambda o: o.tags[0] is not None, "`is None`", "F.isnull(x)"),
        (lambda o: None is o.id, "`is None`", "F.isnull(x)"),
        (lambda o: 1 if o.id is None else 2, "`is None`", "F.isnull(x)"),
    ],
)
def test_refused_with_both_ways_out(orders, function, what, instead):
    with pytest.raises(ExpressionError) as error:
        orders.map_values(function)
    text = str(error.value)
    assert re.match(r"test_misuse.py:\d+: ", text)
    assert what in text
    assert instead in text
    assert "hf.python(f, returns=...)" in text


def test_the_line_is_that_of_the_lambda(orders):
    line = test_the_line_is_that_of_the_lambda.__code__.co_firstlineno
    with pytest.raises(ExpressionError, match=rf"^test_misuse.py:{line + 6}: "):
        orders.map_values(
            lambda o: dict(
                a=o.id,
                b=o.vip and o.id,
            )
        )


def test_is_none_on_something_else_is_fine(orders):
    setting = None
    made = orders.map_values(lambda o, default=None: o.id if setting is None and default is None else o.amount)
    assert made.schema.endswith("value: BIGINT")


def test_comparing_with_none_is_refused(orders):
    with pytest.raises(ExpressionError, match=r"comparing value.id with None is never true; write F.isnull\(x\)"):
        orders.filter(lambda o: o.id == None)  # noqa: E711


def test_a_column_method_is_told_to_be_a_function(orders):
    with pytest.raises(ExpressionError, match="value.id has no method 'cast': helpers are functions"):
        orders.map_values(lambda o: o.id.cast("string"))


@pytest.mark.parametrize(
    ("written", "instead"),
    [
        (lambda o: o.country.upper(), "'upper'; write F.upper\\(x\\), or run it in Python"),
        (lambda o: o.country.isdigit(), "'isdigit'; run it in Python: hf.python"),
        (lambda o: hf.timestamp().hour, "'hour'; write F.hour\\(x\\)"),
        (lambda o: o.country.first, "'first'$"),
    ],
)
def test_what_to_write_for_a_method_of_a_value(orders, written, instead):
    with pytest.raises(UnknownField, match=f"and has no field {instead}"):
        orders.map_values(written)


def test_a_negative_position_is_refused(orders):
    with pytest.raises(ExpressionError, match=r"F.element_at\(array, -1\)"):
        orders.map_values(lambda o: o.tags[-1])


def test_setting_and_calling_a_field_are_refused(orders):
    def change(o):
        o.id = 3

    with pytest.raises(ExpressionError, match=r"value cannot be changed; make a new record: dict\(record, id=...\)"):
        orders.map_values(change)
    with pytest.raises(ExpressionError, match="value.country is a field and cannot be called"):
        orders.map_values(lambda o: o.country())


def test_star_and_keyword_parameters_are_refused(orders):
    with pytest.raises(ExpressionError, match=r"has the parameter \*o; use plain ones"):
        orders.map_values(lambda *o: o)
    with pytest.raises(ExpressionError, match="has the parameter k; use plain ones"):
        orders.map_values(lambda o, *, k: o)


@dataclass
class Named:
    name: str


@pytest.mark.parametrize(
    "function",
    [
        lambda o: repr(o.id),
        lambda o: f"{o.id!r}",
        lambda o: f"{[o.id]}",
        lambda o: str(dict(a=o.id)),
        lambda o: ascii(o.id),
        lambda o: repr(repr(o.id)),
        lambda o: json.dumps([repr(o.id)]),
        lambda o: "%r" % o.id,  # noqa: UP031
        lambda o: repr(o.id).upper(),
        lambda o: repr(o.id)[1:-1],
        lambda o: dict(a=dict(b=[repr(o.id)])),
        lambda o: {repr(o.id): 1},
        lambda o: o.country + repr(o),
        lambda o: F.concat(F.lit(repr(o.id)), o.country),
        lambda o: F.when(o.vip, repr(o.id)).otherwise("x"),
        lambda o: F.expr(repr(o.id)),
        lambda o: Named(name=f"{Named(name=o.country)}"),
        lambda o: F.transform(o.tags, lambda tag: repr(tag)),
    ],
)
def test_the_description_of_a_field_is_no_constant(orders, function):
    with pytest.raises(
        ExpressionError, match=r"^test_misuse.py:\d+: .*is the description of a field and not its value"
    ):
        orders.map_values(function)


@pytest.mark.parametrize(
    "use",
    [
        lambda orders, text: orders.to("out", headers=lambda o: {text: o.country}),
        lambda orders, text: orders.print(text),
        lambda orders, text: orders.require(lambda o: o.vip, reason=text),
        lambda orders, text: orders.split(**{text: lambda o: o.vip}),
        lambda orders, text: orders.group_by_key().aggregate(text, lambda s, o: s),
        lambda orders, text: orders.group_by_key().agg({text: F.count("*")}),
        lambda orders, text: orders.group_by_key().top(1, by=lambda o: text),
        lambda orders, text: orders.filter(lambda o: o.country == text),
        lambda orders, text: orders.to(lambda o: text),
        lambda orders, text: orders.to_table(store=text),
        lambda orders, text: orders.to(text),
    ],
)
def test_it_is_no_name_either(orders, use):
    kept = []
    orders.map_values(lambda o: kept.append(o.id) or o.id)
    with pytest.raises(HoldfastError, match=r"^test_misuse.py:\d+: "):
        use(orders, repr(kept[0]))


@pytest.mark.parametrize(
    ("function", "came"),
    [
        (lambda o: o.vip | o.id, "bool and int"),
        (lambda o: o.country | "x", "string and string"),
        (lambda o: o.amount & o.amount, "float and float"),
        (lambda o: o.tags ^ o.tags, "array of string and array of string"),
        (lambda o: ~o.country, "string"),
        (lambda o: o & o, r"record\(.*\) and record"),
    ],
)
def test_logic_of_something_else_is_refused(orders, function, came):
    with pytest.raises(
        ExpressionError, match=rf"^test_misuse.py:\d+: . is for conditions or for whole numbers, {came}"
    ):
        orders.map_values(function)


def test_records_are_joined_as_dicts_are(orders):
    small = orders.map_values(lambda o: dict(id=o.id, country=o.country))
    right = small.map_values(lambda o: o | {"country": "x", "n": 1})
    left = small.map_values(lambda o: {"country": 1.5, "n": 1} | o)
    both = small.map_values(lambda o: o | dict(a=o.id) | o)
    assert right.schema.endswith("value: STRUCT<id: BIGINT, country: STRING, n: BIGINT>")
    assert left.schema.endswith("value: STRUCT<country: STRING, n: BIGINT, id: BIGINT>")
    assert both.schema.endswith("value: STRUCT<id: BIGINT, country: STRING, a: BIGINT>")
    with pytest.raises(ExpressionError, match=r"test_misuse.py:\d+: a record \| 3 is no record; give a dict"):
        small.map_values(lambda o: o | 3)
    with pytest.raises(ExpressionError, match=r"test_misuse.py:\d+: value.id is not a record and has no fields"):
        small.map_values(lambda o: o | o.id)


@pytest.mark.parametrize(
    ("use", "name"),
    [
        (lambda orders: orders.map_values(lambda o: F.sum(o.amount)), "sum"),
        (lambda orders: orders.map_values(lambda o: dict(n=1 + F.count("*"))), "count"),
        (lambda orders: orders.filter(F.max("id") > 3), "max"),
        (lambda orders: orders.select_key(lambda o: F.first(o.country)), "first"),
        (lambda orders: orders.group_by(lambda o: F.collect_list(o.id)), "collect_list"),
        (lambda orders: orders.flat_map_values(lambda o: F.collect_set(o.id)), "collect_set"),
        (lambda orders: orders.map(lambda k, o: (k, F.avg(o.amount))), "avg"),
        (lambda orders: orders.group_by_key().aggregate(0, lambda s, o: s + F.sum(o.id)), "sum"),
        (lambda orders: orders.group_by_key().reduce(lambda a, b: F.max_by(a, b.id)), "max_by"),
        (lambda orders: orders.to("out", headers=lambda o: dict(a=F.min(o.country))), "min"),
        (lambda orders: orders.to(lambda o: F.min(o.country)), "min"),
    ],
)
def test_an_aggregate_function_outside_of_agg_is_refused(orders, use, name):
    with pytest.raises(ExpressionError, match=rf"^test_misuse.py:\d+: F.{name} is an aggregate function"):
        use(orders)
