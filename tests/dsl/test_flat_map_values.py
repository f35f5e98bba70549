import pytest

from holdfast import functions as F
from holdfast.errors import TopologyError
from tests.dsl.helpers import call, lit, node, value


def test_an_array_expression(app):
    words = app.stream("lines", str).flat_map_values(lambda line: F.split(line, " "))
    assert node(words)["items"] == call("split", value(), lit(" "), lit(-1, "integer"))
    assert words.schema == "key: BINARY\nvalue: STRING"


def test_a_list(orders):
    made = orders.flat_map_values(lambda o: [o.id, o.customer])
    assert node(made)["items"] == {"array": [value("id"), value("customer")]}
    assert made.schema == "key: STRING\nvalue: BIGINT"


def test_no_array_is_refused(orders):
    with pytest.raises(TopologyError, match="flat_map_values 'orders': an array was wanted, int came"):
        orders.flat_map_values("id")
