import pytest

from holdfast.errors import TopologyError, UnknownField
from tests.dsl.helpers import call, lit, node, value


def test_branches_are_attributes_in_order(app, orders):
    ways = orders.split(large=lambda o: o.amount > 100, vip="vip")
    split, *branches = (each.to_json() for each in app.graph.nodes[-4:])
    assert split["branches"] == [
        {"name": "large", "predicate": call(">", value("amount"), lit(100))},
        {"name": "vip", "predicate": value("vip")},
    ]
    assert split["default"] == "rest"
    assert [(each["id"], each["inputs"], each["index"]) for each in branches] == [
        ("branch-1", ["split-1"], 0),
        ("branch-2", ["split-1"], 1),
        ("branch-3", ["split-1"], 2),
    ]
    assert [ways.large.node.id, ways.vip.node.id, ways["rest"].node.id] == ["branch-1", "branch-2", "branch-3"]
    assert ways.large.schema == orders.schema


def test_the_default_can_be_named(orders):
    ways = orders.split(default="small", large=lambda o: o.amount > 100)
    assert list(ways) == ["large", "small"]
    assert node(ways.small)["index"] == 1


def test_an_unknown_branch_is_refused(orders):
    with pytest.raises(UnknownField, match=r"no branch 'lrage'; did you mean 'large'\?"):
        orders.split(large="vip").lrage


def test_no_branch_and_a_name_twice_are_refused(orders):
    with pytest.raises(TopologyError, match="no branch"):
        orders.split()
    with pytest.raises(TopologyError, match="'rest' is also the default"):
        orders.split(rest="vip")


def test_a_predicate_that_is_not_bool_names_its_branch(orders):
    with pytest.raises(TopologyError, match="the predicate of 'large' is float"):
        orders.split(large="amount")
