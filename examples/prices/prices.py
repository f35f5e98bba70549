"""Lowest, highest and mean price of each stock and day, by the calendar of the exchange.

A trade that is reported late still counts for its day, up to three days after it.

    holdfast demo prices
    curl localhost:7000/prices/ACME
"""

from dataclasses import dataclass
from datetime import datetime
from zoneinfo import ZoneInfo

import holdfast as hf
from holdfast import functions as F

EXCHANGE = "America/New_York"


@dataclass
class Trade:
    symbol: str
    price: float
    at: datetime


app = hf.App("prices")

trades = app.stream("exchange-trades", Trade, timestamp="at")

days = (
    trades.group_by("symbol")
    .windowed_by(hf.calendar("day", timezone=EXCHANGE, grace="3 days"))
    .agg(low=F.min("price"), high=F.max("price"), mean=F.round(F.avg("price"), 2), store="days")
)
days.to("daily-prices")

prices = app.store("days")


@app.get("/prices/{symbol}")
def one_stock(symbol: str):
    zone = ZoneInfo(EXCHANGE)
    return {str(day.start.astimezone(zone).date()): found for day, found in prices.windows(symbol)}
