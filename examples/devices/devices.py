"""Hourly sums of meters that may be hours late: old windows are corrected, and what is too late is kept apart.

A window stays open for six hours. A reading within them corrects the sum of its hour, which is emitted again.
A later one goes to the topic `late-readings`.

    holdfast demo devices
    curl localhost:7000/meters/m1
    holdfast topics consume late-readings --from-beginning
"""

from dataclasses import dataclass
from datetime import datetime

import holdfast as hf
from holdfast import functions as F


@dataclass
class Reading:
    meter: str
    watt_hours: int
    at: datetime


app = hf.App("devices")

readings = app.stream("meter-readings", Reading, timestamp="at")

hours = (
    readings.group_by("meter")
    .windowed_by(hf.tumbling("1 hour", grace="6 hours", retention="7 days"), late="late-readings")
    .agg(watt_hours=F.sum("watt_hours"), readings=F.count("*"), store=hf.Materialized("hours", emit="every"))
)
hours.to("hourly-use")

history = app.store("hours")


@app.get("/meters/{meter}")
def one_meter(meter: str):
    return [dict(hour=hour.start, **found) for hour, found in history.windows(meter)]
