from tests.dsl.helpers import node


def test_it_has_no_fields(orders):
    assert node(orders.group_by_key()) == {"id": "group_by_key-1", "op": "group_by_key", "inputs": ["orders"]}
