import pytest

from holdfast.errors import TopologyError
from tests.dsl.helpers import node


def test_named_and_unnamed(orders):
    named = orders.group_by_key().count(store="n")
    unnamed = orders.group_by_key().count()
    assert (node(named)["id"], node(named)["store"]["changelog"]) == ("count:n", "shop-n-changelog")
    assert (node(unnamed)["id"], node(unnamed)["store"]["state"]) == ("count-2", "count-2")


def test_a_store_name_is_taken_once(orders):
    orders.group_by_key().count(store="n")
    with pytest.raises(TopologyError, match=r"store 'n' already belongs to count at test_count.py:\d+; give one"):
        orders.group_by("country").count(store="n")


@pytest.mark.parametrize(
    ("store", "message"), [("a b", "store 'a b' may have letters"), (3, "store= is 3; give a name")]
)
def test_a_wrong_store_is_refused(orders, store, message):
    with pytest.raises(TopologyError, match=message):
        orders.group_by_key().count(store=store)
