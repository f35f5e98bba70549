"""Joiners, filters and mappings of tables, and topics to write to, that functions in Python make."""

from dataclasses import dataclass

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import holdfast as hf
from holdfast import functions as F
from holdfast.testing import Driver
from tests.driver.helpers import letters, pairs, timed


@dataclass
class Order:
    customer: str
    amount: int


@dataclass
class Customer:
    name: str
    discount: int = 0


@dataclass
class Bill:
    who: str
    total: int


def bill(order, customer):
    assert order is None or isinstance(order, Order)
    assert customer is None or isinstance(customer, Customer)
    if order is not None and order.amount == 13:
        raise ValueError("unlucky")
    total = (order.amount if order else 0) - (customer.discount if customer else 0)
    return Bill(customer.name if customer else "?", total)


def keyed(key, order, customer):
    made = bill(order, customer)
    return Bill(f"{key}:{made.who}", made.total)


def native(order, customer):
    failing = F.when(order.amount == 13, F.raise_error("unlucky")).otherwise(order.amount)
    total = F.coalesce(failing, F.lit(0)) - F.coalesce(customer.discount, F.lit(0))
    return dict(who=F.coalesce(customer.name, F.lit("?")), total=total)


PYTHON = hf.python(bill, returns=Bill)


def sources(app):
    return app.stream("orders", Order, key=str), app.table("customers", Customer, key=str)


JOINS = {
    "stream-table": lambda a, how, j: getattr(sources(a)[0], how)(sources(a)[1], j),
    "global": lambda a, how, j: getattr(sources(a)[0], how)(
        a.global_table("globals", Customer, key=str), j, on=lambda o: o.customer
    ),
    "streams": lambda a, how, j: getattr(sources(a)[0], how)(
        a.stream("others", Customer, key=str), j, within="5 ms", grace="5 ms"
    ),
    "tables": lambda a, how, j: getattr(sources(a)[0].to_table(), how)(sources(a)[1], j),
    "kept-tables": lambda a, how, j: getattr(sources(a)[0].to_table(), how)(
        sources(a)[1], j, store=hf.Materialized("python" if j is PYTHON else "native", emit="every")
    ),
    "foreign-key": lambda a, how, j: getattr(sources(a)[0].to_table(), how)(sources(a)[1], j, on=lambda o: o.customer),
}
CASES = [(join, how) for join in JOINS for how in ("join", "left_join")] + [
    ("streams", "outer_join"),
    ("tables", "outer_join"),
]
RECORDS = st.lists(
    st.tuples(
        st.sampled_from(["orders", "customers", "globals", "others"]),
        st.sampled_from("ab"),
        st.one_of(st.none(), st.integers(1, 9)),
        st.integers(0, 30),
    ),
    max_size=16,
)


@pytest.mark.parametrize(("join", "how"), CASES)
@settings(max_examples=5, deadline=None)
@given(records=RECORDS, size=st.integers(1, 8))
def test_every_join_makes_what_an_expression_makes(join, how, records, size):
    app = hf.App("joins", tasks=1)
    for name, joiner in {"native": native, "python": PYTHON}.items():
        JOINS[join](app, how, joiner).to(name)
    read = {node.id for node in app.topology.sources}
    with Driver(app) as d:
        for at in range(0, len(records), size):
            with d.batch():
                for topic, key, value, time in records[at : at + size]:
                    order = topic == "orders"
                    made = (
                        {"customer": "ab"[(value or 0) % 2], "amount": value}
                        if order
                        else {"name": f"n{value}", "discount": value}
                    )
                    if topic in read:
                        d.pipe(topic, None if value is None else made, key=key, timestamp=time)
        assert timed(d, "python") == timed(d, "native")
        assert d.dead_letters() == []


def test_a_joiner_may_ask_for_the_key_and_a_failure_is_a_dead_letter():
    app = hf.App("joins", tasks=1)
    orders, customers = sources(app)
    orders.join(customers, hf.python(keyed, returns=Bill)).to("out")
    with Driver(app) as d:
        d.pipe("customers", {"name": "Ann", "discount": 1}, key="a")
        d.pipe("orders", {"customer": "a", "amount": 5}, key="a")
        d.pipe("orders", {"customer": "a", "amount": 13}, key="a")
        assert pairs(d, "out") == [("a", {"who": "a:Ann", "total": 4})]
        [(node, reason)] = letters(d)
        assert node == "python-1"
        assert reason.startswith("keyed (test_python_joins.py:")
        assert "ValueError: unlucky" in reason


def test_a_joined_table_keeps_what_it_had_where_the_joiner_fails():
    app = hf.App("joins", tasks=1)
    app.table("orders", Order, key=str).join(app.table("customers", Customer, key=str), PYTHON, store="bills").to("out")
    with Driver(app) as d:
        d.pipe("customers", {"name": "Ann", "discount": 1}, key="a")
        for amount in (5, 13, 7):
            d.pipe("orders", {"customer": "a", "amount": amount}, key="a")
        d.pipe("customers", None, key="a")
        assert [value and value["total"] for _, value in pairs(d, "out")] == [4, 6, None]
        assert dict(d.store("bills")) == {}
        assert [node for node, _ in letters(d)] == ["table_map_values:bills"]


def test_tables_are_mapped_and_filtered():
    app = hf.App("tables", tasks=1)
    table = app.table("customers", Customer, key=str)
    table.map_values(hf.python(lambda k, c: f"{k} {c.name.upper()}", returns=str), store="names").to("names")
    loyal = hf.python(lambda c: c.discount > 5, returns=bool)
    table.filter(loyal).to("loyal")
    table.filter_not(loyal).group_by(lambda c: F.lit("all")).count(store="others")
    with Driver(app) as d:
        for key, name, discount in [
            ("a", "Ann", 9),
            ("b", "Bob", 1),
            ("a", "Ann", 2),
            ("b", "Bob", 7),
            ("b", "Bob", 8),
        ]:
            d.pipe("customers", {"name": name, "discount": discount}, key=key)
        assert dict(d.store("names")) == {"a": "a ANN", "b": "b BOB"}
        assert [(k, v and v["discount"]) for k, v in pairs(d, "loyal")] == [("a", 9), ("a", None), ("b", 7), ("b", 8)]
        assert dict(d.store("others")) == {"all": 1}


def test_a_function_chooses_the_topic():
    app = hf.App("routes", tasks=1)
    orders, customers = sources(app)
    by_size = hf.python(lambda o: "large" if o.amount > 5 else "small", returns=str)
    orders.to(by_size, headers=lambda o: dict(customer=o.customer))
    customers.to(hf.python(lambda k, c: f"customers-{k}", returns=str))
    with Driver(app) as d:
        d.pipe("orders", {"customer": "a", "amount": 9}, key="k")
        d.pipe("orders", {"customer": "b", "amount": 1}, key="k")
        d.pipe("customers", {"name": "Ann"}, key="c")
        [large], [small] = d.read("large"), d.read("small")
        assert (large.value, large.headers) == ({"customer": "a", "amount": 9}, {"customer": b"a"})
        assert (small.value, small.headers) == ({"customer": "b", "amount": 1}, {"customer": b"b"})
        assert pairs(d, "customers-c") == [("c", {"name": "Ann", "discount": 0})]
        assert d.dead_letters() == []
