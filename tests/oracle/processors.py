"""The processors that the judge has in Java, too (judge/Processors.java), and generated programs of them."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from hypothesis import strategies as st

import holdfast as hf
from tests.oracle.ours import milliseconds

ARRANGEMENTS = ("counted", "flushed", "shared", "followed", "beside", "sorted", "alarmed", "ranged", "rung")
TIMED = {"counted", "flushed", "alarmed"}
"""Kafka Streams' test driver has one stream time for all topics, so that with these there is one topic."""


def apart(name: str) -> hf.StateStore[str, int]:
    """A store of its own."""
    return hf.StateStore(name, key=str, value=int)


class Counting(hf.Processor[str, int]):
    counts = apart("counting")

    def process(self, record: hf.Record[str, int]) -> None:
        self.counts[record.key] = self.counts.get(record.key, 0) + 1
        self.context.forward(record.replace(value=self.counts[record.key]))
        now = self.context.stream_time
        assert now is not None
        later = record.timestamp + (datetime.fromtimestamp(0.001) - datetime.fromtimestamp(0))
        self.context.forward(record.replace(value=milliseconds(now), timestamp=later))


class Flushing(hf.Processor[str, int]):
    seen = apart("flushing")

    def init(self, context: hf.ProcessorContext) -> None:
        context.schedule("7 ms", self.flush)

    def process(self, record: hf.Record[str, int]) -> None:
        if self.seen.put_if_absent(record.key, record.value) is None:
            self.context.forward(record)

    def flush(self, now: datetime) -> None:
        for key, value in self.seen.all():
            self.context.forward(hf.Record(key, value, now))
            self.seen.delete(key)


class Ringing(Flushing):
    seen = apart("ringing")

    def init(self, context: hf.ProcessorContext) -> None:
        context.schedule("7 ms", self.flush, clock="wall")


shared = apart("shared")


class Adding(hf.Processor[str, int]):
    sums = shared

    def process(self, record: hf.Record[str, int]) -> None:
        self.sums[record.key] = self.sums.get(record.key, 0) + record.value
        self.context.forward(record)
        self.context.forward(record.replace(value=1000 + self.sums[record.key]))


class Doubling(hf.Processor[str, int]):
    sums = shared

    def process(self, record: hf.Record[str, int]) -> None:
        self.sums[record.key] = self.sums.get(record.key, 0) * 2
        self.context.forward(record.replace(value=self.sums[record.key]))


class Sorting(hf.Processor[str, int]):
    children = ("low", "high")

    def process(self, record: hf.Record[str, int]) -> None:
        self.context.forward(record, to=(None, "low", "high")[record.value % 3])


class Alarms(hf.Processor[str, int]):
    returns = (str, int)

    def process(self, record: hf.Record[str, int]) -> None:
        if record.value % 4 == 0:
            self.context.schedule(f"{3 + record.value} ms", self.alarm)
        if record.value % 5 == 0:
            self.context.cancel(self.alarm)

    def alarm(self, now: datetime) -> None:
        self.context.forward(hf.Record("alarm", milliseconds(now), now))


class Neighbours(hf.Processor[str, int]):
    kept = apart("neighbours")

    def process(self, record: hf.Record[str, int]) -> None:
        if record.value % 4 == 3:
            self.context.forward(record.replace(value=self.kept.delete(record.key)))
        else:
            self.kept[record.key] = record.value
        self.tell(record, self.kept.range("b", "d"))
        self.tell(record, self.kept.range("a", "c", reverse=True))
        self.tell(record, self.kept.all(reverse=True))

    def tell(self, record: hf.Record[str, int], found: Any) -> None:
        told = 0
        for key, value in found:
            told = told * 100 + value + ord(key) - ord("a")
        self.context.forward(record.replace(value=told))


def app_of(arrangements: list[str], tasks: int = 1) -> hf.App:
    """A program with some of the processors, each kind at most once for each stream it reads."""
    app = hf.App("processors", tasks=tasks)
    one = app.stream("one", int, key=str)
    two = one if TIMED & {*arrangements} else app.stream("two", int, key=str)
    added = None
    for number, what in enumerate(arrangements):
        match what:
            case "counted":
                one.process(Counting).to("counted")
            case "flushed":
                two.process(Flushing).to("flushed")
            case "shared":
                added = one.process(Adding)
                added.to("added")
            case "followed" if added is not None:
                added.process(Doubling).to("followed")
            case "beside":
                two.filter(lambda n: n % 2 == 0).process(Doubling).to(f"beside-{number}")
            case "sorted":
                sorted_ones = one.process(Sorting)
                sorted_ones.child("low").to("low")
                sorted_ones.to("sorted")
                sorted_ones.child("high").map_values(lambda n: n + 1).to("high")
            case "alarmed":
                one.process(Alarms).to("alarms")
            case "rung":
                one.process(Ringing).to("rung")
            case "ranged":
                two.process(Neighbours).to("ranged")
    return app


@st.composite
def cases(draw: st.DrawFn) -> tuple[list[str], list[dict[str, Any]], list[int]]:
    """Arrangements, records, and the sizes of the batches in which they come."""
    arrangements = draw(st.lists(st.sampled_from(ARRANGEMENTS), min_size=1, max_size=5, unique=True))
    records, now = [], 0
    for topic, key, value, step in draw(
        st.lists(
            st.tuples(
                st.sampled_from(["one"] if TIMED & {*arrangements} else ["one", "two"]),
                st.sampled_from("abcd"),
                st.integers(0, 20),
                st.sampled_from([0, 1, 1, 2, 4, 9, 30, -3]),
            ),
            min_size=1,
            max_size=14,
        )
    ):
        now = max(0, now + step)
        records.append({"topic": topic, "key": key, "value": value, "timestamp": now})
        if step % 2 == 0 and step > 0:
            records.append({"advance": 2 * step})
    sizes = draw(st.lists(st.integers(1, 6), min_size=1, max_size=4))
    return arrangements, records, sizes
