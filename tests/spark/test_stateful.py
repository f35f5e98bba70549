"""Functions with state on Spark and Kafka: over restarts, with states whose class changes, and by the wall clock."""

import json
import time
from dataclasses import dataclass, field

import pytest

import holdfast as hf
from holdfast.errors import StateMismatch
from holdfast.topics.records import Record, TopicSpec


@dataclass
class Total:
    n: int = 0
    cents: int = 0
    old: str = "x"


@dataclass
class Evolved:
    n: int = 0
    cents: int = 0
    seen: list[str] = field(default_factory=lambda: ["before"])


@dataclass
class Retyped:
    n: str = ""
    cents: int = 0


def program(suffix, state, *, wall=False):
    @hf.stateful(state=state, returns=str)
    def add(key, cents, total, timers):
        total.n += 1
        total.cents += cents
        timers.at(timers.timestamp.replace(year=2030), "end")
        if wall:
            timers.every("1 second", "beat", clock="wall")
        if cents < 0:
            raise ValueError("negative")
        yield f"{key} {total.n} {total.cents} {getattr(total, 'seen', None)}"

    @add.on_timer
    def ring(key, name, total, timers):
        yield f"{key} {name} {total.n}"
        if name == "beat":
            timers.cancel(name)

    app = hf.App(f"totals{suffix}", tasks=4, trigger="100 ms")
    app.stream(f"payments{suffix}", int, key=str).process(add, store="totals").to(f"sums{suffix}")
    return app


def payments(topics, suffix, *cents):
    topics.produce(
        Record(f"payments{suffix}", f"k{n % 3}".encode(), str(each).encode(), timestamp=1_767_225_600_000 + n)
        for n, each in enumerate(cents)
    )


def sums(topics, suffix):
    return sorted(record.value.decode() for record in topics.read(f"sums{suffix}"))


def test_states_are_kept_and_their_class_may_change(topics, suffix, drain, stores):
    topics.create(TopicSpec(f"payments{suffix}", 2))
    payments(topics, suffix, 1, 2, 3, 4, -5)
    drain(program(suffix, Total))
    assert sums(topics, suffix) == ["k0 1 1 None", "k0 2 5 None", "k1 1 2 None", "k2 1 3 None"]
    [dead] = topics.read(f"totals{suffix}-dead-letters")
    assert "ValueError: negative" in dict(dead.headers)["hf-reason"].decode()
    assert stores(program(suffix, Total))["totals"]["k0"] == {"n": 2, "cents": 5, "old": "x"}

    payments(topics, suffix, 10)
    drain(program(suffix, Evolved))
    assert "k0 3 15 ['before']" in sums(topics, suffix)
    assert stores(program(suffix, Evolved))["totals"] == {
        "k0": {"n": 3, "cents": 15, "seen": ["before"]},
        "k1": {"n": 1, "cents": 2, "seen": ["before"]},
        "k2": {"n": 1, "cents": 3, "seen": ["before"]},
    }

    with pytest.raises(StateMismatch, match="store 'totals': in its state, n was long, is string"):
        drain(program(suffix, Retyped))
    changelog = {r.key: json.loads(r.value) for r in topics.read(f"totals{suffix}-totals-changelog")}
    assert changelog[b"k0"] == {"n": 3, "cents": 15, "seen": ["before"]}


def test_the_wall_clock_wakes_an_app_to_which_nothing_comes(topics, suffix, run):
    topics.create(TopicSpec(f"payments{suffix}", 2))
    payments(topics, suffix, 1, 2, 3)
    run(program(suffix, Total, wall=True))
    wanted = ["k0 1 1 None", "k0 beat 1", "k1 1 2 None", "k1 beat 1", "k2 1 3 None", "k2 beat 1"]
    deadline = time.monotonic() + 90
    while sums(topics, suffix) != wanted:
        assert time.monotonic() < deadline, sums(topics, suffix)
