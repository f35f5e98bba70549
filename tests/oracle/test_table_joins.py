"""Joins of tables, update by update, as Kafka Streams does them: all three by key, and by foreign keys."""

from __future__ import annotations

from collections import defaultdict

import pytest

from tests.driver.test_foreign_key_join import LEFT_FIRST, RIGHT_FIRST, null, steps
from tests.driver.test_table_join import OLD_AND_NEW
from tests.oracle.helpers import both, record

EVERY = "store=hf.Materialized('{}', emit='every')"
WORDS = f"""
left = app.table('left', str, key=int, {EVERY.format("left")})
right = app.table('right', str, key=int, {EVERY.format("right")})
def text(l, r):
    return F.concat(F.coalesce(l, F.lit('null')), F.lit('+'), F.coalesce(r, F.lit('null')))
"""
REFERENCES = f"""
left = app.table('left', 'text STRING, to STRING', key=str, {EVERY.format("left")})
right = app.table('right', str, key=str, {EVERY.format("right")})
def text(l, r):
    return F.concat(l.text, F.lit('+'), F.coalesce(r, F.lit('null')))
"""
PEOPLE = f"""
people = app.table('people', 'name STRING, boss BIGINT', key=int, {EVERY.format("people")})
def text(p, b):
    return F.concat(p.name, F.lit('<'), F.coalesce(b.name, F.lit('-')))
"""


def same(judge, program, records):
    mine, theirs = both(judge, program, *(record(*each) for each in records))
    assert per_key(mine) == per_key(theirs)
    assert mine


def per_key(updates):
    out = defaultdict(list)
    for key, value, at in updates:
        out[key].append((value, at))
    return dict(out)


@pytest.mark.parametrize("store", ["", f", {EVERY.format('joined')}"], ids=["view", "kept"])
@pytest.mark.parametrize("how", ["join", "left_join", "outer_join"])
def test_by_key(judge, how, store):
    gone = [("right", 7, None, 50), ("left", 7, None, 51), ("right", 7, "y", 52), ("left", 7, None, 53)]
    again = [("right", 7, None, 54), ("right", 7, None, 55)]
    program = f"{WORDS}\nleft.{how}(right, text{store}).to('out')"
    same(judge, program, [*OLD_AND_NEW, *gone, *again])


ANOTHER = steps(
    ("r1", "R1"),
    ("r2", "R2"),
    ("l1", "A|r1"),
    ("l1", "A|r2"),
    ("l1", "A|r9"),
    ("r1", "S1"),
    ("r9", "R9"),
    ("l1", "B|r9"),
)
GONE = steps(("l1", "A|r1"), ("l1", None), ("l1", None), ("r1", None), ("l2", None), ("r1", "R"), ("r1", None))
SAME = steps(
    ("l1", "A|r1"),
    ("l1", "B|r1"),
    ("l1", "B|r1"),
    ("r1", "R"),
    ("l1", "C|r1"),
    ("r1", None),
    ("l1", "D|r1"),
    ("l1", None),
)
TIMES = [
    ("right", "r1", "R", 50),
    ("left", "l1", {"text": "A", "to": "r1"}, 20),
    ("left", "l1", {"text": "B", "to": "r1"}, 70),
    ("right", "r1", "S", 60),
    ("left", "l1", None, 30),
]


@pytest.mark.parametrize("records", [RIGHT_FIRST, LEFT_FIRST, ANOTHER, GONE, SAME, TIMES], ids=range(6))
@pytest.mark.parametrize("store", ["", f", {EVERY.format('joined')}"], ids=["unnamed", "named"])
@pytest.mark.parametrize("how", ["join", "left_join"])
def test_by_a_foreign_key(judge, how, store, records):
    same(judge, f"{REFERENCES}\nleft.{how}(right, text, on=lambda v: v.to{store}).to('out')", records)


@pytest.mark.parametrize("how", ["join", "left_join"])
def test_a_null_foreign_key(judge, how):
    a, b = steps(("l1", "A|r1"), ("r1", "R"))
    nulls = [("left", "l1", null("B"), 3), ("left", "l1", null("C"), 4), ("left", "l1", None, 5)]
    records = [("left", "l1", null("A"), 0), a, b, *nulls]
    same(judge, f"{REFERENCES}\nleft.{how}(right, text, on=lambda v: v.to, {EVERY.format('j')}).to('out')", records)


@pytest.mark.parametrize("how", ["join", "left_join"])
def test_a_table_that_refers_to_itself(judge, how):
    rows = [
        (1, {"name": "Ann", "boss": 3}),
        (2, {"name": "Bob", "boss": 1}),
        (1, {"name": "Anna", "boss": 1}),
        (1, {"name": "Anne", "boss": 1}),
        (1, {"name": "Anne", "boss": 1}),
        (2, {"name": "Bob", "boss": 2}),
        (1, None),
        (2, {"name": "Bo", "boss": 1}),
        (2, None),
    ]
    records = [("people", key, value, at) for at, (key, value) in enumerate(rows)]
    same(judge, f"{PEOPLE}\npeople.{how}(people, text, on='boss', {EVERY.format('joined')}).to('out')", records)


def test_what_refers_is_joined_again_with_where_it_came_from(judge):
    store = EVERY.format("joined")
    program = f"""{REFERENCES}
found = left.join(right, text, on=lambda v: v.to, {store})
found.join(left, lambda f, l: F.concat(f, F.lit('/'), l.text)).to('out')
"""
    same(judge, program, [*RIGHT_FIRST, *((t, k, v, at + 10) for t, k, v, at in LEFT_FIRST)])
