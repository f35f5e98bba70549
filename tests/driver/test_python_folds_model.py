"""Aggregates in Python against the same ones as expressions, on generated records, with failures and deletes."""

import os
from collections import Counter
from dataclasses import dataclass

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import holdfast as hf
from holdfast import functions as F
from holdfast.testing import Driver
from tests.driver.helpers import timed

EXAMPLES = int(os.environ.get("HOLDFAST_FOLD_EXAMPLES", "5"))
FAILS, DELETES = 13, 14
VALUES = st.one_of(st.none(), st.integers(1, 5), st.sampled_from([FAILS, DELETES]))
RECORDS = st.lists(st.tuples(st.sampled_from("ab"), VALUES, st.integers(0, 40)), max_size=20)
SIZES = st.lists(st.integers(1, 6), min_size=1, max_size=5)
WINDOWS = {
    "none": lambda emit: None,
    "tumbling": lambda emit: hf.tumbling("5 ms", grace="9 ms", emit=emit),
    "hopping": lambda emit: hf.hopping("6 ms", advance="2 ms", grace="9 ms", emit=emit),
    "sliding": lambda emit: hf.sliding("5 ms", grace="9 ms", emit=emit),
    "session": lambda emit: hf.session("3 ms", grace="9 ms", emit=emit),
    "calendar": lambda emit: hf.calendar("day", emit=emit),
    "trailing": lambda emit: hf.trailing("5 ms", grace="9 ms"),
    "last": lambda emit: hf.sliding_count(3),
    "every": lambda emit: hf.tumbling_count(3),
}


@dataclass
class Value:
    n: int


@dataclass
class State:
    count: int = 0
    total: int = 0


def add(state: State, value: Value) -> State | None:
    state.count += 1
    if value.n == FAILS:
        raise ValueError("fails")
    state.total = state.total * 2 + value.n
    return None if value.n == DELETES else state


def merge(left: State, right: State) -> State:
    return State(left.count + right.count, left.total * 3 + right.total)


def reduced(old: Value, new: Value) -> Value | None:
    old.n = old.n * 2 + new.n
    if new.n == FAILS:
        raise ValueError("fails")
    return None if new.n == DELETES else old


def native_add(s, v):
    made = dict(count=s.count + 1, total=s.total * 2 + v.n)
    failing = F.when(v.n == FAILS, F.raise_error("fails")).otherwise(v.n)
    return F.when(v.n == DELETES, None).otherwise(dict(made, total=s.total * 2 + failing))


def native_merge(left, right):
    return dict(count=left.count + right.count, total=left.total * 3 + right.total)


def native_reduced(old, new):
    failing = F.when(new.n == FAILS, F.raise_error("fails")).otherwise(new.n)
    return F.when(new.n == DELETES, None).otherwise(dict(n=old.n * 2 + failing))


def program(window, emit, **options):
    app = hf.App("folds", tasks=1)
    group = app.stream("in", Value, key=str).group_by_key()
    final = emit if window != "none" else None
    made = WINDOWS[window](final)
    group = group if made is None else group.windowed_by(made)
    merging = ({"merge": native_merge}, {"merge": hf.python(merge, returns=State)}) if window == "session" else ({}, {})

    def store(name):
        return hf.Materialized(name, emit="every" if emit == "every" and window == "none" else "latest", **options)

    group.aggregate(State(), native_add, store=store("native"), **merging[0]).to("native")
    group.aggregate(State(), hf.python(add, returns=State), store=store("python"), **merging[1]).to("python")
    group.reduce(native_reduced, store=store("native-reduce")).to("native-reduce")
    group.reduce(hf.python(reduced, returns=Value), store=store("python-reduce")).to("python-reduce")
    return app


def agree(app, records, sizes):
    """Both ways emit, store and refuse the same."""
    with Driver(app) as d:
        at, turn = 0, 0
        while at < len(records):
            size = sizes[turn % len(sizes)]
            with d.batch():
                for key, value, time in records[at : at + size]:
                    d.pipe("in", None if value is None else {"n": value}, key=key, timestamp=time)
            at, turn = at + size, turn + 1
        for kind in ("", "-reduce"):
            assert timed(d, f"python{kind}") == timed(d, f"native{kind}")
            stores = [dict(d.store(f"{how}{kind}").all()) for how in ("python", "native")]
            assert stores[0] == stores[1]
        refused = Counter(letter.node for letter in d.dead_letters())
        late = Counter(each.node for each in d.late())
        for counts in (refused, late):
            for kind, op in (("", "aggregate"), ("-reduce", "reduce")):
                assert counts[f"{op}:python{kind}"] == counts[f"{op}:native{kind}"]


CASES = [(window, emit) for window in WINDOWS for emit in ("latest", "every", "final")]
ONE_EMISSION = ("trailing", "last", "every")


@pytest.mark.parametrize(
    ("window", "emit"), [each for each in CASES if each[0] not in ONE_EMISSION or each[1] == "latest"]
)
@settings(max_examples=EXAMPLES, deadline=None)
@given(records=RECORDS, sizes=SIZES)
def test_windows(window, emit, records, sizes):
    agree(program(window, emit), records, sizes)


@settings(max_examples=2 * EXAMPLES, deadline=None)
@given(records=RECORDS, sizes=SIZES)
def test_entries_that_end(records, sizes):
    agree(program("none", "latest", ttl="6 ms"), records, sizes)


@settings(max_examples=2 * EXAMPLES, deadline=None)
@given(records=RECORDS, sizes=SIZES)
def test_versions(records, sizes):
    agree(program("none", "latest", versioned="10 ms"), records, sizes)


def subtract(state: State, value: Value) -> State:
    if value.n == FAILS - 1:
        raise ValueError("stays")
    return State(state.count - 1, state.total - value.n)


def plus(state: State, value: Value) -> State | None:
    state.count += 1
    if value.n == FAILS:
        raise ValueError("fails")
    state.total += value.n
    return None if value.n == DELETES else state


def native_plus(s, v):
    failing = F.when(v.n == FAILS, F.raise_error("fails")).otherwise(v.n)
    return F.when(v.n == DELETES, None).otherwise(dict(count=s.count + 1, total=s.total + failing))


def native_subtract(s, v):
    failing = F.when(v.n == FAILS - 1, F.raise_error("stays")).otherwise(v.n)
    return dict(count=s.count - 1, total=s.total - failing)


@pytest.mark.parametrize("subtracts", [True, False])
@pytest.mark.parametrize("emit", ["latest", "every"])
@settings(max_examples=2 * EXAMPLES, deadline=None)
@given(
    records=st.lists(
        st.tuples(st.sampled_from("abcd"), st.one_of(VALUES, st.just(FAILS - 1)), st.integers(0, 9)), max_size=20
    ),
    sizes=SIZES,
)
def test_groups_of_a_table(emit, subtracts, records, sizes):
    app = hf.App("groups", tasks=1)
    group = app.table("in", Value, key=str).group_by(lambda k, v: k <= "b")
    python = {"add": hf.python(plus, returns=State)}
    native = {"add": native_plus}
    if subtracts:
        python["subtract"] = hf.python(subtract, returns=State)
        native["subtract"] = native_subtract
    group.aggregate(State(), **native, store=hf.Materialized("native", emit=emit)).to("native")
    group.aggregate(State(), **python, store=hf.Materialized("python", emit=emit)).to("python")
    group.reduce(native_reduced, store=hf.Materialized("native-reduce", emit=emit)).to("native-reduce")
    group.reduce(hf.python(reduced, returns=Value), store=hf.Materialized("python-reduce", emit=emit)).to(
        "python-reduce"
    )
    agree(app, records, sizes)


@settings(max_examples=2 * EXAMPLES, deadline=None)
@given(records=RECORDS, sizes=SIZES)
def test_what_others_read_of_a_table_in_the_same_batch(records, sizes):
    """A join sees the value as of each record's place, and a group of the table retracts what was emitted."""
    app = hf.App("reading", tasks=1)
    stream = app.stream("in", Value, key=str)
    for how, table in {
        "native": stream.group_by_key().aggregate(State(), native_add, store="native"),
        "python": stream.group_by_key().aggregate(State(), hf.python(add, returns=State), store="python"),
        "native-reduce": stream.group_by_key().reduce(native_reduced, store="native-reduce"),
        "python-reduce": stream.group_by_key().reduce(hf.python(reduced, returns=Value), store="python-reduce"),
    }.items():
        stream.left_join(table, lambda v, s: dict(v=v, s=s)).to(how)
        table.group_by(lambda s: F.lit("all")).count(store=f"{how}-groups").to(f"{how}-groups")
    agree(app, records, sizes)


@settings(max_examples=2 * EXAMPLES, deadline=None)
@given(
    records=st.lists(st.tuples(st.sampled_from("ab"), VALUES, st.integers(0, 40), st.booleans()), max_size=20),
    size=st.integers(1, 20),
    window=st.sampled_from([None, hf.session("3 ms", grace="9 ms", emit="every"), hf.hopping("6 ms", advance="2 ms")]),
)
def test_several_groups(records, size, window):
    app = hf.App("cogrouped", tasks=1)
    one, two = (app.stream(name, Value, key=str).group_by_key() for name in ("one", "two"))
    functions = {
        "native": (native_add, native_plus, native_merge),
        "python": tuple(hf.python(f, returns=State) for f in (add, plus, merge)),
    }
    for how, (first, second, merging) in functions.items():
        group = hf.cogroup((one, first), (two, second))
        group = group if window is None else group.windowed_by(window)
        sessions = window is not None and window == hf.session("3 ms", grace="9 ms", emit="every")
        group.aggregate(State(), merge=merging if sessions else None, store=how).to(how)
    with Driver(app) as d:
        for at in range(0, len(records), size):
            with d.batch():
                for key, value, time, first in records[at : at + size]:
                    value = None if value is None else {"n": value}
                    d.pipe("one" if first else "two", value, key=key, timestamp=time)
        assert timed(d, "python") == timed(d, "native")
        assert dict(d.store("python").all()) == dict(d.store("native").all())
