import pytest

from holdfast.errors import NotAvailable, TopologyError
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


def test_subtract_is_not_available_yet(orders):
    with pytest.raises(NotAvailable, match="reduce: subtract= is not available yet"):
        orders.group_by_key().reduce(lambda old, new: new, subtract=lambda old, new: old)
