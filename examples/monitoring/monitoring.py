"""The error rate of each service and minute, with an alert where it is too high.

A minute is emitted once, ten seconds after its end. A request that comes later goes to a topic of its own.

    holdfast demo monitoring
    curl localhost:7000/services/search
    holdfast topics consume alerts --from-beginning --key-separator ' '
"""

from dataclasses import dataclass
from datetime import datetime

import holdfast as hf
from holdfast import functions as F


@dataclass
class Request:
    service: str
    status: int
    ms: int
    at: datetime


app = hf.App("monitoring")

requests = app.stream("requests", Request, timestamp="at")

minutes = (
    requests.group_by("service")
    .windowed_by(hf.tumbling("1 minute", grace="10 seconds", emit="final", retention="1 day"), late="late-requests")
    .agg(
        requests=F.count("*"),
        errors=F.count_if(F.col("status") >= 500),
        error_rate=F.count_if(F.col("status") >= 500) / F.count("*"),
        slowest=F.max("ms"),
        store="minutes",
    )
)

minutes.to_stream().filter(lambda m: (m.requests >= 4) & (m.error_rate > 0.2)).map(
    lambda minute, m: (minute.key, dict(minute=minute.start, error_rate=m.error_rate, errors=m.errors))
).to("alerts")

history = app.store("minutes")


@app.get("/services/{service}")
def one_service(service: str):
    return [dict(minute=minute.start, **found) for minute, found in history.windows(service)]
