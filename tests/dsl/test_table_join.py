import pytest

import holdfast as hf
from holdfast.errors import ExpressionError, TopologyError, UnknownField
from tests.dsl.helpers import names, node, record, slot, value


@pytest.fixture
def purchases(app):
    return app.table("purchases", "customer BIGINT, country STRING, amount DOUBLE", key=str)


@pytest.fixture
def payments(app):
    return app.table("payments", "paid BOOLEAN", key=str)


def test_by_key_it_is_a_view(purchases, payments):
    joined = purchases.join(payments, lambda p, q: dict(amount=p.amount, paid=q.paid))
    assert node(joined) == {
        "id": "table_join-1",
        "op": "table_join",
        "inputs": ["purchases", "payments"],
        "how": "inner",
        "with": "table",
        "joiner": record(amount=slot("left", "amount"), paid=slot("right", "paid")),
        "store": None,
    }
    assert joined.schema == "key: STRING\nvalue: STRUCT<amount: DOUBLE, paid: BOOLEAN>"


def test_with_a_store_it_is_kept(purchases, payments):
    joined = purchases.join(payments, store="settled")
    assert (node(joined)["id"], node(joined)["store"]["name"]) == ("table_join:settled", "settled")
    assert names(joined.node.value_type) == ["customer", "country", "amount", "paid"]


def test_by_a_foreign_key(purchases, customers):
    joined = purchases.join(customers, lambda k, p, c: dict(k=k, name=c.name), on=lambda p: p.customer)
    assert node(joined) == {
        "id": "fk_join-1",
        "op": "fk_join",
        "inputs": ["purchases", "customers"],
        "how": "inner",
        "with": "table",
        "on": value("customer"),
        "joiner": record(k=slot("key"), name=slot("right", "name")),
        "store": {"name": None, "state": "fk_join-1", "emit": "latest", "changelog": None},
    }
    assert joined.schema == "key: STRING\nvalue: STRUCT<k: STRING, name: STRING>"


def test_a_foreign_key_may_be_named_or_made_of_the_key(purchases, customers, app):
    assert node(purchases.join(customers, on="customer", store="a"))["on"] == value("customer")
    shops = app.table("shops", "town STRING", key=str)
    joined = purchases.join(shops, on=lambda k, p: k, store="b")
    assert node(joined)["on"] == slot("key")


def test_a_global_table_by_key_or_by_what_refers_to_it(purchases, countries):
    referred = node(purchases.join(countries, on="country"))
    assert (referred["op"], referred["with"]) == ("fk_join", "global")
    by_key = node(purchases.join(countries))
    assert (by_key["op"], by_key["with"]) == ("table_join", "global")


def test_keys_must_fit_or_something_must_refer(purchases, customers):
    with pytest.raises(TopologyError) as error:
        purchases.join(customers)
    assert str(error.value).endswith(
        "join 'purchases': key is string, table 'customers' has key int; say what refers to it: on=lambda v: v.customer"
    )


def test_a_foreign_key_must_fit(purchases, customers):
    with pytest.raises(TopologyError) as error:
        purchases.join(customers, on="country")
    assert str(error.value).endswith(
        "join 'purchases': on= is string, table 'customers' has key int; for example on=lambda v: v.customer"
    )


def test_where_no_field_fits_the_type_is_named(app, payments, customers):
    with pytest.raises(TopologyError, match=r"use on=lambda v: \.\.\. that gives int, with F\.cast"):
        payments.join(customers, on="paid")


def test_a_name_on_both_sides_is_an_error(purchases):
    with pytest.raises(TopologyError, match="join 'purchases': both sides have a field 'customer'"):
        purchases.join(purchases)


def test_a_stream_is_refused(purchases, orders):
    with pytest.raises(TopologyError, match="a table is joined with a table, a stream came; use to_table"):
        purchases.join(orders)


def test_something_else_is_refused(purchases):
    with pytest.raises(TopologyError, match="join wants a table or a global table, 'payments' came"):
        purchases.join("payments")


def test_unknown_fields_of_either_side_and_of_the_foreign_key(purchases, payments, customers):
    with pytest.raises(UnknownField, match=r"right has no field 'payed'; did you mean 'paid'\?"):
        purchases.join(payments, lambda p, q: dict(p, x=q.payed))
    with pytest.raises(UnknownField, match=r"value has no field 'custmer'; did you mean 'customer'\?"):
        purchases.join(customers, on=lambda p: p.custmer)


def test_a_joiner_has_two_or_three_parameters(purchases, payments):
    with pytest.raises(ExpressionError, match=r"\(left, right\) or \(key, left, right\)"):
        purchases.join(payments, lambda p: p)


def test_versions_are_not_kept_by_a_join_but_above_it(purchases, payments):
    versions = hf.Materialized("past", versioned="1 hour")
    with pytest.raises(TopologyError, match=r"versioned= is not for joins by key; .*map_values\(lambda v: v, store="):
        purchases.join(payments, store=versions)
    joined = purchases.join(payments)
    assert joined.node.versioned is None
    assert joined.map_values(lambda v: v, store=versions).node.versioned == 3_600_000
