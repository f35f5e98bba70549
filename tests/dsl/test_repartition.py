import pytest

from holdfast.errors import TopologyError
from tests.dsl.helpers import node


def test_with_and_without_tasks(orders):
    assert node(orders.repartition()) == {
        "id": "repartition-1",
        "op": "repartition",
        "inputs": ["orders"],
        "tasks": None,
    }
    assert node(orders.repartition(tasks=4))["tasks"] == 4


@pytest.mark.parametrize("tasks", [0, -1, "4"])
def test_a_wrong_number_is_refused(orders, tasks):
    with pytest.raises(TopologyError, match="tasks must be a whole number from 1"):
        orders.repartition(tasks=tasks)
