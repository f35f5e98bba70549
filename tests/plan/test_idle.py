"""A drain closes at its end what waits for time, and leaves programs alone in which nothing does."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import holdfast as hf
from holdfast.plan.idle import as_run
from holdfast.plan.planner import plan

Part = Callable[[hf.App, hf.Stream], object]


def versioned(app: hf.App) -> hf.Table:
    return app.table("prices", int, key=str, store=hf.Materialized("prices", versioned="1 day"))


WAITING: dict[str, Part] = {
    "windows": lambda a, s: s.group_by_key().windowed_by(hf.tumbling("1 s", emit="final")).count(),
    "sessions": lambda a, s: s.group_by_key().windowed_by(hf.session("1 s")).count(),
    "a join of streams": lambda a, s: s.left_join(a.stream("more", int, key=str), lambda x, y: x, within="1 s").to("o"),
    "a join with a grace": lambda a, s: s.join(versioned(a), lambda x, y: y, grace="1 s").to("o"),
    "entries that expire": lambda a, s: s.to_table(store=hf.Materialized("t", ttl="1 s")),
    "a pattern": lambda a, s: s.group_by_key().match(hf.sequence(a=lambda v: v > 1), within="1 s").to("o"),
    "suppress": lambda a, s: s.group_by_key().count().suppress(hf.until_time("1 s")).to("o"),
}
NOT_WAITING: dict[str, Part] = {
    "no state": lambda a, s: s.filter(lambda v: v > 1).to("o"),
    "a count": lambda a, s: s.group_by_key().count(store="n"),
    "a join with a table": lambda a, s: s.join(a.table("t", int, key=str), lambda x, y: y).to("o"),
}


def idle_after(part: Part, mode: str, **options: str) -> dict[str, int | None]:
    app = hf.App("ends")
    part(app, app.stream("in", int, key=str, **options))
    nodes = as_run(plan(app.topology), mode).nodes
    return {topic: node.close_on_idle for node in nodes for topic in node.topics_read}


@pytest.mark.parametrize("part", WAITING.values(), ids=WAITING.keys())
def test_a_drain_closes_what_waits_for_time(part):
    assert idle_after(part, "drain")["in"] == 1
    assert idle_after(part, "exactly-once")["in"] is None


@pytest.mark.parametrize("part", NOT_WAITING.values(), ids=NOT_WAITING.keys())
def test_where_nothing_waits_a_drain_runs_the_plan_as_it_is(part):
    assert set(idle_after(part, "drain").values()) == {None}


def test_what_the_program_says_stays():
    assert idle_after(WAITING["windows"], "drain", close_on_idle="5 seconds") == {"in": 5_000}


def test_what_waits_in_tables_is_closed_too():
    assert idle_after(WAITING["a join with a grace"], "drain") == {"in": 1, "prices": 1}
