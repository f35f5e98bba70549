"""Aggregates in Python on Spark and Kafka: plain, in windows, in sessions."""

import json
from collections import defaultdict
from dataclasses import dataclass

import holdfast as hf
from holdfast.topics.records import Record, TopicSpec


@dataclass
class Event:
    n: int


@dataclass
class Stats:
    count: int
    total: int
    last: list[int]


def added(stats: Stats, event: Event) -> Stats:
    stats.count += 1
    if event.n == 13:
        raise ValueError("thirteen")
    stats.total += event.n
    stats.last = [*stats.last[-1:], event.n]
    return stats


def merged(left: Stats, right: Stats) -> Stats:
    return Stats(left.count + right.count, left.total + right.total, (left.last + right.last)[-2:])


def expected(numbers):
    taken = [n for n in numbers if n != 13]
    return {"count": len(taken), "total": sum(taken), "last": taken[-2:]}


def test_aggregates_in_python(topics, suffix, run):
    source, count = f"events{suffix}", 600
    topics.create(TopicSpec(source, 4))
    topics.produce(
        Record(source, f"k{n % 5}".encode(), json.dumps({"n": n}).encode(), timestamp=1000 + n) for n in range(count)
    )
    app = hf.App(f"python-folds{suffix}", tasks=4)
    events = app.stream(source, Event, key=str).group_by_key()
    add, merge = hf.python(added, returns=Stats), hf.python(merged, returns=Stats)
    begin = Stats(0, 0, [])
    events.aggregate(begin, add).to(f"plain{suffix}")
    events.windowed_by(hf.tumbling("100 ms", grace="1 hour")).aggregate(begin, add).to(f"windowed{suffix}")
    events.windowed_by(hf.session("5 ms", grace="1 hour")).aggregate(begin, add, merge=merge).to(f"sessions{suffix}")
    assert run(app, mode="drain").wait("3 minutes")

    by_key, by_window = defaultdict(list), defaultdict(list)
    for n in range(count):
        by_key[f"k{n % 5}"].append(n)
        by_window[f"k{n % 5}", 1000 + n // 100 * 100].append(n)
    last = {r.key.decode(): json.loads(r.value) for r in topics.read(f"plain{suffix}")}
    assert last == {key: expected(numbers) for key, numbers in by_key.items()}
    windows = {(k["key"], k["start"]): v for k, v in _pairs(topics, f"windowed{suffix}")}
    assert windows == {place: expected(numbers) for place, numbers in by_window.items()}
    sessions = {(k["key"], k["start"]): v for k, v in _pairs(topics, f"sessions{suffix}") if v is not None}
    assert {key: value["count"] for key, value in sessions.items() if value["count"] > 2} == {
        **{(f"k{n}", 1000 + n): 120 for n in (0, 1, 2, 4)},
        ("k3", 1018): 117,
    }
    dead = [dict(r.headers)["hf-reason"].decode() for r in topics.read(f"python-folds{suffix}-dead-letters")]
    assert len(dead) == 3
    assert all("ValueError: thirteen" in reason for reason in dead)


def _pairs(topics, topic):
    return [(json.loads(r.key), r.value and json.loads(r.value)) for r in topics.read(topic)]
