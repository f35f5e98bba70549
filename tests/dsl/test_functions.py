"""Functions of `holdfast.functions`: what a string means, defaults, lambdas, and what is refused."""

import inspect
from dataclasses import dataclass

import pytest

from holdfast import functions as F
from holdfast.errors import ExpressionError, UnknownField
from tests.dsl.helpers import call, lit, node, record, value


def made(orders, function):
    return node(orders.map_values(function))["value"]


def small(number):
    return lit(number, "integer")


@dataclass
class Point:
    x: int


@pytest.mark.parametrize(
    ("function", "tree"),
    [
        (lambda o: F.upper("country"), call("upper", value("country"))),
        (lambda o: F.upper(o.country), call("upper", value("country"))),
        (lambda o: F.concat_ws("-", "country", "id"), call("concat_ws", lit("-"), value("country"), value("id"))),
        (lambda o: F.substring(o.country, 1, 2), call("substring", value("country"), small(1), small(2))),
        (lambda o: F.round("amount", scale=1), call("round", value("amount"), small(1))),
        (lambda o: F.round("amount"), call("round", value("amount"))),
        (lambda o: F.coalesce(o.id, 0), call("coalesce", value("id"), lit(0))),
        (lambda o: F.coalesce([o.id, o.customer]), call("coalesce", value("id"), value("customer"))),
        (lambda o: F.array_contains(o.tags, "x"), call("array_contains", value("tags"), lit("x"))),
        (lambda o: F.to_timestamp("country"), call("to_timestamp", value("country"))),
        (lambda o: F.to_timestamp("country", "yyyy"), call("to_timestamp", value("country"), lit("yyyy"))),
        (lambda o: F.from_unixtime("id"), call("from_unixtime", value("id"), lit("yyyy-MM-dd HH:mm:ss"))),
        (lambda o: F.date_trunc("day", F.col("id")), call("date_trunc", lit("day"), value("id"))),
        (lambda o: F.str_to_map("country"), call("str_to_map", value("country"), lit(","), lit(":"))),
        (
            lambda o: F.make_dt_interval(hours="id"),
            call("make_dt_interval", small(0), value("id"), small(0), {"cast": lit("0"), "to": "decimal(1,0)"}),
        ),
        (
            lambda o: F.convert_timezone(None, F.lit("UTC"), "id"),
            call("convert_timezone", lit("UTC"), value("id")),
        ),
        (
            lambda o: F.make_timestamp(timezone=F.lit("UTC"), date="id", time="customer"),
            call("make_timestamp", value("id"), value("customer"), lit("UTC")),
        ),
        (lambda o: F.create_map(F.lit("a"), "id"), call("map", lit("a"), value("id"))),
        (lambda o: F.array("id", 3), {"array": [value("id"), lit(3)]}),
        (lambda o: F.struct("id", o.country), record(id=value("id"), country=value("country"))),
        (lambda o: F.struct(o.id + 1), record(col1=call("+", value("id"), lit(1)))),
        (lambda o: F.bitwise_not("id"), call("~", value("id"))),
        (lambda o: F.log("amount"), call("ln", value("amount"))),
        (lambda o: F.log(2.0, "amount"), call("log", lit(2.0), value("amount"))),
        (lambda o: F.isin(o.country, "de", "fr"), call("in", value("country"), lit("de"), lit("fr"))),
        (
            lambda o: F.between(o.id, 1, 5),
            call("and", call(">=", value("id"), lit(1)), call("<=", value("id"), lit(5))),
        ),
        (lambda o: F.cast(o.id, "string"), {"cast": value("id"), "to": "string"}),
        (lambda o: F.cast(o.id, int), value("id")),
        (lambda o: F.expr("value.id + 1"), {"sql": "value.id + 1"}),
        (lambda o: F.call_function("upper", o.country), call("upper", value("country"))),
        (
            lambda o: F.from_json("country", Point),
            call("from_json", value("country"), lit("STRUCT<x: BIGINT NOT NULL>")),
        ),
        (
            lambda o: F.to_json("tags", {"pretty": True}),
            call("to_json", value("tags"), call("map", lit("pretty"), lit("true"))),
        ),
        (
            lambda o: F.when(o.vip, 1).when(o.id > 5, 2).otherwise(3),
            {"case": [[value("vip"), lit(1)], [call(">", value("id"), lit(5)), lit(2)]], "else": lit(3)},
        ),
        (lambda o: F.when("vip", "text"), {"case": [[value("vip"), lit("text")]], "else": None}),
        (
            lambda o: F.exists(o.tags, lambda t: t == "x"),
            call("exists", value("tags"), {"lambda": ["t_1"], "body": call("=", {"var": "t_1"}, lit("x"))}),
        ),
        (
            lambda o: F.aggregate("tags", F.lit(0), lambda n, t: n + F.length(t), lambda n: -n),
            call(
                "aggregate",
                value("tags"),
                lit(0),
                {"lambda": ["n_1", "t_1"], "body": call("+", {"var": "n_1"}, call("length", {"var": "t_1"}))},
                {"lambda": ["n_1"], "body": call("negative", {"var": "n_1"})},
            ),
        ),
    ],
)
def test_calls(orders, function, tree):
    assert made(orders, function) == tree


def test_variables_of_lambdas_know_their_fields(app):
    stream = app.stream("a", "items ARRAY<STRUCT<price: DOUBLE>>")
    assert stream.map_values(lambda v: dict(p=F.filter(v.items, lambda i: i.price > 1))).node.value_type.is_known
    with pytest.raises(UnknownField, match=r"has no field 'prise'; did you mean 'price'\?"):
        stream.map_values(lambda v: F.transform(v.items, lambda i: i.prise))


def test_a_text_that_is_no_field_says_how_to_write_a_text(app):
    stream = app.stream("a", "name STRING, city STRING")
    with pytest.raises(UnknownField, match=r"has no field 'nowhere'; there is name, city; .* write F.lit\('nowhere'\)"):
        stream.map_values(lambda v: F.coalesce(v.city, "nowhere"))
    with pytest.raises(UnknownField, match=r"has no field 'citty'; did you mean 'city'\?$"):
        stream.map_values(lambda v: F.coalesce("citty", "name"))


def test_wrong_lambdas_are_refused(orders):
    with pytest.raises(ExpressionError, match="the lambda of F.exists has 2 parameters; it is called with one"):
        orders.filter(lambda o: F.exists(o.tags, lambda a, b: a))
    with pytest.raises(ExpressionError, match="F.transform wants a lambda, 3 came"):
        orders.filter(lambda o: F.transform(o.tags, 3))
    with pytest.raises(ExpressionError, match="`is None` cannot be used"):
        orders.filter(lambda o: F.exists(o.tags, lambda t: t is None))


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda: F.uper("a"), r"holdfast.functions has no 'uper'; did you mean 'upper'\?"),
        (lambda: F.rand(), r"F.rand cannot be used: it is not deterministic.*hf.timestamp\(\)"),
        (lambda: F.uuid(), "not deterministic"),
        (lambda: F.current_timestamp(), r"hf.timestamp\(\)"),
        (lambda: F.now(), r"hf.timestamp\(\)"),
        (lambda: F.unix_timestamp(), r"F.unix_timestamp\(hf.timestamp\(\)\)"),
        (lambda: F.aes_encrypt("a", "b"), "without iv= is not deterministic"),
        (lambda: F.countDistinct("a"), "DISTINCT"),
        (lambda: F.sum_distinct("a"), "DISTINCT"),
        (lambda: F.row_number(), "windowed_by"),
        (lambda: F.window("a", "1 minute"), "windowed_by"),
        (lambda: F.explode("a"), "flat_map_values"),
        (lambda: F.udf(lambda x: x), r"hf.python\(f, returns=...\)"),
        (lambda: F.pandas_udf(lambda x: x), r"hf.python\(f, returns=...\)"),
        (lambda: F.desc("a"), r"top\(n, by=...\)"),
        (lambda: F.call_function("uuid"), "not deterministic"),
        (lambda: F.upper(), r"F.upper\(col\): missing a required argument: 'col'"),
        (lambda: F.upper("a", nothing=1), "unexpected keyword argument 'nothing'"),
        (lambda: F.col("*"), "F.col wants the name of one field"),
        (lambda: F.when(True, 1), "the condition is True and not an expression"),
        (lambda: F.expr(""), "F.expr wants SQL text"),
    ],
)
def test_refused(function, message):
    with pytest.raises(ExpressionError, match=message):
        function()


def test_functions_show_their_parameters():
    assert str(inspect.signature(F.concat_ws)) == "(sep, *cols)"
    assert F.max.__doc__ == "Spark's `max`, an aggregate function."
    assert {"upper", "col", "when", "count"} <= set(dir(F))
    assert "rand" not in dir(F)
