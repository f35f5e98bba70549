"""The ten stocks that gained most today: one phase per stock, a second one over all stocks of a day.

The first phase keeps the open and the close of each stock and day. The second groups those rows by day. When the gain
of a stock changes, its old row leaves the board and the new one takes its place.

    holdfast demo gainers
    curl localhost:7000/gainers/2026-03-02
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


app = hf.App("gainers")

trades = app.stream("day-trades", Trade, timestamp="at")

days = (
    trades.group_by("symbol")
    .windowed_by(hf.calendar("day", timezone="America/New_York", grace="12 hours"))
    .agg(open=F.min_by("price", "at"), close=F.max_by("price", "at"))
)
gains = days.map_values(
    lambda window, d: dict(
        day=F.date_format(window.start, "yyyy-MM-dd"),
        symbol=window.key,
        percent=F.round(100 * (d.close - d.open) / d.open, 2),
    )
)
gains.group_by("day").top(10, by="percent", store="gainers").to("top-gainers")

boards = app.store("gainers")


@app.get("/gainers/{day}")
def one_day(day: str):
    return [(row["symbol"], row["percent"]) for row in boards[day]]
