import pytest

from holdfast import functions as F
from holdfast.errors import ExpressionError, TopologyError, UnknownField
from tests.dsl.helpers import names, node, record, slot, value


def test_a_table_by_key(orders, customers):
    joined = orders.select_key("customer").join(customers, lambda o, c: dict(id=o.id, name=c.name))
    assert node(joined) == {
        "id": "join-1",
        "op": "join",
        "inputs": ["select_key-1", "customers"],
        "left": False,
        "with": "table",
        "on": None,
        "joiner": record(id=slot("left", "id"), name=slot("right", "name")),
    }
    assert joined.schema == "key: BIGINT\nvalue: STRUCT<id: BIGINT, name: STRING>"


def test_three_parameters_are_key_left_right(orders, customers):
    joined = orders.select_key("customer").join(customers, lambda k, o, c: dict(k=k, name=c.name))
    assert node(joined)["joiner"] == record(k=slot("key"), name=slot("right", "name"))


def test_a_global_table_by_expression(orders, countries):
    joined = orders.join(countries, lambda o, c: dict(o, title=c.title), on=lambda o: o.country)
    assert (node(joined)["with"], node(joined)["on"]) == ("global", value("country"))


def test_without_joiner_the_fields_of_both(orders, countries):
    joined = orders.join(countries, on="country")
    assert node(joined)["joiner"] is None
    assert names(joined.node.value_type) == ["id", "customer", "country", "amount", "vip", "tags", "title"]


def test_a_name_on_both_sides_is_an_error(app, orders):
    others = app.table("others", "id BIGINT, more STRING", key=str)
    with pytest.raises(TopologyError, match="join 'orders': both sides have a field 'id'; say which to take"):
        orders.join(others)


def test_without_joiner_both_must_be_records(app, orders):
    names_ = app.table("names", str, key=str)
    with pytest.raises(TopologyError, match="one side is string and has no fields"):
        orders.join(names_)


def test_key_types_must_fit(app, orders, customers):
    with pytest.raises(TopologyError) as error:
        orders.join(customers)
    assert str(error.value).endswith(
        "join 'orders': key is string, table 'customers' has key int; "
        'use select_key(lambda k, v: F.cast(k, "bigint"))'
    )


def test_a_stream_without_declared_key_is_told_which_field_fits(app, customers):
    clicks = app.stream("clicks", "user BIGINT, page STRING")
    with pytest.raises(
        TopologyError, match=r"key is bytes, table 'customers' has key int; use select_key\(lambda v: v.user\)"
    ):
        clicks.join(customers)


def test_integers_of_any_width_fit(app, customers):
    clicks = app.stream("clicks", "page STRING", key="INT")
    assert node(clicks.join(customers))["with"] == "table"


def test_on_must_fit_the_global_key(orders, countries):
    with pytest.raises(TopologyError, match="on= is int, table 'countries' has key string; give that type: F.cast"):
        orders.join(countries, on="customer")


def test_on_is_for_global_tables(orders, customers):
    with pytest.raises(TopologyError, match=r"on= is for global tables; use select_key\(...\) before the join"):
        orders.join(customers, on="customer")


def test_within_is_not_for_tables(orders, customers):
    with pytest.raises(TopologyError, match="within= is for joining two streams"):
        orders.join(customers, within="1 second")


def test_grace_needs_a_versioned_table(orders, countries, customers):
    by_customer = orders.select_key("customer")
    with pytest.raises(TopologyError, match="grace= needs a versioned table, 'customers' is none; keep its versions"):
        by_customer.join(customers, grace="1 second")
    with pytest.raises(TopologyError, match="grace= needs a versioned table; a global table has no versions"):
        orders.join(countries, on="country", grace="1 second")


def test_something_else_is_refused(orders):
    with pytest.raises(TopologyError, match="join wants a table, a global table or a stream, 'customers' came"):
        orders.join("customers")


def test_unknown_fields_of_either_side(orders, countries):
    with pytest.raises(UnknownField, match=r"right has no field 'titel'; did you mean 'title'\?"):
        orders.join(countries, lambda o, c: dict(o, t=c.titel), on="country")


def test_a_plain_name_is_looked_up_on_both_sides(app, orders, countries):
    joined = orders.join(countries, F.struct("id", "title"), on="country")
    assert node(joined)["joiner"] == record(id=slot("left", "id"), title=slot("right", "title"))
    others = app.table("others", "id BIGINT", key=str)
    with pytest.raises(ExpressionError, match=r"field 'id' is on both sides \(left, right\)"):
        orders.join(others, F.col("id"))
