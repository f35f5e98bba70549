"""reduce, aggregate and cogroup with functions that run in Python."""

import json
from collections import Counter
from dataclasses import dataclass, field
from datetime import UTC, datetime
from decimal import Decimal

import pytest

import holdfast as hf
from holdfast.testing import Driver
from tests.driver.helpers import letters, pairs


@dataclass
class Score:
    player: str
    points: int


@dataclass
class Board:
    best: list[Score] = field(default_factory=list)
    games: int = 0


def ranked(board: Board, score: Score) -> Board:
    assert isinstance(board, Board)
    assert all(isinstance(each, Score) for each in [*board.best, score])
    board.best = sorted([*board.best, score], key=lambda s: -s.points)[:2]
    board.games += 1
    return board


def run(build, *records, schema=int, together=True):
    """What comes of (key, value) pairs, the store, and the dead letters."""
    app = hf.App("folds", tasks=1)
    build(app.stream("in", schema, key=str).group_by_key()).to("out")
    with Driver(app) as d:
        if together:
            with d.batch():
                for key, value in records:
                    d.pipe("in", value, key=key)
        else:
            for key, value in records:
                d.pipe("in", value, key=key)
        return pairs(d, "out"), letters(d)


def every(name="store"):
    return hf.Materialized(name, emit="every")


@pytest.mark.parametrize("together", [True, False])
def test_states_and_values_are_instances_of_their_classes(together):
    scores = [("g", {"player": p, "points": n}) for p, n in [("a", 3), ("b", 9), ("c", 5)]]
    out, dead = run(
        lambda g: g.aggregate(Board(), hf.python(ranked, returns=Board), store=every()),
        *scores,
        schema=Score,
        together=together,
    )
    assert dead == []
    assert [(v["games"], [s["player"] for s in v["best"]]) for _, v in out] == [
        (1, ["a"]),
        (2, ["b", "a"]),
        (3, ["b", "c"]),
    ]


def test_the_first_value_is_what_reduce_begins_with():
    larger = hf.python(lambda old, new: max(old, new), returns=int)
    out, _ = run(lambda g: g.reduce(larger), ("k", 3), ("k", 9), ("k", 5))
    assert out == [("k", 9)]


def test_functions_may_ask_for_the_key():
    joined = hf.python(lambda key, state, value: f"{state}{key}{value}", returns=str)
    out, _ = run(lambda g: g.aggregate("", joined), ("a", 1), ("b", 2), ("a", 3))
    assert out == [("b", "b2"), ("a", "a1a3")]


def test_none_deletes_and_the_next_record_begins_anew():
    def counted(state, value):
        return None if value == 0 else state + 1

    out, _ = run(
        lambda g: g.aggregate(0, hf.python(counted, returns=int), store=every()), *[("k", v) for v in (1, 1, 0, 1)]
    )
    assert out == [("k", 1), ("k", 2), ("k", None), ("k", 1)]


def test_a_state_that_a_failing_function_has_changed_is_as_before():
    def appended(state, value):
        state.append(value)
        if value < 0:
            raise ValueError(f"{value} is below zero")
        return state

    out, dead = run(
        lambda g: g.aggregate(list, hf.python(appended, returns=list[int])), *[("k", v) for v in (1, -1, 2, -2, -3, 3)]
    )
    assert out == [("k", [1, 2, 3])]
    assert [node for node, _ in dead] == ["aggregate-1"] * 3
    assert dead[0][1].startswith("appended (test_python_folds.py:")
    assert "ValueError: -1 is below zero [" in dead[0][1]
    assert dead[0][1].endswith(" in appended]")


def test_what_was_told_does_not_change_with_the_state():
    def appended(state, value):
        state.append(value)
        return state

    out, _ = run(
        lambda g: g.aggregate([], hf.python(appended, returns=list[int]), store=every()), ("k", 1), ("k", 2), ("j", 3)
    )
    assert out == [("k", [1]), ("k", [1, 2]), ("j", [3])]


@pytest.mark.parametrize(
    ("returns", "initial", "made", "reason"),
    [
        (int, 0, "text", "result: int was wanted, 'text' (str) came"),
        (int, 0, 2**63, "result: 9223372036854775808 does not fit 64 bits"),
        (str, "", "\ud800", "holds half of a character"),
        (Board, Board(), {"best": [], "games": "x"}, "result.games: int was wanted, 'x' (str) came"),
        (list[int], [], [1, None, "2"], "result[2]: int was wanted, '2' (str) came"),
        ("x INT", {"x": 1}, {"x": 2**31}, "result.x: 2147483648 does not fit 32 bits"),
    ],
)
def test_a_wrong_result_names_the_field_and_leaves_the_state(returns, initial, made, reason):
    function = hf.python(lambda state, value: made if value == 2 else state, returns=returns)
    out, dead = run(lambda g: g.aggregate(initial, function), ("k", 1), ("k", 2), ("k", 3))
    assert len(out) == 1
    assert [node for node, _ in dead] == ["aggregate-1"]
    assert reason in dead[0][1]


@dataclass(frozen=True)
class Facts:
    at: datetime
    price: Decimal
    share: float
    names: dict[str, int] = field(default_factory=dict)
    note: str | None = None


@pytest.mark.parametrize("together", [True, False])
def test_a_state_is_the_same_whether_it_was_stored_in_between_or_not(together):
    """Results that only fit are made into what the state's type is before the next call sees them."""

    def next_facts(state, value):
        assert isinstance(state, Facts)
        assert state.at.utcoffset().total_seconds() == 0
        text = f"{state.price} {state.share} {sorted(state.names)} {state.note}"
        return {
            "at": datetime(2026, 1, 1, tzinfo=UTC),
            "price": 1,
            "share": value,
            "names": {text: 1},
            "note": None if value % 2 else "é",
        }

    start = Facts(datetime(2026, 1, 1, tzinfo=UTC), Decimal("1.5"), 0.5)
    out, dead = run(
        lambda g: g.aggregate(start, hf.python(next_facts, returns=Facts), store=every()),
        *[("k", v) for v in (1, 2, 3)],
        together=together,
    )
    assert dead == []
    assert [sorted(v["names"]) for _, v in out] == [
        ["1.500000000000000000 0.5 [] None"],
        ["1.000000000000000000 1.0 ['1.500000000000000000 0.5 [] None'] None"],
        ["1.000000000000000000 2.0 [\"1.000000000000000000 1.0 ['1.500000000000000000 0.5 [] None'] None\"] é"],
    ]


def test_records_without_a_class_have_their_fields_as_attributes():
    function = hf.python(lambda s, v: {"n": s.n + v["x"]}, returns="n BIGINT")
    out, _ = run(lambda g: g.aggregate({"n": 1}, function), ("k", {"x": 2}), ("k", {"x": 3}), schema="x BIGINT")
    assert out == [("k", {"n": 6})]


@dataclass
class Positive:
    n: int

    def __post_init__(self):
        if self.n < 0:
            raise ValueError("below zero")


def test_a_value_that_its_class_refuses_does_not_take_the_others_with_it():
    def summed(state, value):
        return state + value.n

    out, dead = run(
        lambda g: g.aggregate(0, hf.python(summed, returns=int)),
        *[("k", {"n": n}) for n in (1, -1, 2)],
        schema=Positive,
    )
    assert out == [("k", 3)]
    assert "ValueError: below zero" in dead[0][1]


def test_groups_of_a_table_take_rows_back():
    app = hf.App("folds", tasks=1)
    group = app.table("in", Score, key=str).group_by("player")
    group.aggregate(
        0,
        hf.python(lambda total, score: total + score.points, returns=int),
        subtract=hf.python(lambda total, score: total - score.points, returns=int),
        store="totals",
    )
    with Driver(app) as d:
        for key, player, points in [("x", "a", 1), ("y", "a", 2), ("x", "b", 5)]:
            d.pipe("in", {"player": player, "points": points}, key=key)
        assert dict(d.store("totals")) == {"a": 2, "b": 5}


def test_a_batch_of_more_records_than_one_call_takes():
    appended = hf.python(lambda state, value: (state * 3 + value) % 1_000_003, returns=int)
    app = hf.App("folds", tasks=1)
    app.stream("in", int, key=str).group_by_key().aggregate(0, appended, store="store")
    with Driver(app) as d:
        with d.batch():
            for n in range(41_000):
                d.pipe("in", n, key=str(n % 3))
        wanted = dict.fromkeys("012", 0)
        for n in range(41_000):
            wanted[str(n % 3)] = (wanted[str(n % 3)] * 3 + n) % 1_000_003
        assert dict(d.store("store")) == wanted


def test_a_state_survives_a_crash():
    app = hf.App("folds", tasks=1)
    counted = hf.python(lambda state, value: state + value, returns=int)
    app.stream("in", int, key=str).group_by_key().aggregate(0, counted, store="store")
    with Driver(app) as d:
        d.pipe("in", 1, key="k")
        d.crash()
        d.pipe("in", 2, key="k")
        assert dict(d.store("store")) == {"k": 3}


def test_a_task_that_another_instance_has_gone_on_with_is_read_anew():
    """Spark gives the tasks of each batch to whichever instance is free; all of them are on the same state."""
    app = hf.App("folds", tasks=1)
    added = hf.python(lambda state, value: state + value, returns=int)
    sums = app.stream("in", int, key=str).group_by_key().aggregate(0, added, store="sums")
    app.stream("asked", int, key=str).left_join(sums, lambda a, b: b).to("answers")
    with Driver(app) as d:
        one = d._kernel
        other = one.restarted(json.dumps(d._plan.json()))
        for instance, topic in [(one, "asked"), (other, "in"), (one, "asked"), (one, "in"), (other, "asked")]:
            d._kernel = instance
            d.pipe(topic, 5, key="a")
        assert [r.value for r in d.read("answers")] == [None, 5, 10]
        assert dict(d.store("sums")) == {"a": 10}


def test_the_time_of_one_task_is_not_taken_for_that_of_another():
    app = hf.App("folds", tasks=8)
    window = hf.tumbling("5 s", grace="3 s", emit="final")
    groups = app.stream("in", int, key=str, close_on_idle="1 s").group_by_key().windowed_by(window)
    groups.aggregate(0, hf.python(lambda n, value: n + 1, returns=int), store="folded").to("folded")
    groups.count(store="counted").to("counted")
    with Driver(app, clock="2026-07-01T00:00:00Z") as d:
        for second, keys in [(12, "abc"), (13, "d"), (2, "efgh"), (21, "ae"), (4, "bcf"), (24, "dgh")]:
            with d.batch():
                for key in keys:
                    d.pipe("in", 1, key=key, timestamp=second * 1000)
            d.advance(seconds=2)
        late = Counter((each.node, each.record.key) for each in d.late())
        assert {key: n for (node, key), n in late.items() if "aggregate" in node} == {
            key: n for (node, key), n in late.items() if "count" in node
        }
        assert sorted(pairs(d, "folded"), key=str) == sorted(pairs(d, "counted"), key=str)
