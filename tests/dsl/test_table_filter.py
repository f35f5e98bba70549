import pytest

from holdfast.errors import TopologyError
from tests.dsl.helpers import call, lit, node, value


def test_a_view_without_store(customers):
    kept = customers.filter(lambda c: c.city == "Paris")
    assert node(kept) == {
        "id": "table_filter-1",
        "op": "table_filter",
        "inputs": ["customers"],
        "predicate": call("=", value("city"), lit("Paris")),
        "store": None,
    }


def test_it_can_be_joined(orders, customers):
    joined = orders.select_key("customer").join(customers.filter(lambda c: c.name != ""))
    assert node(joined)["inputs"] == ["select_key-1", "table_filter-1"]


def test_a_predicate_that_is_not_bool_is_refused(customers):
    with pytest.raises(TopologyError, match="predicate is string, bool was wanted"):
        customers.filter("name")
