import pytest

from holdfast import functions as F
from holdfast.errors import ExpressionError, TopologyError, UnknownField
from tests.dsl.helpers import call, node, value


def test_fields_in_order(orders):
    stats = orders.group_by_key().agg(low=F.min("amount"), n=F.count("*"), span=F.max("amount") - F.min("amount"))
    assert node(stats)["fields"] == [
        ["low", call("min", value("amount"))],
        ["n", call("count", {"star": True})],
        ["span", call("-", call("max", value("amount")), call("min", value("amount")))],
    ]
    assert stats.schema == "key: STRING\nvalue: STRUCT<low: DOUBLE, n: BIGINT, span: DOUBLE>"


def test_a_mapping_allows_any_name_and_a_lambda_any_field(orders):
    stats = orders.group_by_key().agg({"store": lambda o: F.max_by(o.id, o.amount)}, store="stats")
    assert node(stats)["fields"] == [["store", call("max_by", value("id"), value("amount"))]]
    assert node(stats)["id"] == "agg:stats"


def test_first_and_last_can_ignore_nulls(orders):
    stats = orders.group_by_key().agg(a=F.first("id", ignorenulls=True), b=F.last("id"))
    assert node(stats)["fields"] == [
        ["a", {**call("first", value("id")), "ignore_nulls": True}],
        ["b", call("last", value("id"))],
    ]


def test_a_field_without_aggregate_is_refused(orders):
    with pytest.raises(ExpressionError, match="agg field 'low' has no aggregate function"):
        orders.group_by_key().agg(low="amount")


def test_nothing_is_refused(orders):
    with pytest.raises(TopologyError, match="nothing to compute"):
        orders.group_by_key().agg()


def test_unknown_fields_are_refused(orders):
    with pytest.raises(UnknownField, match="value has no field 'price'"):
        orders.group_by_key().agg(low=F.min("price"))


def test_distinct_is_refused_by_name(orders):
    with pytest.raises(ExpressionError, match="F.count_distinct cannot be used: DISTINCT"):
        orders.group_by_key().agg(n=F.count_distinct("country"))


def test_a_result_without_a_name_is_refused(orders):
    with pytest.raises(TopologyError, match=r"agg: each result has a name: agg\(total=F.sum\(...\)\)"):
        orders.group_by_key().agg(F.sum("amount"))
