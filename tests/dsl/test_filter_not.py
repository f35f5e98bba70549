from tests.dsl.helpers import node, value


def test_it_is_a_node_of_its_own(orders):
    assert node(orders.filter_not("vip")) == {
        "id": "filter_not-1",
        "op": "filter_not",
        "inputs": ["orders"],
        "predicate": value("vip"),
    }
