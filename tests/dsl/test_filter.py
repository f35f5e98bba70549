import pytest

from holdfast import functions as F
from holdfast.errors import ExpressionError, TopologyError, UnknownField
from tests.dsl.helpers import call, lit, node, slot, value


def test_a_lambda_becomes_a_predicate(orders):
    kept = orders.filter(lambda o: o.amount > 100)
    assert node(kept) == {
        "id": "filter-1",
        "op": "filter",
        "inputs": ["orders"],
        "predicate": call(">", value("amount"), lit(100)),
    }


def test_two_parameters_are_key_and_value(orders):
    kept = orders.filter(lambda k, o: (k == "x") & o.vip)
    assert node(kept)["predicate"] == call("and", call("=", slot("key"), lit("x")), value("vip"))


@pytest.mark.parametrize("given", ["vip", F.col("vip"), lambda o: o["vip"]])
def test_a_field_name_an_expression_and_a_lambda_are_the_same(orders, given):
    assert node(orders.filter(given))["predicate"] == value("vip")


def test_the_type_stays(orders):
    assert orders.filter("vip").schema == orders.schema


def test_a_predicate_that_is_not_bool_is_refused(orders):
    with pytest.raises(TopologyError, match=r"filter 'orders': predicate is float, bool was wanted"):
        orders.filter("amount")


def test_an_unknown_field_is_refused_at_once(orders):
    with pytest.raises(UnknownField, match=r"value has no field 'amuont'; did you mean 'amount'\?"):
        orders.filter(lambda o: o.amuont > 1)
    with pytest.raises(UnknownField, match=r"value has no field 'amuont'; did you mean 'amount'\?"):
        orders.filter("amuont")


def test_none_is_refused(orders):
    with pytest.raises(ExpressionError, match="give a lambda, a field name or an expression"):
        orders.filter(None)


def test_numbers_count_per_op_in_the_app(orders):
    first, second = orders.filter("vip"), orders.filter("vip")
    other = orders.filter_not("vip")
    assert [each.node.id for each in (first, second, other)] == ["filter-1", "filter-2", "filter_not-1"]
