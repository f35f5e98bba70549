"""Carts that nobody paid for: a session of a customer that ends without a checkout.

A session ends when the customer does nothing for half an hour. Only then it is emitted, once. The time of the events
says when that is, or, if no events come at all, the clock.

    holdfast demo carts
    holdfast topics consume abandoned-carts --from-beginning
"""

from dataclasses import dataclass
from datetime import datetime

import holdfast as hf
from holdfast import functions as F


@dataclass
class CartEvent:
    customer: str
    kind: str
    item: str | None
    price: float | None
    at: datetime


app = hf.App("carts")

events = app.stream("cart-events", CartEvent, timestamp="at", close_on_idle="1 minute")

visits = (
    events.group_by("customer")
    .windowed_by(hf.session("30 minutes", grace="1 minute", emit="final"))
    .agg(
        items=F.collect_list(F.when(F.col("kind") == "add", F.col("item"))),
        worth=F.sum("price"),
        checkouts=F.count_if(F.col("kind") == "checkout"),
        store="visits",
    )
)

visits.to_stream().filter(lambda v: (v.checkouts == 0) & (F.size(v.items) > 0)).map(
    lambda visit, v: (visit.key, dict(items=v.items, worth=v.worth, since=visit.start, last=visit.end))
).to("abandoned-carts")
