"""The workloads on Pathway, with reducers that are Python functions; its progress is read from its output."""

import json
import os

import pathway as pw

E = os.environ
settings = {"bootstrap.servers": E["BROKERS"], "group.id": E["RUN"], "auto.offset.reset": "earliest"}


class Event(pw.Schema):
    score: int
    product_id: int
    player_id: int


class Best(pw.BaseCustomAccumulator):
    def __init__(self, best):
        self.best = best

    @classmethod
    def from_row(cls, row):
        return cls([[row[0], row[1]]])

    def update(self, other):
        self.best = sorted(self.best + other.best, key=lambda each: (-each[0], each[1]))[:3]

    def compute_result(self) -> str:
        return json.dumps(self.best)


class Both(pw.BaseCustomAccumulator):
    def __init__(self, count, total):
        self.count, self.total = count, total

    @classmethod
    def from_row(cls, row):
        return cls(1, row[0])

    def update(self, other):
        self.count += other.count
        self.total += other.total

    def compute_result(self) -> tuple[int, int]:
        return self.count, self.total


def level(score: int) -> str:
    return "high" if score >= 5_000 else "low"


best, both = pw.reducers.udf_reducer(Best), pw.reducers.udf_reducer(Both)
events = pw.io.kafka.read(settings, topic=E["IN"], format="json", schema=Event, autocommit_duration_ms=1500)
if E["W"] == "map":
    double = pw.apply(lambda score: score * 2, events.score)
    result = events.select(events.player_id, points=double, level=pw.apply(level, events.score))
elif E["W"] == "w2":
    grouped = events.groupby(events.product_id)
    result = grouped.reduce(key=events.product_id, best=best(events.score, events.player_id), count=pw.reducers.count())
else:
    sums = events.groupby(events.player_id).reduce(key=events.player_id, both=both(events.score))
    result = sums.select(sums.key, count=pw.this.both[0], sum=pw.this.both[1])
pw.io.kafka.write(result, {"bootstrap.servers": E["BROKERS"]}, E["OUT"], format="json")
pw.run(monitoring_level=pw.MonitoringLevel.NONE)
