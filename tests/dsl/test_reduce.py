import pytest

from holdfast import functions as F
from holdfast.errors import TopologyError
from tests.dsl.helpers import call, node, slot


def test_old_and_new(app):
    totals = app.stream("amounts", float, key=str).group_by_key().reduce(lambda old, new: old + new, store="totals")
    assert node(totals)["f"] == call("+", slot("old"), slot("new"))
    assert totals.schema == "key: STRING\nvalue: DOUBLE"


def test_the_key_may_come_first(app):
    totals = app.stream("amounts", float, key=str).group_by_key().reduce(lambda k, old, new: new)
    assert node(totals)["f"] == slot("new")


def test_another_type_is_refused(orders):
    with pytest.raises(TopologyError, match=r"the function gives float, the values are record\(.*use aggregate"):
        orders.group_by_key().reduce(lambda old, new: old.amount + new.amount)


def test_subtract_is_for_groups_of_a_table(orders):
    with pytest.raises(TopologyError, match="reduce: subtract= is for groups of a table; the records of a stream stay"):
        orders.group_by_key().reduce(lambda old, new: new, subtract=lambda old, new: old)


def test_what_a_table_takes_back(app):
    group = app.table("amounts", float, key=str).group_by(lambda k, v: F.substring(k, 1, 1))
    totals = group.reduce(lambda old, new: old + new, subtract=lambda old, new: old - new)
    assert node(totals)["subtract"] == call("-", slot("old"), slot("new"))
    with pytest.raises(TopologyError, match="subtract gives bool, the values are float"):
        group.reduce(lambda old, new: old + new, subtract=lambda old, new: old > new)
