import pytest

import holdfast as hf
from holdfast.errors import TopologyError, UnknownField
from tests.dsl.helpers import call, lit, node, slot, value


@pytest.fixture
def groups():
    app = hf.App("shop")
    carts = app.stream("carts", "items BIGINT", key=str).group_by_key()
    orders = app.stream("orders", "user STRING, total DOUBLE").group_by("user")
    return app, carts, orders


def test_each_group_has_its_own_function(groups):
    _, carts, orders = groups
    made = hf.cogroup((carts, lambda s, c: s + c.items), (orders, lambda k, s, o: s - 1)).aggregate(0, store="n")
    assert node(made)["id"] == "cogroup:n"
    assert node(made)["inputs"] == ["group_by_key-1", "group_by-1"]
    assert node(made)["adds"] == [call("+", slot("state"), value("items")), call("-", slot("state"), lit(1))]
    assert node(made)["initial"] == lit(0)
    assert made.schema == "key: STRING\nvalue: BIGINT"


def test_merge_is_a_function_of_two_states(groups):
    _, carts, orders = groups
    both = hf.cogroup((carts, lambda s, c: s), (orders, lambda s, o: s)).windowed_by(hf.session("1 minute"))
    assert node(both.aggregate(0, merge=lambda a, b: a + b))["merge"] == call("+", slot("left"), slot("right"))
    with pytest.raises(TopologyError, match="merge gives bool, the state is int"):
        both.aggregate(0, merge=lambda a, b: a > b)
    with pytest.raises(TopologyError, match="it must be said what two states become; give merge="):
        both.aggregate(0)


def test_without_sessions_there_is_nothing_to_merge(groups):
    _, carts, _ = groups
    for group in (
        hf.cogroup((carts, lambda s, c: s)),
        hf.cogroup((carts, lambda s, c: s)).windowed_by(hf.sliding_count(3)),
    ):
        with pytest.raises(TopologyError, match="merge= is for sessions"):
            group.aggregate(0, merge=lambda a, b: a)


def test_the_window_is_that_of_all_groups(groups):
    _, carts, orders = groups
    with pytest.raises(TopologyError, match="argument 2 has a window; give the window to all"):
        hf.cogroup((carts, lambda s, c: s), (orders.windowed_by(hf.tumbling("1 minute")), lambda s, o: s))
    made = hf.cogroup((carts, lambda s, c: s)).windowed_by(hf.tumbling("1 minute"), late="late").aggregate(0)
    assert node(made)["window"]["kind"] == "tumbling"
    assert node(made)["late"] == "late"
    with pytest.raises(TopologyError, match="has a window already"):
        hf.cogroup((carts, lambda s, c: s)).windowed_by(hf.sliding_count(2)).windowed_by(hf.sliding_count(2))


def test_nothing_is_refused():
    with pytest.raises(TopologyError, match=r"nothing to fold; give pairs: hf.cogroup\(\(group, add\), ...\)"):
        hf.cogroup()


@pytest.mark.parametrize("given", [3, "group", (1, 2, 3)])
def test_what_is_no_pair_is_refused(given):
    with pytest.raises(TopologyError, match=r"argument 1 is .*; give a pair: \(group, lambda state, value: ...\)"):
        hf.cogroup(given)


def test_a_stream_must_be_grouped():
    stream = hf.App("shop").stream("carts", "items BIGINT", key=str)
    with pytest.raises(TopologyError, match="group it first"):
        hf.cogroup((stream, lambda s, v: s))


def test_groups_of_two_apps_are_refused(groups):
    _, carts, _ = groups
    other = hf.App("other").stream("carts", "items BIGINT", key=str).group_by_key()
    with pytest.raises(TopologyError, match="different apps"):
        hf.cogroup((carts, lambda s, v: s), (other, lambda s, v: s))


def test_a_group_twice_is_refused(groups):
    _, carts, _ = groups
    with pytest.raises(TopologyError, match="a group is there twice"):
        hf.cogroup((carts, lambda s, v: s), (carts, lambda s, v: s))


def test_keys_must_be_of_one_type(groups):
    app, carts, _ = groups
    numbered = app.stream("numbered", "items BIGINT", key=int).group_by_key()
    with pytest.raises(
        TopologyError, match="the groups must have the same key; 'carts' has string, 'numbered' has int"
    ):
        hf.cogroup((carts, lambda s, v: s), (numbered, lambda s, v: s)).aggregate(0)


def test_the_function_that_does_not_fit_is_named(groups):
    _, carts, orders = groups
    with pytest.raises(TopologyError, match="the add function of group 2 gives string, the state is int"):
        hf.cogroup((carts, lambda s, c: s), (orders, lambda s, o: o.user)).aggregate(0)
    with pytest.raises(UnknownField, match="nothing"):
        hf.cogroup((carts, lambda s, c: s + c.nothing)).aggregate(0)
