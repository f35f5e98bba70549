"""Statistics of stock trades over the last five seconds, every second.

A trade is in five windows. One that is up to two seconds late still counts.

    holdfast demo stocks
    curl localhost:7000/stocks/ACME
    holdfast topics consume stock-stats --from-beginning --key-separator ' '
"""

from dataclasses import dataclass
from datetime import datetime

import holdfast as hf
from holdfast import functions as F


@dataclass
class Trade:
    symbol: str
    price: float
    at: datetime


app = hf.App("stocks")

trades = app.stream("trades", Trade, timestamp="at")

stats = (
    trades.group_by("symbol")
    .windowed_by(hf.hopping("5 seconds", advance="1 second", grace="2 seconds"))
    .agg(low=F.min("price"), trades=F.count("*"), mean=F.avg("price"), store="stats")
)
stats.to("stock-stats")

windows = app.store("stats")


@app.get("/stocks/{symbol}")
def one_stock(symbol: str):
    return [dict(start=window.start, end=window.end, **found) for window, found in windows.windows(symbol)]
