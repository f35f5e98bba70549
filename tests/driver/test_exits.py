"""What is no `Exception` costs one record, too: `sys.exit()`, and a coroutine that waited for what was cancelled."""

from __future__ import annotations

import asyncio
import sys
from dataclasses import dataclass

import pytest

import holdfast as hf
from holdfast.testing import Driver


@dataclass
class Seen:
    n: int = 0


def leave(value: str) -> str:
    if value == "bad":
        sys.exit("no such option")
    return value


async def cancelled(value: str) -> str:
    if value == "bad":
        raise asyncio.CancelledError("the connection was closed")
    return value


async def leave_later(value: str) -> str:
    return leave(value)


def leave_batch(values):
    leave("bad" if "bad" in values.column(0).to_pylist() else "")
    return values.column(0)


async def cancelled_batch(values):
    await cancelled("bad" if "bad" in values.column(0).to_pylist() else "")
    return values.column(0)


@hf.stateful(state=Seen, returns=str)
def remember(key, value, state, timers):
    state.n += 1
    return leave(value)


class Forward(hf.Processor[str, str]):
    def process(self, record):
        leave(record.value)
        self.context.forward(record)


def last(old: str, value: str) -> str:
    return leave(value)


WAYS = {
    "plain": lambda stream: stream.map_values(hf.python(leave, returns=str)),
    "async": lambda stream: stream.map_values(hf.python(leave_later, returns=str)),
    "async, again": lambda stream: stream.map_values(hf.python(leave_later, returns=str, retries=1)),
    "async, cancelled": lambda stream: stream.map_values(hf.python(cancelled, returns=str)),
    "async, cancelled within a time": lambda stream: stream.map_values(
        hf.python(cancelled, returns=str, timeout="1 minute")
    ),
    "arrow": lambda stream: stream.map_values(hf.arrow(leave_batch, returns=str)),
    "arrow, cancelled": lambda stream: stream.map_values(hf.arrow(cancelled_batch, returns=str)),
    "stateful": lambda stream: stream.process(remember),
    "processor": lambda stream: stream.process(Forward),
    "fold": lambda stream: stream.group_by_key().aggregate(
        "", hf.python(last, returns=str), store=hf.Materialized("last", emit="every")
    ),
}


@pytest.mark.parametrize("way", WAYS)
def test_a_function_that_exits_or_is_cancelled_costs_its_record(way):
    app = hf.App("exits", tasks=1)
    WAYS[way](app.stream("in", str, key=str)).to("out")
    with Driver(app) as driver:
        with driver.batch():
            for value in ["a", "bad", "b"]:
                driver.pipe("in", value, key="k")
        driver.pipe("in", "c", key="k")
        assert [record.value for record in driver.read("out")] == ["a", "b", "c"]
        (letter,) = driver.dead_letters()
    wanted = "CancelledError: the connection was closed" if "cancelled" in way else "SystemExit: no such option"
    assert wanted in letter.reason


def test_of_many_keys_only_the_record_is_lost():
    app = hf.App("exits", tasks=1)
    app.stream("in", str, key=str).process(remember).to("out")
    with Driver(app) as driver:
        with driver.batch():
            for number in range(100):
                driver.pipe("in", "bad" if number == 50 else "a", key=f"k{number}")
        assert len(driver.read("out")) == 99
        assert len(driver.dead_letters()) == 1
