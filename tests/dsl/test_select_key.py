import pytest

from holdfast import functions as F
from holdfast.errors import ExpressionError, TopologyError
from tests.dsl.helpers import call, node, record, value


def test_one_key(orders):
    keyed = orders.select_key(lambda o: o.customer)
    assert node(keyed) == {"id": "select_key-1", "op": "select_key", "inputs": ["orders"], "key": value("customer")}
    assert keyed.schema.startswith("key: BIGINT\n")


def test_several_keys_are_a_record_named_after_the_fields(orders):
    keyed = orders.select_key("customer", lambda o: o.country)
    assert node(keyed)["key"] == record(customer=value("customer"), country=value("country"))
    assert keyed.schema.startswith("key: STRUCT<customer: BIGINT, country: STRING>\n")


def test_a_computed_key_among_several_is_refused(orders):
    with pytest.raises(ExpressionError, match="takes their names from fields"):
        orders.select_key("customer", F.upper("country"))
    assert node(orders.select_key(F.upper("country")))["key"] == call("upper", value("country"))


def test_the_same_name_twice_is_refused(orders):
    with pytest.raises(ExpressionError, match="two keys are called 'id'"):
        orders.select_key("id", "id")


def test_no_key_is_refused(orders):
    with pytest.raises(TopologyError, match="select_key needs a key"):
        orders.select_key()


def test_a_map_is_no_key(app):
    stream = app.stream("maps", "m MAP<STRING, INT>")
    with pytest.raises(TopologyError, match="a map cannot be a key"):
        stream.select_key("m")
