from holdfast import functions as F
from tests.dsl.helpers import call, lit, node, record, slot


def test_it_is_a_join_that_is_left(orders, countries):
    joined = orders.left_join(countries, lambda o, c: dict(t=F.coalesce(c.title, F.lit("?"))), on="country")
    assert node(joined)["id"] == "join-1"
    assert node(joined)["left"] is True
    assert node(joined)["joiner"] == record(t=call("coalesce", slot("right", "title"), lit("?")))


def test_a_whole_side_can_be_asked_for_null(orders, countries):
    joined = orders.left_join(countries, lambda o, c: dict(found=F.isnotnull(c)), on="country")
    assert node(joined)["joiner"] == record(found=call("isnotnull", slot("right")))
