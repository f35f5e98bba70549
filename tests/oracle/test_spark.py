"""Generated programs through Spark and Kafka: batches and partitions change nothing, and Kafka Streams agrees."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

import holdfast as hf
from holdfast.topics.admin import Topics
from holdfast.topics.records import Record, TopicSpec
from tests.oracle import cases, ours
from tests.oracle.judge import Judge
from tests.oracle.words import STR

CASES = [*cases.sample(10, "every", 0), *cases.sample(10, "latest", 10)]
# Times of today: Kafka would soon throw away what is older than its retention.
BASE = int(time.time() * 1000) - 3_600_000
ALL = 500_000


@pytest.fixture(scope="module")
def theirs(judge: Judge) -> dict[int, dict[str, Any]]:
    """What Kafka Streams makes of each case, its records in the order of the rules."""
    answers = {}
    for case in CASES:
        ordered = ours.in_order(case.program, case.records, {})
        answers[case.number] = judge.run(case.program.app().topology.json(), ordered)
    return answers


@pytest.mark.parametrize(("batch", "partitions"), [(ALL, 1), (ALL, 2), (ALL, 4), (7, 2), (7, 4), (1, 2)])
def test_batches_and_partitions_change_nothing(
    topics: Topics,
    drain: Callable[..., None],
    stores: Callable[[hf.App], dict[str, dict[Any, Any]]],
    suffix: str,
    theirs: dict[int, dict[str, Any]],
    batch: int,
    partitions: int,
) -> None:
    app = hf.App(f"oracle{suffix}", tasks=4)
    for case in CASES:
        case.program.app(prefix=case.prefix + suffix[1:] + "-", into=app)
    produce(topics, suffix)
    app.settings = replace(app.settings, max_records=batch)
    drain(app, **{"spark.sql.shuffle.partitions": str(partitions)})
    content = stores(app)
    for case in CASES:
        prefix = case.prefix + suffix[1:] + "-"
        for topic in case.program.outputs:
            same(case, topic, written(topics, prefix, case, topic), theirs[case.number]["outputs"].get(topic, []))
        for name, entries in theirs[case.number]["stores"].items():
            mine = [[key, value] for key, value in content[prefix + name].items()]
            assert sorted(mine, key=str) == sorted(entries, key=str), shown(case, name)


def produce(topics: Topics, suffix: str) -> None:
    """Create and fill the topics of all cases."""
    names = [
        (case, topic, case.prefix + suffix[1:] + "-" + topic.name) for case in CASES for topic in case.program.topics
    ]
    topics.ensure(TopicSpec(name, 1) for _, _, name in names)
    for case, topic, name in names:
        topics.produce(
            Record(name, text(r["key"]), encoded(topic.value, r["value"]), BASE + r["timestamp"], partition=0)
            for r in case.records
            if r["topic"] == topic.name
        )


def text(value: Any) -> bytes | None:
    return None if value is None else str(value).encode()


def encoded(kind: str, value: Any) -> bytes | None:
    return text(value) if kind == STR or value is None else json.dumps(value).encode()


def decoded(kind: str, data: bytes | None) -> Any:
    return None if data is None else data.decode() if kind == STR else json.loads(data)


def written(topics: Topics, prefix: str, case: cases.Case, topic: str) -> list[list[Any]]:
    var = case.program.outputs[topic]
    found = topics.read(prefix + topic)
    return [[decoded(var.key, r.key), decoded(var.value, r.value), (r.timestamp or 0) - BASE] for r in found]


def same(case: cases.Case, topic: str, mine: list[list[Any]], theirs: list[list[Any]]) -> None:
    """Compare one output: in order per key, unless a change of key after the last exchange leaves the order open."""
    if case.program.compacted(topic):
        assert ours.last_per_key(mine) == ours.last_per_key(theirs), shown(case, topic)
    elif case.program.outputs[topic].rekeyed:
        assert sorted(mine, key=str) == sorted(theirs, key=str), shown(case, topic)
    else:
        assert ours.per_key(mine) == ours.per_key(theirs), shown(case, topic)


def shown(case: cases.Case, what: str) -> str:
    return f"{what} differs\n\n{case.program.source}\n\n{case.records}"
