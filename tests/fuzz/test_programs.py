"""Random programs: what the DSL accepts the kernel runs, or refuses in words with the user's line."""

# ruff: noqa: E501

import os
import re
from collections import Counter
from dataclasses import dataclass
from decimal import Decimal

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import holdfast as hf
from holdfast import functions as F
from holdfast.errors import HoldfastError
from holdfast.testing import Driver

PROGRAMS = int(os.environ.get("FUZZ_PROGRAMS", "40"))
FIELDS = (
    "y TINYINT, h SMALLINT, i INT, l BIGINT, f FLOAT, x DOUBLE, d DECIMAL(10,2), e DECIMAL(38,18), s STRING, b BOOLEAN, "
    "t TIMESTAMP, n DATE, z BINARY, a ARRAY<INT>, m MAP<STRING, DOUBLE>, r STRUCT<p: INT, q: STRING>"
)
RECORDS = [
    {"y": 1, "h": -2, "i": 3, "l": -4, "f": 1.5, "x": -0.5, "d": 2.25, "e": -1.5, "s": "7", "b": True, "z": "AA==",
     "t": "2026-01-01T00:00:00Z", "n": "2026-01-01", "a": [1, -2], "m": {"k": 0.5}, "r": {"p": 1, "q": "q"}},
    {},
]  # fmt: skip
CONSTANTS = [0, 1, -3, 2**40, 0.0, 1.5, float("nan"), "", "7", True, None, Decimal("0.05"), [1], ["a"], b"x"]
TYPES = [
    int,
    float,
    str,
    bool,
    Decimal,
    bytes,
    "int",
    "decimal(5,1)",
    "array<int>",
    "p INT, q STRING",
    "timestamp",
    hf.int64(),
]
RAW = re.compile(
    r"\b(java|scala|org\.apache)\.|Exception\b|cannot be cast to class|does not say why|SQLSTATE|^\[[A-Z_]+\]"
)


@dataclass
class Line:
    n: int
    text: str


OPERATORS = [
    lambda a, b: a + b, lambda a, b: a - b, lambda a, b: a * b, lambda a, b: a / b, lambda a, b: a // b,
    lambda a, b: a % b, lambda a, b: a**b, lambda a, b: a & b, lambda a, b: a | b, lambda a, b: a ^ b,
    lambda a, b: a == b, lambda a, b: a != b, lambda a, b: a < b, lambda a, b: a[b], lambda a, b: F.coalesce(a, b),
    lambda a, b: F.greatest(a, b), lambda a, b: F.concat(a, b), lambda a, b: F.isin(a, b), lambda a, b: [a, b],
    lambda a, b: dict(a=a, b=b), lambda a, b: (a, b), lambda a, b: F.when(a, b).otherwise(a), lambda a, b: F.array_contains(a, b),
    lambda a, b: Line(n=a, text=b), lambda a, b: F.transform(a, lambda item: item + b), lambda a, b: F.create_map(a, b),
    lambda a, b: F.max_by(a, b), lambda a, b: F.element_at(a, b), lambda a, b: F.nullif(a, b), lambda a, b: a | dict(c=b),
]  # fmt: skip
UNARY = [
    lambda a: -a, lambda a: ~a, lambda a: abs(a), lambda a: round(a, 1), lambda a: F.cast(a, "decimal(10,2)"),
    lambda a: F.cast(a, int), lambda a: F.cast(a, str), lambda a: F.upper(a), lambda a: F.isnull(a), lambda a: F.size(a),
    lambda a: F.sum(a), lambda a: F.explode(a), lambda a: a.p, lambda a: F.to_json(a), lambda a: F.year(a), lambda a: repr(a),
    lambda a: F.call_function("nvl2", a, a, a), lambda a: F.expr("value.i + 1"), lambda a: F.expr("sum(value.i)"),
    lambda a: F.expr("explode(value.a)"), lambda a: F.expr("row_number() over (order by value.i)"), lambda a: dict(a, c=a),
]  # fmt: skip


def grown(chance, leaves, depth):
    """A random expression of what a lambda gets."""
    if depth == 0 or chance.random() < 0.2:
        return chance.choice(CONSTANTS) if chance.random() < 0.2 else leaf(chance, leaves)
    if chance.random() < 0.35:
        return chance.choice(UNARY)(grown(chance, leaves, depth - 1))
    return chance.choice(OPERATORS)(grown(chance, leaves, depth - 1), grown(chance, leaves, depth - 1))


def leaf(chance, leaves):
    made = chance.choice(leaves)
    return made[chance.choice("yhilfxdesbtnzamr")] if made is leaves[0] and chance.random() < 0.9 else made


def steps(chance):
    """A random function of a stream, written so that its line can be named."""

    def one(v):
        return grown(chance, [v], chance.randint(1, 3))

    def two(s, v):
        return grown(chance, [v, s], chance.randint(1, 3))

    first = chance.choice([*CONSTANTS[:12], dict(n=0), dict(n=0, s=""), Line(n=0, text=""), F.cast(F.lit(0), "int")])
    fields = first if isinstance(first, dict) else None
    add = (lambda s, v: {name: grown(chance, [v, s[name]], 2) for name in fields}) if fields else two
    return chance.choice([
        lambda stream: stream.map_values(one),
        lambda stream: stream.filter(one),
        lambda stream: stream.select_key(one),
        lambda stream: stream.flat_map_values(one),
        lambda stream: stream.map(lambda k, v: (grown(chance, [v, k], 2), grown(chance, [v, k], 2))),
        lambda stream: stream.group_by(one).count(),
        lambda stream: stream.group_by_key().aggregate(first, add),
        lambda stream: stream.group_by_key().aggregate(first, add),
        lambda stream: stream.group_by_key().windowed_by(hf.session("1 minute")).aggregate(first, add, merge=lambda a, b: a),
        lambda stream: stream.map_values(one).group_by_key().reduce(lambda a, b: chance.choice(OPERATORS)(a, b)),
        lambda stream: stream.group_by_key().agg(v=lambda v: chance.choice([F.sum, F.max, F.avg, F.collect_list])(one(v))),
        lambda stream: stream.group_by_key().top(2, by=one),
        lambda stream: stream.to_table().map_values(one, store="mapped"),
        lambda stream: stream.join(stream.to_table(), lambda a, b: grown(chance, [a, b], 2)),
    ])  # fmt: skip


def program(chance):
    app = hf.App("random")
    made = steps(chance)(app.stream("in", FIELDS, key=str))
    made.to("out", **({"value": chance.choice(TYPES)} if chance.random() < 0.3 else {}))
    return app


def test_what_the_dsl_accepts_the_kernel_runs():
    met = Counter()

    @settings(
        max_examples=PROGRAMS, deadline=None, database=None, suppress_health_check=list(HealthCheck), print_blob=True
    )
    @given(st.randoms(use_true_random=False))
    def search(chance):
        met[outcome(chance)] += 1

    search()
    # A search that runs nothing, or refuses nothing, would find nothing.
    assert met["ran"] > PROGRAMS / 20, met
    assert met["refused"] > PROGRAMS / 20, met


def outcome(chance):
    """Whether a random program ran or was refused, in words."""
    try:
        driver = Driver(program(chance))
    except HoldfastError as error:
        refused = error
    else:
        refused = None
    if refused:
        assert re.match(r"test_programs\.py:\d+: ", str(refused)), refused
        assert not RAW.search(refused.message), refused
        return "refused"
    with driver:
        for record in RECORDS:
            driver.pipe("in", record, key="k", timestamp=0)
        for letter in driver.dead_letters():
            assert "cannot be cast to class" not in letter.reason, letter
    return "ran"


@pytest.mark.parametrize(
    "text", ["sum(value.i)", "explode(value.a)", "row_number() over (order by value.i)", "1 +", "nothing"]
)
def test_sql_that_is_no_expression_of_a_record_is_refused_in_words(text):
    app = hf.App("sql")
    app.stream("in", FIELDS, key=str).map_values(lambda v: F.expr(text)).to("out")
    with pytest.raises(HoldfastError, match=r"^test_programs.py:\d+: ") as error:
        Driver(app)
    assert not RAW.search(error.value.message), error.value
