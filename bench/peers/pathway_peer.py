"""The workloads on Pathway; it has no hook per record, so its progress is read from its output."""

import os

import pathway as pw

E = os.environ
settings = {"bootstrap.servers": E["BROKERS"], "group.id": E["RUN"], "auto.offset.reset": "earliest"}


class Event(pw.Schema):
    score: int
    product_id: int
    player_id: int


events = pw.io.kafka.read(settings, topic=E["IN"], format="json", schema=Event, autocommit_duration_ms=1500)
if E["W"] == "w1":
    result = events.groupby(events.product_id).reduce(key=events.product_id, count=pw.reducers.count())
else:
    result = events.groupby(events.player_id).reduce(
        key=events.player_id, count=pw.reducers.count(), sum=pw.reducers.sum(events.score)
    )
pw.io.kafka.write(result, {"bootstrap.servers": E["BROKERS"]}, E["OUT"], format="json")
pw.run(monitoring_level=pw.MonitoringLevel.NONE)
