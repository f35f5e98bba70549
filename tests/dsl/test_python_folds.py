"""Aggregates in Python: what they are built of, and what is refused."""

from dataclasses import dataclass

import pytest

import holdfast as hf
from holdfast import functions as F


@dataclass
class Total:
    n: int = 0


def group(table=False):
    app = hf.App("folds")
    source = (app.table if table else app.stream)("in", "x BIGINT", key=str)
    return source.group_by("x") if table else source.group_by_key()


def add(state, value):
    return state


def test_the_state_has_the_type_that_the_function_returns():
    table = group().aggregate(Total(), hf.python(add, returns=Total))
    assert table.schema.splitlines()[1] == "value: STRUCT<n: BIGINT>"
    node = table.graph.nodes[-1].to_json()
    assert node["add"]["python"] == f"add (test_python_folds.py:{add.__code__.co_firstlineno})"
    assert node["add"]["takes"] == ["state", "value"]
    assert node["initial"]["python"] == "Total(n=0)"


def test_the_function_is_named_where_the_program_is_described():
    app = hf.App("folds")
    app.stream("in", int, key=str).group_by_key().reduce(hf.python(add, returns=int), store="kept")
    assert "add (test_python_folds.py:" in app.describe()


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (
            lambda: group().windowed_by(hf.session("1 minute")).aggregate(0, hf.python(add, returns=int), merge=F.max),
            "aggregate: add runs in Python, merge does not; a state is either Spark's or Python's",
        ),
        (
            lambda: group().windowed_by(hf.session("1 minute")).aggregate(0, hf.python(add, returns=int)),
            "give merge=",
        ),
        (
            lambda: group().reduce(hf.python(add, returns=int)),
            "reduce: add returns int, the values are record(x); give the same: returns=...",
        ),
        (
            lambda: group().aggregate("0", hf.python(add, returns=int)),
            "aggregate: initial: int was wanted, '0' (str) came; the function's returns= is int",
        ),
        (
            lambda: group(table=True).aggregate(0, hf.python(add, returns=int), subtract=hf.python(add, returns=float)),
            "aggregate: subtract returns float, the state is int",
        ),
        (
            lambda: group().aggregate(0, hf.python(add, returns=int), subtract=hf.python(add, returns=int)),
            "aggregate: subtract= is for groups of a table",
        ),
        (
            lambda: group().reduce(hf.python(add, returns="x BIGINT"), subtract=hf.python(add, returns="x BIGINT")),
            "reduce: subtract= is for groups of a table",
        ),
        (
            lambda: group().aggregate(0, hf.python(lambda value: value, returns=int)),
            "the add function of aggregate has the parameters (value); it is called with (state, value) or",
        ),
        (
            lambda: group().aggregate(0, hf.python(waiting, returns=int)),
            "each call needs the state that the last one made, so a plain function is wanted",
        ),
        (
            lambda: hf.cogroup((group(), hf.python(add, returns=int))).aggregate(0, merge=hf.python(add, returns=int)),
            "merge= is for sessions",
        ),
    ],
)
def test_misuse(build, message):
    with pytest.raises(hf.HoldfastError) as error:
        build()
    assert message in str(error.value)


async def waiting(state, value):
    return state


def both():
    app = hf.App("joins")
    return app.table("left", "x BIGINT", key=str), app.table("right", "y BIGINT", key=str)


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (
            lambda left, right: left.join(right, hf.python(lambda both: both, returns=int)),
            "the joiner has the parameters (both); it is called with (left, right) or (key, left, right)",
        ),
        (
            lambda left, right: left.to_stream().join(right, hf.python(lambda a: a, returns=int)),
            "the joiner has the parameters (a); it is called with (left, right) or (key, left, right)",
        ),
        (
            lambda left, right: left.to_stream().join(right, hf.arrow(lambda a, b: a, returns=int)),
            "a function of hf.arrow gets a batch, not two sides; use hf.python",
        ),
        (
            lambda left, right: left.map_values(hf.python(waiting_for, returns=int)),
            "a table is worked out by a plain function; use to_stream(), map_values(...) and to_table()",
        ),
        (
            lambda left, right: left.filter(hf.python(lambda v: v, returns=int)),
            "the predicate of filter returns <class 'int'>; give returns=bool",
        ),
        (
            lambda left, right: left.group_by(hf.python(lambda v: v, returns=int)),
            "cannot run in Python here; compute it before, with map_values(hf.python(f, returns=...))",
        ),
    ],
)
def test_misuse_of_tables_and_joiners(build, message):
    with pytest.raises(hf.HoldfastError) as error:
        build(*both())
    assert message in str(error.value)


async def waiting_for(value):
    return value


def test_what_a_joiner_makes_has_the_type_that_it_returns():
    left, right = both()
    joiner = hf.python(lambda a, b: Total(a.x), returns=Total)
    for made in (left.join(right, joiner), left.to_stream().join(right, joiner)):
        assert made.schema.splitlines()[1] == "value: STRUCT<n: BIGINT>"
