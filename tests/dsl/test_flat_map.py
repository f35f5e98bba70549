import pytest

from holdfast import functions as F
from holdfast.errors import ExpressionError, TopologyError
from tests.dsl.helpers import call, lit, node, record, value


def test_a_list_of_pairs(orders):
    made = orders.flat_map(lambda o: [(o.customer, o.amount), (o.id, -o.amount)])
    first = record(key=value("customer"), value=value("amount"))
    second = record(key=value("id"), value=call("negative", value("amount")))
    assert node(made) == {
        "id": "flat_map-1",
        "op": "flat_map",
        "inputs": ["orders"],
        "items": {"array": [first, second]},
    }
    assert made.schema == "key: BIGINT\nvalue: DOUBLE"


def test_an_array_expression_of_pairs(orders):
    made = orders.flat_map(lambda o: F.transform(o.tags, lambda tag: (tag, 1)))
    body = record(_1={"var": "tag_1"}, _2=lit(1))
    assert node(made)["items"] == call("transform", value("tags"), {"lambda": ["tag_1"], "body": body})


def test_an_array_of_something_else_is_refused(orders):
    with pytest.raises(TopologyError, match=r"an array of \(key, value\) was wanted, an array of string came"):
        orders.flat_map("tags")
    with pytest.raises(ExpressionError, match=r"flat_map wants a list of \(key, value\), 'x' came"):
        orders.flat_map(lambda o: ["x"])
