import pytest

from holdfast.errors import TopologyError
from tests.dsl.helpers import call, node, value


def test_the_highest_first(orders):
    best = orders.group_by("country").top(3, by=lambda o: o.amount, distinct="customer", store="best")
    shown = node(best)
    assert (shown["id"], shown["n"], shown["by"], shown["distinct"]) == (
        "top:best",
        3,
        value("amount"),
        value("customer"),
    )
    assert best.schema.startswith("key: STRING\nvalue: ARRAY<STRUCT<id: BIGINT")


def test_the_lowest_by_minus(orders):
    assert node(orders.group_by("country").top(1, by=lambda o: -o.amount))["by"] == call("negative", value("amount"))


@pytest.mark.parametrize("n", [0, -3, 2.5, True, "3"])
def test_a_wrong_number_is_refused(orders, n):
    with pytest.raises(TopologyError, match="n must be a whole number from 1"):
        orders.group_by("country").top(n, by="amount")
