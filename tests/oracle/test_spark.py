"""Generated programs through Spark and Kafka: batches and partitions change nothing, and Kafka Streams agrees."""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest

import holdfast as hf
from holdfast.plan.planner import plan
from holdfast.plan.stages import INGEST
from holdfast.runtime import Running
from holdfast.topics.admin import Topics
from holdfast.topics.records import Record, TopicSpec
from tests.oracle import cases, ours
from tests.oracle.conftest import CASES as BUDGET
from tests.oracle.judge import Judge
from tests.oracle.test_oracle import forgotten
from tests.oracle.words import STR
from tests.spark.conftest import wait_for_offsets

CASES = [
    *cases.sample(8, "every", 0, ordered=False),
    *cases.sample(7, "latest", 8, ordered=False),
    *cases.sample(8, "every", 15, ordered=True),
    *cases.sample(7, "latest", 23, ordered=True),
    *cases.sample(7, "every", 30, ordered=False, closing=True),
    *cases.sample(7, "latest", 37, ordered=False, closing=True),
]
COUNT = len(CASES)
# Times of today: Kafka would soon throw away what is older than its retention.
BASE = int(time.time()) // 60 * 60_000 - 3_600_000
ALL = 500_000
# A batch takes most of a second whatever is in it: in batches of one there is time for a few, unless much is asked for.
# A task has its own time: what is late or over in one may not be in four, so that those get the cases without it.
RUNS = [(ALL, 1, 1, COUNT), (100, 4, 4, COUNT), (1, 2, 1, 7)]
if BUDGET >= 1000:
    RUNS = [
        (batch, partitions, tasks, COUNT) for batch in (ALL, 100, 1) for partitions in (1, 2, 4) for tasks in (1, 16)
    ]


@pytest.fixture(scope="module")
def theirs(judge: Judge) -> dict[int, dict[str, Any]]:
    """What Kafka Streams makes of each case, its records in the order of the rules."""
    answers = {}
    for case in CASES:
        ordered = ours.in_order(case.program, case.input)
        shifted = [{**r, "timestamp": BASE + r["timestamp"], "headers": {}} for r in ordered]
        answers[case.number] = judge.run(case.program.app().topology.json(), shifted)
    return answers


@pytest.mark.parametrize(("batch", "partitions", "tasks", "count"), RUNS)
def test_batches_and_partitions_change_nothing(
    topics: Topics,
    run: Callable[..., Running],
    stores: Callable[[hf.App], dict[str, dict[Any, Any]]],
    suffix: str,
    theirs: dict[int, dict[str, Any]],
    batch: int,
    partitions: int,
    tasks: int,
    count: int,
) -> None:
    chosen = [case for case in CASES[:: len(CASES) // count] if tasks == 1 or (case.ordered and not case.closing)]
    app = hf.App(f"oracle{suffix}", tasks=tasks)
    for case in chosen:
        case.program.app(prefix=prefix(case, suffix), into=app, python=True)
    topics.ensure(TopicSpec(prefix(case, suffix) + topic.name, 1) for case in chosen for topic in case.program.topics)
    records = [record for case in chosen for record in produced(case, suffix)]
    topics.produce(records)
    app.settings = replace(app.settings, max_records=batch)
    # A drain would close every window at its end.
    running = run(app, **{"spark.sql.shuffle.partitions": str(partitions)})
    wait_for_offsets(running, Counter(record.topic for record in records))
    running.stop()
    content = stores(app)
    written = topics.read(*(prefix(case, suffix) + topic for case in chosen for topic in case.program.outputs))
    for case in chosen:
        answer = theirs[case.number]
        for topic in case.program.outputs:
            found = [row[:3] for row in answer["outputs"].get(topic, [])]
            same(case, topic, rows(written, case, topic, suffix), found)
        for name, entries in answer["stores"].items():
            mine = [[ours.plain(key), value] for key, value in content[prefix(case, suffix) + name].items()]
            kept = [entry for entry in entries or mine if not forgotten(entry, mine)]
            if (
                tasks > 1
            ):  # A window that has expired by the time of all records may be there in a task of its own time.
                mine = [entry for entry in mine if not forgotten(entry, kept)]
            assert ours.in_any_order(ours.about(mine)) == ours.in_any_order(ours.about(kept)), shown(case, name)


def test_a_drain_ended_where_times_went_back(topics: Topics, drain: Callable[..., None], suffix: str) -> None:
    """What is read next may be older than what was read before; the end of a batch was looked for among the latter."""
    app = hf.App(f"back{suffix}", tasks=1, max_records=2)
    app.stream(f"in{suffix}", int, key=str).to(f"out{suffix}")
    topics.ensure([TopicSpec(f"in{suffix}", 1)])
    times = [20, 5, 3, 4, 1, 2, 19]
    topics.produce(Record(f"in{suffix}", b"a", text(at), BASE + at, partition=0) for at in times)
    drain(app)
    assert [int(r.value or 0) for r in topics.read(f"out{suffix}")] == times


def prefix(case: cases.Case, suffix: str) -> str:
    """What the names of a case begin with in the shared app."""
    return f"c{case.number}{suffix}-"


def produced(case: cases.Case, suffix: str) -> Iterator[Record]:
    """The records of a case as they lie in Kafka."""
    kinds = {topic.name: topic.value for topic in case.program.topics}
    for r in case.input:
        value = encoded(kinds[r["topic"]], r["value"])
        yield Record(prefix(case, suffix) + r["topic"], text(r["key"]), value, BASE + r["timestamp"], partition=0)


def text(value: Any) -> bytes | None:
    return None if value is None else str(value).encode()


def encoded(kind: str, value: Any) -> bytes | None:
    return text(value) if kind == STR or value is None else json.dumps(value, default=float).encode()


def decoded(kind: str, data: bytes | None) -> Any:
    return None if data is None else data.decode() if kind == STR else json.loads(data)


def rows(written: list[Record], case: cases.Case, topic: str, suffix: str) -> list[list[Any]]:
    var = case.program.outputs[topic]
    found = (r for r in written if r.topic == prefix(case, suffix) + topic)
    return [[decoded(var.key, r.key), decoded(var.value, r.value), r.timestamp or 0] for r in found]


def same(case: cases.Case, topic: str, mine: list[list[Any]], theirs: list[list[Any]]) -> None:
    """Compare one output: in order per key, unless something after the last exchange leaves the order open."""
    mine, theirs = ours.about(mine), ours.about(theirs)
    if case.program.compacted(topic):
        assert ours.last_per_key(mine) == ours.last_per_key(theirs), shown(case, topic)
    elif in_open_order(case, topic):
        assert ours.in_any_order(mine) == ours.in_any_order(theirs), shown(case, topic)
    else:
        assert ours.per_key(_keyed(mine)) == ours.per_key(_keyed(theirs)), shown(case, topic)
        assert ours.in_any_order(mine) == ours.in_any_order(theirs), shown(case, topic)


def in_open_order(case: cases.Case, topic: str) -> bool:
    """Tell whether Kafka Streams promises no order of one key in this output."""
    output = case.program.outputs[topic]
    return case.alone or output.rekeyed or output.jumbled or merged(case, topic)


def merged(case: cases.Case, topic: str) -> bool:
    """Tell whether records of several topics go there as they were read: `KStream.merge` promises them no order."""
    nodes = plan(case.program.app().topology).nodes
    at_once = any(topic in node.topics_written and node.place == INGEST for node in nodes)
    return at_once and len({way[0] for way in case.program.outputs[topic].ways}) > 1


def _keyed(rows: list[list[Any]]) -> list[list[Any]]:
    """Records without a key have an order only among those of their partition."""
    return [row for row in rows if row[0] is not None]


def shown(case: cases.Case, what: str) -> str:
    return f"{what} differs\n\n{case.program.source}\n\n{case.input}"
