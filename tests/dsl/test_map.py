import pytest

from holdfast.errors import ExpressionError
from tests.dsl.helpers import call, lit, node, record, slot, value


def test_a_pair_is_key_and_value(orders):
    made = orders.map(lambda k, o: (o.customer, dict(old=k, twice=o.amount * 2)))
    assert node(made) == {
        "id": "map-1",
        "op": "map",
        "inputs": ["orders"],
        "key": value("customer"),
        "value": record(old=slot("key"), twice=call("*", value("amount"), lit(2))),
    }
    assert made.schema == "key: BIGINT\nvalue: STRUCT<old: STRING, twice: DOUBLE>"


@pytest.mark.parametrize("function", [lambda o: o.amount, lambda o: (1, 2, 3), lambda o: dict(a=1)])
def test_anything_but_a_pair_is_refused(orders, function):
    with pytest.raises(ExpressionError, match=r"map wants \(key, value\)"):
        orders.map(function)
