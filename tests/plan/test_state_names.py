"""Everything that keeps state takes a name, and with a name it survives changes of what comes before it."""

from __future__ import annotations

import inspect

import pytest

import holdfast as hf
from holdfast.errors import StateMismatch, TopologyError
from holdfast.plan.explain import explain
from holdfast.plan.planner import plan
from holdfast.plan.recorded_plan import accepted_changes

WRONG_AND_RIGHT = hf.sequence(wrong=lambda t: ~t.ok, right="ok")

KEEPING = {
    "match": lambda s, o, t, name: s.group_by_key().match(WRONG_AND_RIGHT, within="1 minute", store=name),
    "deduplicate": lambda s, o, t, name: s.deduplicate("n", within="1 minute", store=name),
    "stream_join": lambda s, o, t, name: s.join(o, lambda x, y: x, within="1 minute", store=name),
    "left_join": lambda s, o, t, name: s.left_join(o, lambda x, y: x, within="1 minute", store=name),
    "outer_join": lambda s, o, t, name: s.outer_join(o, lambda x, y: x, within="1 minute", store=name),
    "join with grace": lambda s, o, t, name: s.join(t, lambda x, y: x, grace="1 minute", store=name),
}


def program(keep, name, *, limit=0):
    app = hf.App("door")
    tries = app.stream("tries", "n BIGINT, ok BOOLEAN", key=str).filter(lambda t: t.n > limit)
    others = app.stream("others", "n BIGINT", key=str)
    table = app.table("past", "n BIGINT", key=str, store=hf.Materialized("past", versioned="1 hour"))
    keep(tries, others, table, name).to("out")
    return app.topology


def refused(old, new):
    with pytest.raises(StateMismatch) as error:
        accepted_changes(plan(old), plan(new), None, None)
    return str(error.value)


@pytest.mark.parametrize("keep", KEEPING.values(), ids=KEEPING.keys())
def test_with_a_name_what_comes_before_may_change(keep):
    assert "; a store with a name may change so" in refused(program(keep, None), program(keep, None, limit=1))
    named, changed = program(keep, "memory"), program(keep, "memory", limit=1)
    assert accepted_changes(plan(named), plan(changed), None, None) == []


@pytest.mark.parametrize("keep", KEEPING.values(), ids=KEEPING.keys())
def test_the_name_is_that_of_the_state_and_there_is_nothing_to_query(keep):
    topology = program(keep, "memory")
    [store] = [node["store"] for node in topology.json()["nodes"] if (node.get("store") or {}).get("state") == "memory"]
    assert (store["name"], store["changelog"], store["queryable"]) == (None, None, False)
    assert "memory" not in topology.stores
    assert "(memory)" in explain(topology)


@pytest.mark.parametrize("keep", KEEPING.values(), ids=KEEPING.keys())
def test_options_and_names_that_are_none_are_refused(keep):
    with pytest.raises(TopologyError, match=r"this state is no table and has no options, give a name"):
        program(keep, hf.Materialized("memory", ttl="1 hour"))
    with pytest.raises(TopologyError, match="store"):
        program(keep, "no name")
    with pytest.raises(TopologyError, match="already belongs to"):
        program(keep, "past")


def test_a_join_with_a_table_has_no_buffer_to_name():
    app = hf.App("door")
    with pytest.raises(TopologyError, match="with a table it has one only with grace="):
        app.stream("tries", "n BIGINT", key=str).join(app.table("users", "x INT", key=str), store="memory")


@pytest.mark.parametrize("rule", [dict(limit="1 s"), dict(limit="2 s"), dict(limit="1 s", max_records=5)])
def test_what_is_suppressed_may_wait_longer_and_have_a_name(rule):
    def table(store=None, **options):
        app = hf.App("stock")
        app.table("stock", "n INT", key=str).suppress(hf.until_time(**options), store=store).to("calm")
        return plan(app.topology)

    for name in (None, "waiting"):
        assert accepted_changes(table(name, limit="1 s"), table(name, **rule), None, None) == []


def test_what_waits_in_a_state_that_is_gone_is_named():
    def table(*until):
        app = hf.App("stock")
        stock = app.table("stock", "n INT", key=str)
        for each in until:
            stock = stock.suppress(each, store="waiting")
        stock.to("calm")
        return plan(app.topology)

    gone = accepted_changes(table(hf.until_time("1 s")), table(), None, None)
    assert gone == ["state 'waiting' was removed: its state is dropped, and its pending results are never emitted"]


def test_filters_of_tables_take_a_store():
    app = hf.App("stock")
    table = app.table("stock", "n INT", key=str)
    table.filter(lambda s: s.n < 10, store="scarce")
    table.filter_not(lambda s: s.n < 10, store="ample")
    table.filter(hf.python(lambda s: True, returns=bool), store="some")
    table.filter_not(hf.python(lambda s: True, returns=bool), store="none")
    assert set(app.topology.stores) == {"scarce", "ample", "some", "none"}


def matching(*, n=2, within="1 minute", condition=lambda t: ~t.ok, overlap=False):
    pattern = hf.sequence(wrong=hf.repeat(condition, n), right="ok", overlap=overlap)
    return program(lambda s, o, t, name: s.group_by_key().match(pattern, within=within, store=name), "open")


def test_the_conditions_of_a_named_match_may_change_and_its_steps_may_not():
    changed = matching(condition=lambda t: t.n > 7)
    assert accepted_changes(plan(matching()), plan(changed), None, None) == []
    for other in (matching(n=3), matching(within="2 minutes"), matching(overlap=True)):
        assert "state 'open': what match stores has changed" in refused(matching(), other)


@pytest.mark.parametrize(
    "method",
    [
        hf.App.table, hf.App.global_table,
        hf.Stream.to_table, hf.Stream.deduplicate, hf.Stream.process,
        hf.Stream.join, hf.Stream.left_join, hf.Stream.outer_join,
        hf.Table.filter, hf.Table.filter_not, hf.Table.map_values, hf.Table.suppress,
        hf.Table.join, hf.Table.left_join, hf.Table.outer_join,
        hf.Grouped.count, hf.Grouped.agg, hf.Grouped.reduce, hf.Grouped.aggregate, hf.Grouped.top, hf.Grouped.match,
        hf.Cogrouped.aggregate,
    ],
    ids=lambda method: method.__qualname__,
)  # fmt: skip
def test_whatever_keeps_state_takes_a_name(method):
    assert "store" in inspect.signature(method).parameters
