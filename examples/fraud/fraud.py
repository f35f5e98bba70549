"""Find stolen cards: a small probe that is followed by a large payment, and cards that are used too often.

Both kinds of alerts go to one topic, and the last five of a card can be asked for.

    holdfast demo fraud
    holdfast topics consume fraud-alerts --from-beginning --key-separator ' '
    curl localhost:7000/alerts/4000-7
"""

from dataclasses import dataclass
from datetime import datetime

import holdfast as hf
from holdfast import functions as F


@dataclass
class Payment:
    card: str
    amount: float
    shop: str
    at: datetime


app = hf.App("fraud")

payments = app.stream("payments", Payment, timestamp="at").group_by("card")

probed = hf.sequence(
    probe=lambda p: p.amount < 2,
    drain=lambda p, *, probe: (p.amount > 100 * probe.amount) & (p.shop != probe.shop),
)
drained = payments.match(probed, within="10 minutes").map_values(
    lambda m: dict(reason="drained after a probe", amount=m.drain.amount, at=m.drain.at)
)

# More than three payments of a card in the minute before each of them, itself included.
hurried = (
    payments.windowed_by(hf.trailing("1 minute"))
    .agg(n=F.count("*"), amount=F.sum("amount"), at=F.max("at"))
    .to_stream()
    .filter(lambda minute: minute.n > 3)
    .map_values(lambda minute: dict(reason="too many payments", amount=minute.amount, at=minute.at))
)

alerts = drained.merge(hurried)
alerts.to("fraud-alerts")
alerts.group_by_key().top(5, by="at", store="alerts")

latest = app.store("alerts")


@app.get("/alerts/{card}")
def alerts_of_a_card(card: str):
    return latest[card]
