"""Processors on Spark and Kafka: in worker processes, with state in Spark's checkpoint and a store to be queried."""

import json
from collections import Counter
from dataclasses import dataclass
from datetime import datetime

import holdfast as hf
from holdfast.topics.records import TopicSpec
from tests.spark.conftest import as_record


@dataclass
class Visit:
    page: str
    n: int


@dataclass
class Visits:
    pages: dict[str, int]
    n: int = 0


class Visitors(hf.Processor[str, Visit]):
    """Counts pages per visitor; every second of event time those with ten visits go on and are forgotten."""

    returns = Visits
    children = {"strange": str}
    visits = hf.StateStore("visits", key=str, value=Visits)

    def init(self, context: hf.ProcessorContext) -> None:
        context.schedule("1 second", self.emit)

    def process(self, record: hf.Record[str, Visit]) -> None:
        assert isinstance(record.value, Visit)
        if record.value.n % 100 == 99:
            raise ValueError(f"visit {record.value.n}")
        if record.value.n % 100 == 98:
            self.context.forward(record.replace(value=f"{record.topic} {record.value.page}"), to="strange")
            return
        known = self.visits.get(record.key) or Visits({})
        known.pages[record.value.page] = known.pages.get(record.value.page, 0) + 1
        known.n += 1
        self.visits[record.key] = known

    def emit(self, now: datetime) -> None:
        for visitor, known in self.visits.all():
            if known.n >= 10:
                self.context.forward(hf.Record(visitor, known, now))
                self.visits.delete(visitor)


class Checking(hf.Processor[str, Visit]):
    """Sees in the same store what the other one has just done."""

    returns = int
    visits = Visitors.visits

    def process(self, record: hf.Record[str, Visit]) -> None:
        known = self.visits.get(record.key)
        self.context.forward(record.replace(value=0 if known is None else known.n))


def test_processors_run_in_workers_with_shared_stores(topics, suffix, run, drain, stores):
    source, count, visitors = f"visits{suffix}", 600, 7
    topics.create(TopicSpec(source, 3))
    app = hf.App(f"visitors{suffix}", tasks=4)
    visits = app.stream(source, Visit, key=str)
    counted = visits.process(Visitors)
    counted.to(f"told{suffix}")
    counted.child("strange").to(f"strange{suffix}")
    visits.process(Checking).to(f"checked{suffix}")
    for half in (range(count // 2), range(count // 2, count)):
        topics.produce(
            as_record(source, f"v{n % visitors}", {"page": f"p{n % 3}", "n": n}, 1000 + 10 * n, n % visitors % 3)
            for n in half
        )
        drain(app)

    dead = topics.read(f"visitors{suffix}-dead-letters")
    assert sorted(json.loads(r.value)["n"] for r in dead) == [99 + 100 * i for i in range(6)]
    assert len(topics.read(f"strange{suffix}")) == 6
    kept = stores(app)["visits"]
    emitted = [(r.key.decode(), json.loads(r.value)) for r in topics.read(f"told{suffix}")]
    assert emitted
    totals: Counter[str] = Counter()
    for visitor, each in [*emitted, *kept.items()]:
        assert sum(each["pages"].values()) == each["n"]
        totals[visitor] += each["n"]
    good = [n for n in range(count) if n % 100 not in (98, 99)]
    assert totals == Counter(f"v{n % visitors}" for n in good)
    # Each record was checked right after it was counted: in what was checked the count goes up, or begins anew.
    checked: dict[str, list[int]] = {}
    for r in topics.read(f"checked{suffix}"):
        checked.setdefault(r.key.decode(), []).append(int(r.value))
    assert sum(map(len, checked.values())) == count
    for each in checked.values():
        assert all(after in (before, before + 1, 0, 1) for before, after in zip([0, *each], each, strict=False))
