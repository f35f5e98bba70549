"""Processors beside Kafka Streams': outputs in order with timestamps, and the stores."""

from __future__ import annotations

from typing import Any

from hypothesis import given, seed, settings

from holdfast.testing import Driver
from tests.oracle.conftest import CASES, SEED
from tests.oracle.ours import milliseconds
from tests.oracle.processors import app_of, cases


def ours(app: Any, batches: list[list[dict[str, Any]]]) -> tuple[dict[str, list[Any]], dict[str, Any]]:
    with Driver(app) as driver:
        for batch in batches:
            with driver.batch():
                for r in batch:
                    if "topic" in r:
                        driver.pipe(r["topic"], r["value"], key=r["key"], timestamp=r["timestamp"])
            for r in batch:
                if "advance" in r:
                    driver.advance(milliseconds=r["advance"])
        assert driver.dead_letters() == []
        outputs = {
            topic: [[r.key, r.value, milliseconds(r.timestamp)] for r in driver.read(topic)]
            for topic in list(driver._unread)
        }
        return outputs, {name: [[k, v] for k, v in driver.store(name).all()] for name in app.topology.stores}


def theirs(judge: Any, app: Any, records: list[dict[str, Any]]) -> tuple[dict[str, list[Any]], dict[str, Any]]:
    answer = judge.run(app.topology.json(), records)
    return {topic: [row[:3] for row in rows] for topic, rows in answer["outputs"].items()}, answer["stores"]


@seed(SEED)
@settings(settings.get_profile("oracle"), max_examples=max(40, CASES // 5))
@given(cases())
def test_each_record_in_a_batch_of_its_own(judge, case):
    arrangements, records, _ = case
    app = app_of(arrangements)
    assert ours(app, [[r] for r in records]) == theirs(judge, app, records)


@seed(SEED + 1)
@settings(settings.get_profile("oracle"), max_examples=max(20, CASES // 10))
@given(cases())
def test_batches(judge, case):
    """Of one topic: the order between records of a batch is then the order in which they come."""
    arrangements, records, sizes = case
    came = [{**r, "topic": "one"} for r in records if "topic" in r]
    app = app_of(arrangements)
    batches, rest = [], came
    while rest:
        size = sizes[len(batches) % len(sizes)]
        batches.append(rest[:size])
        rest = rest[size:]
    assert ours(app, batches) == theirs(judge, app, came)
