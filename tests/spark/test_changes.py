"""Changed programs and other modes through Spark and Kafka."""

import json

import pytest

import holdfast as hf
from holdfast import functions as F
from holdfast.errors import StateMismatch
from holdfast.plan.planner import plan
from holdfast.runtime.topics import ensure_topics
from tests.eventually import eventually
from tests.spark.conftest import as_record

# In the future, so that the end of a drain, which is now, closes nothing.
START, MINUTE = 4_102_444_800_000, 60_000


def test_a_renamed_aggregate_of_a_table_is_refused_and_nothing_is_lost_by_the_attempt(topics, drain, stores, suffix):
    def inhabitants(store):
        app = hf.App(f"town{suffix}")
        people = app.table(f"people{suffix}", "city STRING, age INT", key=str)
        people.group_by("city").count(store=store).to(f"inhabitants{suffix}")
        return app

    ensure_topics(topics, plan(inhabitants("here").topology))
    topics.produce([as_record(f"people{suffix}", name, {"city": "Rome", "age": 1}) for name in ("a", "b", "c")])
    drain(inhabitants("here"))
    topics.produce([as_record(f"people{suffix}", "a", {"city": "Rome", "age": 2})])
    with pytest.raises(StateMismatch, match="store 'there' is new .*, over table people.*, whose rows so far would be"):
        drain(inhabitants("there"))
    drain(inhabitants("here"))
    assert stores(inhabitants("here")) == {"here": {"Rome": 3}}
    assert {json.loads(r.value) for r in topics.read(f"inhabitants{suffix}") if r.value} == {3}


def test_a_store_that_was_gone_for_a_while_comes_back_empty(topics, drain, stores, suffix):
    def visits(store, type):
        app = hf.App(f"visits{suffix}", tasks=4)
        found = app.stream(f"visits{suffix}", "n BIGINT", key=str).map_values(lambda v: F.cast(v.n, type))
        found.group_by_key().reduce(lambda old, new: old + new, store=store)
        return app

    ensure_topics(topics, plan(visits("all", "bigint").topology))
    for store, type in (("all", "bigint"), ("others", "bigint"), ("all", "string"), ("others", "bigint")):
        topics.produce([as_record(f"visits{suffix}", f"k{i}", {"n": 5}) for i in range(20)])
        drain(visits(store, type))
        assert set(stores(visits(store, type))[store].values()) == {"5" if type == "string" else 5}


def test_a_match_goes_on_from_one_mode_in_another(topics, run, drain, suffix):
    app = hf.App(f"doors{suffix}")
    tries = app.stream(f"tries{suffix}", "ok BOOLEAN", key=str, max_ahead=None).group_by_key()
    tries.match(hf.sequence(wrong=lambda t: ~t.ok, right="ok"), within="10 minutes").to(f"guessed{suffix}")
    ensure_topics(topics, plan(app.topology))

    def attempt(door, ok, minute):
        topics.produce([as_record(f"tries{suffix}", door, {"ok": ok}, timestamp=START + minute * MINUTE)])

    attempt("a", False, 0)
    drain(app)
    attempt("b", False, 1)
    running = run(app, mode="exactly-once")
    attempt("a", True, 2)
    eventually(lambda: topics.read(f"guessed{suffix}"))
    running.stop()
    attempt("b", True, 3)
    drain(app)
    assert [r.key.decode() for r in topics.read(f"guessed{suffix}")] == ["a", "b"]


def test_a_start_says_what_becomes_of_the_stores(topics, run, drain, suffix):
    def visits(store):
        app = hf.App(f"visits{suffix}")
        app.stream(f"visits{suffix}", str, key=str).group_by_key().count(store=store)
        return app

    ensure_topics(topics, plan(visits("here").topology))
    drain(visits("here"))
    running = run(visits("there"), mode="drain")
    new, gone = running.changes
    assert new.startswith("store 'there' is new (test_changes.py:")
    assert gone == "store 'here' was removed: its state is dropped"
    running.wait()
