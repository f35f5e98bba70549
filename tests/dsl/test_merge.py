import pytest

from holdfast.errors import TopologyError
from tests.dsl.helpers import node


def test_streams_of_one_type(app, orders):
    fields = "id BIGINT, customer BIGINT, country STRING, amount DOUBLE, vip BOOLEAN, tags ARRAY<STRING>"
    phone = app.stream("phone", fields, key=str)
    assert node(orders.merge(phone)) == {"id": "merge-1", "op": "merge", "inputs": ["orders", "phone"]}


def test_other_types_are_refused(app, orders):
    with pytest.raises(TopologyError, match="merge 'orders': key is string, the other stream has key bytes"):
        orders.merge(app.stream("other", "id BIGINT"))
    with pytest.raises(TopologyError, match=r"value is record\(id, .*the other stream has value record\(id\)"):
        orders.merge(app.stream("third", "id BIGINT", key=str))


def test_nothing_and_a_table_are_refused(orders, customers):
    with pytest.raises(TopologyError, match="nothing to merge with"):
        orders.merge()
    with pytest.raises(TopologyError, match=r"merge wants streams, <Table customers> came; use to_stream\(\)"):
        orders.merge(customers)
