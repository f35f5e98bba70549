"""Operators on fields, and constants of every kind."""

import enum
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal

import pytest

from holdfast import functions as F
from holdfast.errors import ExpressionError, UnknownField
from tests.dsl.helpers import call, differs, lit, node, slot, value

ID, AMOUNT, COUNTRY, VIP = value("id"), value("amount"), value("country"), value("vip")


@pytest.mark.parametrize(
    ("function", "tree"),
    [
        (lambda o: o.id + 1, call("+", ID, lit(1))),
        (lambda o: 1 + o.id, call("+", lit(1), ID)),
        (lambda o: o.id - 1, call("-", ID, lit(1))),
        (lambda o: 1 - o.id, call("-", lit(1), ID)),
        (lambda o: o.id * o.amount, call("*", ID, AMOUNT)),
        (lambda o: 2 * o.id, call("*", lit(2), ID)),
        (lambda o: o.id / 2, call("/", ID, lit(2))),
        (lambda o: 2 / o.id, call("/", lit(2), ID)),
        (lambda o: o.id // 2, call("floor_div", ID, lit(2))),
        (lambda o: 9 // o.id, call("floor_div", lit(9), ID)),
        (lambda o: o.id % 2, call("floor_mod", ID, lit(2))),
        (lambda o: 9 % o.id, call("floor_mod", lit(9), ID)),
        (lambda o: divmod(o.id, 2)[1], call("floor_mod", ID, lit(2))),
        (lambda o: divmod(9, o.id)[0], call("floor_div", lit(9), ID)),
        (lambda o: o.id**2, call("pow", ID, lit(2))),
        (lambda o: 2**o.id, call("pow", lit(2), ID)),
        (lambda o: -o.id, call("negative", ID)),
        (lambda o: +o.id, ID),
        (lambda o: abs(o.id), call("abs", ID)),
        (lambda o: round(o.amount, 2), call("round", AMOUNT, lit(2, "integer"))),
        (lambda o: o.id == 1, call("=", ID, lit(1))),
        (lambda o: o.id != 1, differs(ID, lit(1))),
        (lambda o: o.id < 1, call("<", ID, lit(1))),
        (lambda o: o.id <= 1, call("<=", ID, lit(1))),
        (lambda o: o.id > 1, call(">", ID, lit(1))),
        (lambda o: o.id >= 1, call(">=", ID, lit(1))),
        (lambda o: o.vip & (o.id > 1), call("and", VIP, call(">", ID, lit(1)))),
        (lambda o: True | o.vip, call("or", lit(True), VIP)),
        (lambda o: o.vip ^ o.vip, differs(VIP, VIP)),
        (lambda o: ~o.vip, call("not", VIP)),
        (lambda o: o.id & 7, call("&", ID, lit(7))),
        (lambda o: 7 | o.id, call("|", lit(7), ID)),
        (lambda o: o.id ^ 7, call("^", ID, lit(7))),
        (lambda o: ~o.id, call("~", ID)),
        (lambda o: o.country + "!", call("concat", COUNTRY, lit("!"))),
        (lambda o: "to " + o.country, call("concat", lit("to "), COUNTRY)),
        (lambda o: o.tags[0], {"get": value("tags"), "key": lit(0)}),
        (lambda o: o.tags[o.id], {"get": value("tags"), "key": ID}),
    ],
)
def test_operators(orders, function, tree):
    assert node(orders.map_values(function))["value"] == tree


class Color(enum.Enum):
    RED = "red"


@pytest.mark.parametrize(
    ("constant", "tree"),
    [
        (None, lit(None)),
        (True, lit(True)),
        (3, lit(3)),
        (0.5, lit(0.5)),
        (float("nan"), lit("NaN", "double")),
        (float("-inf"), lit("-Infinity", "double")),
        ("text", lit("text")),
        (b"\x00\x01", lit("AAE=", "binary")),
        (Color.RED, lit("red")),
        (date(2026, 1, 2), lit("2026-01-02", "date")),
        (datetime(2026, 1, 2, 3, tzinfo=UTC), lit("2026-01-02T03:00:00Z", "timestamp")),
        (datetime(2026, 1, 2, 3, tzinfo=timezone(timedelta(hours=1))), lit("2026-01-02T02:00:00Z", "timestamp")),
        (Decimal("12.50"), {"cast": lit("12.50"), "to": "decimal(4,2)"}),
        (Decimal("0.001"), {"cast": lit("0.001"), "to": "decimal(3,3)"}),
        (Decimal("1E+3"), {"cast": lit("1E+3"), "to": "decimal(4,0)"}),
        ([1, 2], {"array": [lit(1), lit(2)]}),
        ((1, "a"), {"struct": [["_1", lit(1)], ["_2", lit("a")]]}),
        ({"a": {"b": 1}}, {"struct": [["a", {"struct": [["b", lit(1)]]}]]}),
    ],
)
def test_constants(orders, constant, tree):
    assert node(orders.map_values(lambda o: constant))["value"] == tree


@pytest.mark.parametrize(
    ("constant", "message"),
    [
        (2**63, "does not fit 64 bits"),
        (datetime(2026, 1, 1), "has no time zone"),
        ({}, "an empty record has no type"),
        ({1: 2}, "a record's fields have names, not 1"),
        (timedelta(1), r"\(timedelta\) cannot be part of an expression"),
        (Decimal("NaN"), "is not a number that Spark's decimal has"),
    ],
)
def test_constants_that_are_refused(orders, constant, message):
    with pytest.raises(ExpressionError, match=message):
        orders.map_values(lambda o: constant)


def test_what_can_be_read_has_names_of_its_own(orders):
    assert node(orders.map_values("value.id"))["value"] == ID
    assert node(orders.map_values("key"))["value"] == slot("key")


def test_nested_records_are_checked_all_the_way(app):
    stream = app.stream("a", "user STRUCT<name: STRING, home: STRUCT<city: STRING>>")
    assert node(stream.map_values(lambda v: v.user.home.city))["value"] == value("user", "home", "city")
    assert node(stream.map_values("user.home.city"))["value"] == value("user", "home", "city")
    with pytest.raises(UnknownField, match=r"value.user.home has no field 'town'; there is city"):
        stream.map_values(lambda v: v.user.home.town)
    with pytest.raises(UnknownField, match=r"value.user has no field 'nam'; did you mean 'name'\?"):
        stream.map_values("user.nam")
    with pytest.raises(ExpressionError, match="value.user.name is string and has no field 'first'"):
        stream.map_values("user.name.first")


def test_maps_by_key(app):
    stream = app.stream("a", "m MAP<STRING, INT>")
    assert node(stream.map_values(lambda v: v.m["x"]))["value"] == {"get": value("m"), "key": lit("x")}
    assert stream.map_values(lambda v: v.m["x"]).schema.endswith("value: INT")


def test_a_field_called_keys_is_an_item(app):
    stream = app.stream("a", "keys INT")
    assert node(stream.map_values(lambda v: v["keys"]))["value"] == value("keys")


def test_unknown_fields_may_be_probed(orders):
    assert node(orders.map_values(lambda o: hasattr(o, "nothing")))["value"] == lit(False)


def test_a_value_of_another_lambda_is_refused(orders, countries):
    kept = []
    orders.map_values(lambda o: kept.append(o) or o.id)
    with pytest.raises(ExpressionError, match="'value' of another lambda is used here"):
        orders.join(countries, lambda o, c: kept[0].id, on="country")


def test_a_nested_lambda_cannot_capture(orders):
    def tagged(array, suffix):
        return F.transform(array, lambda x: F.concat(x, suffix))

    made = node(orders.map_values(lambda o: F.transform(o.tags, lambda x: tagged(o.tags, x))))["value"]
    inner = made["args"][1]["body"]["args"][1]
    assert inner == {"lambda": ["x_2"], "body": call("concat", {"var": "x_2"}, {"var": "x_1"})}
