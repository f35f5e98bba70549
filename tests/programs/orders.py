"""Two key changes, a diamond, three outputs, and a table that joins read in two stages."""

from dataclasses import dataclass

import holdfast as hf
from holdfast import functions as F


@dataclass
class Order:
    customer: int
    item: str
    amount: float


@dataclass
class Customer:
    name: str
    city: str


def make(suffix: str = "") -> hf.App:
    """The app; a suffix gives it topics of its own."""
    app = hf.App(f"shop{suffix}", tasks=8)

    orders = app.stream(f"orders{suffix}", Order, key=str)
    customers = app.table(f"customers{suffix}", Customer, key=int)

    by_customer = orders.select_key(lambda o: o.customer)
    by_customer.group_by_key().count(store="orders-per-customer")

    enriched = by_customer.join(customers, lambda o, c: dict(o, city=c.city))
    large = enriched.filter(lambda o: o.amount >= 100).map_values(lambda o: dict(o, size="large"))
    small = enriched.filter_not(lambda o: o.amount >= 100).map_values(lambda o: dict(o, size="small"))
    sized = large.merge(small)
    sized.to(f"sized-orders{suffix}")

    sized.group_by(lambda o: o.city).agg(
        n=F.count("*"), total=F.sum("amount"), items=F.collect_list("item"), store="cities"
    ).to(f"city-totals{suffix}")

    best = sized.group_by(lambda o: o.item).reduce(
        lambda a, b: F.when(b.amount > a.amount, b).otherwise(a), store="best"
    )
    (
        best.to_stream()
        .select_key(lambda o: o.customer)
        .join(customers, lambda o, c: dict(item=o.item, amount=o.amount, buyer=c.name))
        .to(f"best-buyers{suffix}")
    )
    return app


CUSTOMERS = [
    (1, {"name": "Ada", "city": "Bern"}),
    (2, {"name": "Bob", "city": "Oslo"}),
    (3, {"name": "Cyd", "city": "Bern"}),
]
ORDERS = [
    ("a", {"customer": 1, "item": "pen", "amount": 3.5}),
    ("b", {"customer": 2, "item": "desk", "amount": 250.0}),
    ("c", {"customer": 3, "item": "pen", "amount": 4.0}),
    ("d", {"customer": 9, "item": "lamp", "amount": 40.0}),
    ("e", {"customer": 2, "item": "lamp", "amount": 100.0}),
    ("f", {"customer": 1, "item": "desk", "amount": 199.0}),
    ("g", {"customer": 2, "item": "pen", "amount": 4.0}),
]
START = 1_767_225_600_000


def records(suffix: str = "") -> list[tuple[str, object, dict[str, object], int]]:
    """Every input record as (topic, key, value, timestamp), a millisecond apart."""
    rows = [(f"customers{suffix}", k, v) for k, v in CUSTOMERS] + [(f"orders{suffix}", k, v) for k, v in ORDERS]
    return [(topic, key, value, START + i) for i, (topic, key, value) in enumerate(rows)]


STORES = {
    "orders-per-customer": {1: 2, 2: 3, 3: 1, 9: 1},
    "cities": {
        "Bern": {"n": 3, "total": 206.5, "items": ["pen", "pen", "desk"]},
        "Oslo": {"n": 3, "total": 354.0, "items": ["desk", "lamp", "pen"]},
    },
    "best": {
        "pen": {"customer": 3, "item": "pen", "amount": 4.0, "city": "Bern", "size": "small"},
        "desk": {"customer": 2, "item": "desk", "amount": 250.0, "city": "Oslo", "size": "large"},
        "lamp": {"customer": 2, "item": "lamp", "amount": 100.0, "city": "Oslo", "size": "large"},
    },
}
