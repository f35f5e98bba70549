"""Look up customers without asking their database: follow its changes instead.

A change stream (insert, update, delete) becomes a table, and each order is joined with it. Nobody asks the database,
and an order finds its customer as of the order's own time, also when everything is read again.

    holdfast demo lookup
    curl localhost:7000/customers
    holdfast topics consume named-orders --from-beginning
"""

from dataclasses import dataclass
from datetime import datetime

import holdfast as hf
from holdfast import functions as F


@dataclass
class Change:
    op: str
    id: int
    at: datetime
    name: str | None
    city: str | None


@dataclass
class Order:
    id: int
    customer: int
    item: str
    at: datetime


app = hf.App("lookup")

changes = app.stream("customer-changes", Change, timestamp="at")
orders = app.stream("orders", Order, timestamp="at")

# Null deletes a row of a table.
customers = changes.map(lambda c: (c.id, F.when(c.op != "delete", dict(name=c.name, city=c.city)))).to_table(
    store="customers"
)

orders.select_key("customer").left_join(
    customers, lambda o, c: dict(order=o.id, item=o.item, name=F.coalesce(c.name, F.lit("unknown")), city=c.city)
).to("named-orders")

rows = app.store("customers")


@app.get("/customers")
def every_customer():
    return dict(rows.all())
