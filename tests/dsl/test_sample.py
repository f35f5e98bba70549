import pytest

from holdfast.errors import TopologyError
from holdfast.plan.planner import plan
from tests.dsl.helpers import node


def test_the_share_of_what_and_the_seed(orders):
    assert node(orders.sample(0.1)) == {
        "id": "sample-1",
        "op": "sample",
        "inputs": ["orders"],
        "fraction": 0.1,
        "by": "record",
        "seed": 0,
    }
    found = node(orders.sample(1, by="key", seed=-5))
    assert (found["fraction"], found["by"], found["seed"]) == (1, "key", -5)


def test_the_stream_stays_as_it_is(orders):
    sampled = orders.sample(0.1, by="key")
    assert (sampled.schema, sampled.node.key_type) == (orders.schema, orders.node.key_type)


def test_records_need_not_travel_again_after_it(app, orders):
    orders.group_by_key().count(store="n").to_stream().sample(0.5).group_by_key().count(store="m")
    assert plan(app.topology).stages == 1


@pytest.mark.parametrize("fraction", [10, -0.1, 1.01, float("nan"), "0.1", None, True])
def test_a_wrong_fraction_is_refused(orders, fraction):
    with pytest.raises(
        TopologyError, match=r"sample 'orders': fraction must be a number from 0 to 1, not .*; 0\.1 keeps"
    ):
        orders.sample(fraction)


def test_by_something_else_is_refused(orders):
    with pytest.raises(TopologyError, match=r"""by is 'customer'; it may be "record" or "key": select_key\(\) makes"""):
        orders.sample(0.1, by="customer")


@pytest.mark.parametrize("seed", [0.5, "x", None, True, 2**63])
def test_a_wrong_seed_is_refused(orders, seed):
    with pytest.raises(TopologyError, match="seed must be a whole number of 64 bits, not"):
        orders.sample(0.1, seed=seed)


def test_it_is_explained(app, orders):
    orders.sample(0.1, by="key", seed=7).to("some")
    assert "0.1 by key, seed 7" in app.describe()
