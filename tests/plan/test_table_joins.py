"""Where joins of tables run, and what is kept for them."""

from __future__ import annotations

import holdfast as hf
from tests.plan.programs import Program
from tests.plan.test_placement import inputs, node, places
from tests.plan.test_recorded_plan import allowed, refused


def test_two_tables_meet_in_the_first_stage():
    p = Program()
    joined = p.table_join(p.table("a"), p.table("b"))
    p.to(joined, "out")
    assert places(p.plan()) == {"a": 0, "b": 0, joined: 0, "to:out": 0}


def test_a_table_that_is_only_joined_waits_for_the_other_in_a_later_stage():
    p = Program()
    counted = p.count_by(p.join(p.source("s"), p.table("t")))
    joined = p.table_join(p.table("a"), counted)
    assert places(p.plan())["a"] == places(p.plan())[joined] == places(p.plan())[counted] == 1


def test_a_table_that_something_else_reads_is_copied_to_the_other():
    p = Program()
    a = p.table("a")
    p.to(a, "out")
    counted = p.count_by(p.join(p.source("s"), p.table("t")))
    joined = p.table_join(a, counted)
    assert (places(p.plan())["a"], inputs(p.plan(), joined)) == (0, ["a@1", counted])


def test_a_join_that_a_later_join_reads_waits_with_its_tables():
    p = Program()
    counted = p.count_by(p.join(p.source("s"), p.table("t")))
    first = p.table_join(p.table("a"), p.table("b"))
    second = p.table_join(first, counted)
    planned = p.plan()
    assert [n for n in planned.nodes if n.is_copy] == []
    assert {places(planned)[i] for i in ("a", "b", first, second)} == {1}


def test_a_join_without_a_store_is_repeated_above_copies_of_its_tables():
    p = Program()
    a = p.table("a")
    both = p.table_join(a, a)
    p.to(both, "out")
    counted = p.count_by(p.join(p.source("s"), p.table("t")))
    joined = p.table_join(counted, both, "kept")
    planned = p.plan()
    assert inputs(planned, joined) == [counted, f"{both}@1"]
    assert inputs(planned, f"{both}@1") == ["a@1", "a@1"]
    assert places(planned)[both] == 0


def test_a_foreign_key_goes_to_the_other_key_and_back():
    p = Program()
    joined = p.fk_join(p.table("orders"), p.table("customers"), "named")
    planned = p.plan()
    assert places(planned) == {
        "orders": 0,
        "customers": 1,
        f"{joined}.subscribe": 0,
        f"{joined}.lookup": 1,
        joined: 2,
    }
    lookup = node(planned, f"{joined}.lookup")
    assert [each.id for each in lookup.inputs] == [f"{joined}.subscribe", "customers"]
    assert lookup.store.state == "named~subscriptions"
    assert lookup.store.changelog is None
    assert node(planned, joined).store.name == "named"
    assert planned.stages == 3


def test_without_a_name_it_tells_every_update_if_one_of_its_tables_does():
    p = Program()
    a, b = p.table("a", hf.Materialized("a", emit="every")), p.table("b")
    emits = {id: node(p.plan(), id).store.emit for id in (p.fk_join(b, b), p.fk_join(b, p.view(a)))}
    assert list(emits.values()) == ["latest", "every"]
    named, above = p.fk_join(a, b, "named"), p.fk_join(b, p.fk_join(a, b))
    assert [node(p.plan(), id).store.emit for id in (named, above)] == ["latest", "every"]


def test_a_table_of_an_earlier_stage_is_copied_to_where_it_is_referred_to():
    p = Program()
    people = p.table("people")
    joined = p.fk_join(people, people)
    assert inputs(p.plan(), f"{joined}.lookup") == [f"{joined}.subscribe", "people@1"]


def test_a_global_table_comes_by_key():
    p = Program()
    left, titles = p.table("left"), p.global_table("titles")
    joined, referred = p.table_join(left, titles), p.fk_join(left, titles)
    planned = p.plan()
    assert inputs(planned, joined) == ["left", "titles@0"]
    assert inputs(planned, f"{referred}.lookup")[1] == "titles@1"
    assert node(planned, "titles").places == ()


def named(by="f", made="x"):
    p = Program()
    p.fk_join(p.table("orders", "orders"), p.table("customers", "customers"), "named", by=by, made=made)
    return p


def test_another_joiner_or_foreign_key_does_not_fit_the_rows_that_are_joined_already(tmp_path):
    assert allowed(tmp_path, named(), named()) == []
    message = refused(tmp_path, named(), named(made="name"))
    assert "store 'named': it is made of the rows of table orders and table customers in another way" in message
    assert "lookup" not in message
    message = refused(tmp_path, named(), named(by="other"))
    assert "the state of fk_join:named.lookup: what it is made of has changed" in message


def test_a_join_by_a_foreign_key_that_comes_later_does_not_know_the_rows_so_far(tmp_path):
    new = named()
    new.fk_join("orders", "customers", "more", by="g")
    message = refused(tmp_path, named(), new)
    assert "fk_join:more is new (shop.py:13), and what the rows of table orders so far refer to is missing" in message
