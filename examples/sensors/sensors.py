"""Watch machines: their status, a moving average with an alert, and a pattern that comes before a failure.

Only machines that run are watched.

    holdfast demo sensors
    curl localhost:7000/machines/press-1
    holdfast topics consume machine-alerts --from-beginning --key-separator ' '
"""

from dataclasses import dataclass
from datetime import datetime

import holdfast as hf
from holdfast import functions as F


@dataclass
class Reading:
    machine: str
    celsius: float
    vibration: float
    at: datetime


@dataclass
class Status:
    state: str
    site: str
    at: datetime


app = hf.App("sensors")

status = app.table("machine-status", Status, key=str, timestamp="at")
running = (
    app.stream("readings", Reading, timestamp="at")
    .select_key("machine")
    .join(status, lambda r, s: dict(r, state=s.state, site=s.site))
    .filter(lambda r: r.state == "running")
    .group_by_key()
)

# The mean of the last minute, anew with every reading.
means = running.windowed_by(hf.trailing("1 minute")).agg(
    celsius=F.avg("celsius"), readings=F.count("*"), site=F.last("site"), store="means"
)
hot = means.to_stream().filter(lambda m: (m.readings >= 3) & (m.celsius > 80))

# Vibration that grows three times in a row by a fifth: a bearing wears out.
wearing = hf.sequence(
    first=lambda r: r.vibration > 1,
    second=lambda r, *, first: r.vibration > 1.2 * first.vibration,
    third=lambda r, *, second: r.vibration > 1.2 * second.vibration,
)
worn = running.match(wearing, within="10 minutes")

hot.map_values(lambda m: dict(alert="too hot", site=m.site, value=F.round(m.celsius, 1))).merge(
    worn.map_values(lambda m: dict(alert="check the bearing", site=m.third.site, value=m.third.vibration))
).to("machine-alerts")

latest = app.store("means")


@app.get("/machines/{machine}")
def one_machine(machine: str):
    return latest[machine]
