"""A shop: orders with their customers, sales by time and by country, and a price that is worked out in Python."""

from dataclasses import dataclass

import holdfast as hf
from holdfast import functions as F


@dataclass
class Order:
    customer: str
    product: str
    amount: float


@dataclass
class Customer:
    name: str
    country: str


@dataclass
class Priced:
    customer: str
    product: str
    total: float


def priced(order: Order) -> Priced:
    if order.amount > 900:
        raise ValueError(f"{order.amount} is more than anything costs")
    return Priced(order.customer, order.product, round(order.amount * 1.19, 2))


app = hf.App("shop", tasks=2, trigger="300 ms")

orders = app.stream("orders", Order, key=str)
customers = app.table("customers", Customer, key=str)

sales = (
    orders
    .require(lambda o: o.amount >= 0, reason="negative amount")
    .map_values(hf.python(priced, returns=Priced))
)  # fmt: skip

# What sells, now and in each ten seconds.
sales.group_by(lambda s: s.product).count(store="by-product")
sales.group_by(lambda s: s.product).windowed_by(
    hf.tumbling("10 seconds", grace="2 seconds")
).count(store="by-time")  # fmt: skip

# Who buys, and where they are from.
known = sales.select_key(lambda s: s.customer).join(
    customers, lambda s, c: dict(name=c.name, country=c.country, total=s.total)
)
known.group_by_key().agg(
    orders=F.count("*"), spent=F.sum("total"), store="by-customer"
).to_stream().to("spending")  # fmt: skip


@app.get("/country/{name}")
def country(name: str) -> str:
    return name
