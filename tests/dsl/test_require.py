import pytest

from holdfast.errors import TopologyError
from tests.dsl.helpers import call, lit, node, value


def test_the_reason_goes_with_the_predicate(orders):
    valid = orders.require(lambda o: o.amount >= 0, reason="negative amount")
    assert node(valid) == {
        "id": "require-1",
        "op": "require",
        "inputs": ["orders"],
        "predicate": call(">=", value("amount"), lit(0)),
        "reason": "negative amount",
    }


def test_an_empty_reason_is_refused(orders):
    with pytest.raises(TopologyError, match="reason must say in words"):
        orders.require("vip", reason="")
