"""Every kind of operation in real-time mode, beside the same program and records in the driver, each record a batch."""

import json
import random
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

import pytest

import holdfast as hf
from holdfast import functions as F
from holdfast.errors import NotAvailable
from holdfast.testing import Driver
from holdfast.topics.records import TopicSpec
from tests.eventually import eventually
from tests.spark.conftest import as_record

START = 1_767_225_600_000
KEYS = "abcdef"
EXACT = [
    *("sessions", "calm", "closed", "joined", "alone", "consistent", "missed", "matched", "rung", "once"),
    *("together", "flushed"),
]
"""Topics to which the same comes in the same order for each key."""
LAST = ["referred", "told"]
"""Topics whose records come of several tasks, or by the wall clock: the last value of each key is the same."""
TOPICS = [*EXACT, *LAST]


@dataclass
class Visits:
    n: int = 0


@hf.stateful(state=Visits, returns="what STRING, n BIGINT")
def visit(key, event, state, timers):
    state.n += 1
    timers.at(timers.timestamp + timedelta(milliseconds=60), "over")
    return {"what": "came", "n": state.n}


@visit.on_timer
def over(key, name, state, timers):
    yield {"what": name, "n": state.n}
    yield hf.update_state(None)


class Telling(hf.Processor[str, object]):
    """Says every 200 ms of the clock what it has counted."""

    returns = (str, int)
    counts = hf.StateStore("counts", key=str, value=int)

    def init(self, context: hf.ProcessorContext) -> None:
        context.schedule("200 ms", self.emit, clock="wall")

    def process(self, record: hf.Record[str, object]) -> None:
        self.counts[record.key] = self.counts.get(record.key, 0) + 1

    def emit(self, now: datetime) -> None:
        for key, count in self.counts.all():
            self.context.forward(hf.Record(key, count, now))


class Flushing(hf.Processor[str, object]):
    """Says every 100 ms of event time what it has counted, and begins anew."""

    returns = (str, int)
    fresh = hf.StateStore("fresh", key=str, value=int)

    def init(self, context: hf.ProcessorContext) -> None:
        context.schedule("100 ms", self.flush)

    def process(self, record: hf.Record[str, object]) -> None:
        self.fresh[record.key] = self.fresh.get(record.key, 0) + 1

    def flush(self, now: datetime) -> None:
        for key, count in self.fresh.all():
            self.context.forward(hf.Record(key, count, now))
            self.fresh.delete(key)


def every(store: str) -> hf.Materialized:
    return hf.Materialized(store, emit="every")


def make(suffix: str) -> hf.App:
    app = hf.App(f"live{suffix}", tasks=2, mode="real-time", real_time_epoch="4 seconds")
    events = app.stream(f"events{suffix}", "kind STRING, n BIGINT, ref STRING", key=str)
    orders, payments, people, rooms = (
        events.filter(lambda e, kind=kind: e.kind == kind) for kind in ("order", "payment", "person", "room")
    )

    def to(stream, name: str) -> None:
        stream.to(name + suffix)

    windowed = orders.group_by_key().windowed_by(hf.session("40 ms", emit="every"))
    to(windowed.agg(n=F.count("*"), total=F.sum("n"), store="sessions"), "sessions")
    to(orders.group_by_key().count(store=every("n")).suppress(hf.until_time("50 ms")), "calm")
    by_time = payments.group_by_key().windowed_by(hf.tumbling("100 ms", grace="20 ms"))
    to(by_time.count(store="windows").suppress(hf.until_window_closes()), "closed")
    to(orders.join(payments, lambda o, p: dict(o=o.n, p=p.n), within="30 ms"), "joined")
    to(orders.left_join(payments, lambda o, p: dict(o=o.n, p=p.n), within="30 ms"), "alone")
    missing = orders.left_join(payments, lambda o, p: dict(o=o.n, p=p.n), within="10 ms", late=f"missed{suffix}")
    to(missing, "consistent")
    pattern = hf.sequence(small=lambda e: e.n < 3, large=lambda e, *, small: e.n > small.n + 4)
    to(orders.group_by_key().match(pattern, within="200 ms"), "matched")
    to(events.process(visit, store="visits"), "rung")
    to(events.deduplicate("n", within="50 ms"), "once")
    both = hf.cogroup(
        (orders.group_by_key(), lambda s, e: s + e.n), (payments.group_by_key(), lambda s, e: s - e.n)
    ).aggregate(0, store=every("balance"))
    to(both, "together")
    to(events.process(Telling), "told")
    to(events.process(Flushing), "flushed")
    left, right = people.to_table(store="people"), rooms.to_table(store="rooms")
    to(left.join(right, lambda p, r: dict(n=p.n, room=r.n), on="ref", store=every("referred")), "referred")
    return app


def records(suffix: str) -> list[tuple]:
    """Events of all kinds, some late, and at the end one of each kind and key far ahead, which closes the rest."""
    rng = random.Random(7)
    kinds = ("order", "payment", "order", "person", "room")

    def event(kind: str, key: str, at: int) -> tuple:
        value = {"kind": kind, "n": rng.randrange(10), "ref": rng.choice(KEYS)}
        return (f"events{suffix}", key, value, START + at)

    usual = [event(rng.choice(kinds), rng.choice(KEYS), 7 * i - rng.choice([0, 0, 0, 25])) for i in range(200)]
    return usual + [event(kind, key, 100_000 + i) for i, kind in enumerate(kinds) for key in KEYS]


def in_the_driver(suffix: str, piped: list[tuple]) -> dict[str, dict]:
    """What comes to each topic, by key."""
    with Driver(make(suffix), clock=START) as driver:
        for topic, key, value, at in piped:
            driver.pipe(topic, value, key=key, timestamp=at)
        driver.advance(seconds=1)
        assert driver.dead_letters() == []
        return {name: per_key(name, driver.read(name + suffix), written) for name in TOPICS}


def in_kafka(topics, suffix: str) -> dict[str, dict]:
    """The same of what has come so far."""
    emitted: dict[str, list] = {name: [] for name in TOPICS}
    for record in topics.read(*(name + suffix for name in TOPICS)):
        emitted[record.topic.removesuffix(suffix)].append(record)
    return {name: per_key(name, each, read) for name, each in emitted.items()}


def per_key(name: str, emitted: Iterable, plain: Callable[[object], tuple]) -> dict:
    out: dict[str, list] = {}
    for key, value, at in map(plain, emitted):
        out.setdefault(key, []).append((value, at))
    return out if name in EXACT else {key: each[-1][0] for key, each in out.items()}


def written(record) -> tuple:
    key = record.key if isinstance(record.key, str) else (record.key.key, ms(record.key.start), ms(record.key.end))
    return key, record.value, ms(record.timestamp)


def ms(moment: datetime) -> int:
    return round(moment.timestamp() * 1000)


def read(record) -> tuple:
    key = record.key.decode()
    if key.startswith("{"):
        parts = json.loads(key)
        key = (parts["key"], parts["start"], parts["end"])
    return key, None if record.value is None else json.loads(record.value), record.timestamp


def test_everything_gives_what_it_gives_in_the_driver(topics, suffix, run):
    everything = records(suffix)
    topics.create(TopicSpec(f"events{suffix}", 1))
    running = run(make(suffix))
    topics.produce(as_record(*each) for each in everything[:90])
    wait_for_results(topics, suffix, running, in_the_driver(suffix, everything[:90]))
    wait_for_epoch(running)
    topics.produce(as_record(*each) for each in everything[90:])
    wait_for_results(topics, suffix, running, in_the_driver(suffix, everything))
    assert topics.read(f"live{suffix}-dead-letters") == []


def wait_for_results(topics, suffix: str, running, expected: dict[str, dict]) -> None:
    def different() -> dict[str, list]:
        assert not running.wait("100 ms"), "the app has ended"
        return differences(in_kafka(topics, suffix), expected)

    eventually(different, lambda found: not found, seconds=120, every=0.5, what="the results of the driver")


def differences(found: dict[str, dict], expected: dict[str, dict]) -> dict[str, list]:
    """Where they differ: the key, what was found, what was expected."""
    pairs = {name: (found[name], expected[name]) for name in TOPICS if found[name] != expected[name]}
    return {
        name: [(key, a.get(key), b.get(key)) for key in {**a, **b} if a.get(key) != b.get(key)]
        for name, (a, b) in pairs.items()
    }


def wait_for_epoch(running) -> None:
    """What was kept in memory until here is forgotten."""
    before = running.progress()["epoch"]

    def epoch() -> int | None:
        assert not running.wait("100 ms"), "the app has ended"
        return running.progress()["epoch"]

    eventually(epoch, lambda now: now != before, seconds=120, what="an epoch to end")


def test_what_cannot_run_is_refused_by_name(topics, suffix, run):
    app = hf.App(f"frames{suffix}", mode="real-time")
    app.source(lambda spark: spark.readStream.format("rate").load()).to(f"rates{suffix}")
    with pytest.raises(NotAvailable, match=r"real-time mode reads topics only.*dataframe-1 \(test_operations.py:\d+\)"):
        run(app)
