"""Every rule of where a node runs."""

from __future__ import annotations

import pytest

from holdfast.errors import HoldfastError
from holdfast.plan.planner import plan
from tests.plan.programs import Program, leaderboard, referrals


def node(planned, id):
    return next(n for n in planned.nodes if n.id == id)


def inputs(planned, id):
    return [each.id for each in node(planned, id).inputs]


def places(planned):
    return {n.id: n.place for n in planned.nodes}


def test_a_stateless_program_runs_at_ingest():
    p = Program()
    p.to(p.merge(p.select_key(p.filter(p.source("a"))), p.source("b")), "out")
    planned = p.plan()
    assert planned.stages == 0
    assert set(places(planned).values()) == {-1}


def test_the_topology_is_not_changed():
    topology = referrals().topology
    before = topology.json()
    plan(topology)
    assert topology.json() == before


def test_the_leaderboard_has_two_stages():
    assert leaderboard().plan().stages == 2
    assert leaderboard().places() == {
        "score-events": -1,
        "players": 0,
        "products": 0,
        "select_key-1": -1,
        "join-1": 0,
        "join-2": 0,
        "group_by-1": 0,
        "top:leaderboard": 1,
        "to:high-scores": 1,
    }


def test_a_stream_must_be_brought_to_the_task_of_its_key_even_if_the_key_is_the_topics():
    p = Program()
    count = p.count(p.source("a"))
    assert p.places() == {"a": -1, "group_by_key-1": -1, count: 0}


@pytest.mark.parametrize("op", ["map", "flat_map", "select_key", "group_by"])
def test_what_changes_the_key_starts_a_stage(op):
    p = Program()
    table = p.stored("to_table", p.source("a"))
    changed = p.add(op, p.add("to_stream", table))
    after = p.stored("count" if op.startswith("group") else "to_table", changed)
    assert (p.places()[changed], p.places()[after]) == (0, 1)


@pytest.mark.parametrize(
    "op", ["filter", "filter_not", "require", "map_values", "flat_map_values", "group_by_key", "print"]
)
def test_what_keeps_the_key_stays_in_the_stage(op):
    p = Program()
    table = p.stored("to_table", p.source("a"))
    after = p.stored("count" if op.startswith("group") else "to_table", p.add(op, p.add("to_stream", table)))
    assert p.places()[after] == 0


@pytest.mark.parametrize("op", ["count", "agg", "reduce", "aggregate", "top"])
def test_aggregates_share_a_stage_when_they_share_the_key(op):
    p = Program()
    grouped = p.group_by(p.source("a"))
    first, second = p.stored(op, grouped, "x"), p.stored(op, grouped, "y")
    assert p.places()[first] == p.places()[second] == 0
    assert p.plan().stages == 1


def test_three_stages():
    p = Program()
    one = p.count_by(p.source("a"), "one")
    two = p.count_by(p.add("to_stream", one), "two")
    three = p.count_by(p.add("to_stream", two), "three")
    assert [p.places()[x] for x in (one, two, three)] == [0, 1, 2]
    assert p.plan().stages == 3


def test_a_merge_runs_at_the_last_of_its_inputs_and_what_travels_there_arrives_partitioned():
    p = Program()
    late = p.add("to_stream", p.count_by(p.source("a")))
    merged = p.merge(p.source("b"), late)
    after = p.count(merged)
    assert (p.places()[merged], p.places()[after]) == (0, 0)


def test_a_merge_with_a_rekeyed_stream_of_the_same_place_is_not_partitioned():
    p = Program()
    stream = p.add("to_stream", p.count_by(p.source("a")))
    merged = p.merge(stream, p.select_key(stream))
    after = p.count(merged)
    assert (p.places()[merged], p.places()[after]) == (0, 1)


def test_a_merge_with_a_rekeyed_stream_of_an_earlier_place_is_partitioned():
    p = Program()
    early = p.select_key(p.add("to_stream", p.count_by(p.source("a"))))
    late = p.add("to_stream", p.count(early))
    after = p.count(p.merge(early, late))
    assert p.places()[after] == 1


def test_a_table_that_only_joins_read_lives_in_the_first_stage_that_needs_it():
    p = Program()
    users = p.table("users", "users")
    stream = p.add("to_stream", p.count_by(p.source("a")))
    joined = p.join(p.select_key(stream), p.view(users))
    assert (p.places()[users], p.places()["table_filter-1"], p.places()[joined]) == (1, 1, 1)
    assert p.plan().stages == 2


def test_a_table_that_something_else_reads_lives_in_stage_0():
    p = Program()
    users = p.table("users")
    p.to(users, "users-out")
    stream = p.add("to_stream", p.count_by(p.source("a")))
    p.join(p.select_key(stream), users)
    assert p.places()["users"] == 0
    assert p.places()["users@1"] == 1


def test_a_table_read_in_two_stages_is_copied_into_the_later_one_once():
    p = Program()
    users = p.table("users", "users")
    first = p.join(p.source("a"), users)
    rekeyed = p.select_key(first)
    second, third = p.join(rekeyed, users), p.join(rekeyed, users, left=True)
    planned = p.plan()
    assert node(planned, "users").place == 0
    assert inputs(planned, first) == ["a", "users"]
    assert inputs(planned, second) == inputs(planned, third) == [rekeyed, "users@1"]
    assert node(planned, "users@1").to_json() == {
        "id": "users@1",
        "op": "table_copy",
        "inputs": ["users"],
        "at": "shop.py:10",
        "place": 1,
        "store": {"name": None, "state": "users@1", "emit": "every", "changelog": None},
    }


def test_views_are_repeated_above_one_copy():
    p = Program()
    users = p.table("users")
    first = p.join(p.source("a"), users)
    rekeyed = p.select_key(first)
    one, two = p.join(rekeyed, p.view(users)), p.join(rekeyed, p.view(p.view(users)))
    planned = p.plan()
    assert [n.id for n in planned.nodes if n.is_copy] == ["users@1"]
    assert inputs(planned, one)[1] == "table_filter-1@1"
    assert inputs(planned, two)[1] == "table_filter-3@1"
    assert inputs(planned, "table_filter-3@1") == ["table_filter-2@1"]
    assert inputs(planned, "table_filter-2@1") == ["users@1"]
    assert not {"table_filter-1", "table_filter-2", "table_filter-3"} & set(places(planned))


def test_a_view_that_is_still_read_where_it_was_stays():
    p = Program()
    active = p.view(p.table("users"))
    p.join(p.select_key(p.join(p.source("a"), active)), active)
    assert {active, f"{active}@1"} <= set(p.places())


def test_a_view_that_nobody_reads_stays():
    p = Program()
    assert p.view(p.table("users")) in p.places()


def test_a_stored_derived_table_is_copied_itself():
    p = Program()
    users = p.table("users")
    p.join(p.source("a"), users)
    active = p.view(users, "active")
    stream = p.add("to_stream", p.count_by(p.source("b")))
    joined = p.join(p.select_key(stream), active)
    planned = p.plan()
    assert inputs(planned, joined)[1] == f"{active}@1"
    assert node(planned, f"{active}@1").store.state == "active@1"


def test_a_join_moves_to_the_stage_of_a_later_table():
    p = Program()
    late = p.count_by(p.add("to_stream", p.count_by(p.source("a"))), "late")
    joined = p.join(p.source("b"), late)
    assert p.places()[late] == p.places()[joined] == 1
    assert not [n for n in p.plan().nodes if n.is_copy]


def test_a_stream_joined_with_its_own_table():
    p = Program()
    stream = p.select_key(p.source("a"))
    joined = p.join(stream, p.stored("to_table", stream))
    assert p.places()["to_table-1"] == p.places()[joined] == 0


def test_a_rekeyed_stream_joined_with_the_table_it_came_from():
    p = Program()
    table = p.count_by(p.source("a"), "counts")
    joined = p.join(p.select_key(p.add("to_stream", table)), table)
    planned = p.plan()
    assert node(planned, joined).place == 1
    assert inputs(planned, joined)[1] == "count:counts@1"


def test_a_global_join_needs_no_partitioning():
    p = Program()
    products = p.global_table("products")
    stream = p.select_key(p.add("to_stream", p.count_by(p.source("a"))))
    joined = p.join(stream, products)
    after = p.count(joined)
    assert (p.places()[joined], p.places()[after]) == (0, 1)


def test_a_global_join_of_a_source_arrives_partitioned():
    p = Program()
    products = p.global_table("products")
    joined = p.join(p.select_key(p.source("a")), products)
    after = p.count(joined)
    assert (p.places()[joined], p.places()[after]) == (0, 0)


def test_a_global_table_is_in_every_stage_that_reads_it():
    p = Program()
    products = p.global_table("products")
    late = p.add("to_stream", p.count_by(p.join(p.source("a"), products)))
    last = p.count_by(late)
    p.join(p.add("to_stream", last), products)
    assert node(p.plan(), products).places == (0, 2)
    assert node(p.plan(), products).place == 0


@pytest.mark.parametrize(("store", "expected", "stages"), [("products", [0], 1), (None, [], 0)])
def test_a_global_table_that_nobody_joins(store, expected, stages):
    p = Program()
    products = p.global_table("products", store)
    assert node(p.plan(), products).places == tuple(expected)
    assert p.plan().stages == stages


def test_repartition_travels_even_when_the_key_is_the_same():
    p = Program()
    moved = p.repartition(p.add("to_stream", p.count_by(p.source("a"))), 4)
    after = p.count(moved)
    assert (p.places()[moved], p.places()[after]) == (1, 1)


def test_a_stage_without_state_disappears():
    p = Program()
    moved = p.repartition(p.source("a"))
    after = p.count_by(moved)
    assert p.places() == {"a": -1, moved: -1, "group_by-1": -1, after: 0}
    assert p.plan().stages == 1


def test_repartition_alone_is_no_stage():
    p = Program()
    p.to(p.repartition(p.source("a")), "out")
    assert p.plan().stages == 0


def test_repartition_into_more_tasks_than_the_app_has():
    p = Program(tasks=8)
    p.repartition(p.source("a"), 9)
    with pytest.raises(HoldfastError, match=r"shop.py:11: repartition-1: tasks=9 is more than the 8 tasks .*tasks=9\)"):
        p.plan()


def test_a_store_keeps_the_stage_it_has():
    p = Program()
    users = p.table("users", "users")
    p.join(p.source("a"), users)
    count = p.count_by(p.source("b"), "b")
    kept = p.plan(recorded={"b": 1, "users": 1})
    assert places(kept)[count] == places(kept)["users"] == places(kept)["join-1"] == 0  # stage 0 would be empty
    p.count(p.source("c"), "c")
    kept = p.plan(recorded={"b": 1, "users": 1, "c": 0})
    assert places(kept)[count] == places(kept)["users"] == places(kept)["join-1"] == 1
    assert places(kept)["count:c"] == 0
