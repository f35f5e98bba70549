"""Doubles, decimals and whole numbers together: states that become wider, whatever they begin with."""

from __future__ import annotations

from decimal import Decimal

import pytest

from tests.oracle.folds import RECORDS, SCALARS
from tests.oracle.helpers import both, record
from tests.oracle.words import DECIMAL, FLOAT, MIXED

MIX = "s = app.stream('in', 'n BIGINT, x DOUBLE, d DECIMAL(10,2)', key=str)\n"
ROWS = [(1, 1.5, "0.10"), (-7, 0.37, "99.99"), (2, 0.9, "-3.70"), (-4, 0.013, "0.05")]
RECORDS_OF_ROWS = [record("in", "a", {"n": n, "x": x, "d": Decimal(d)}, at) for at, (n, x, d) in enumerate(ROWS)]


def same(judge, program):
    mine, theirs = both(judge, MIX + program, *RECORDS_OF_ROWS)
    assert mine == theirs
    assert len(mine) == len(ROWS)
    return [value for _, value, _ in mine]


@pytest.mark.parametrize(
    ("kind", "begin"), [(kind, each) for kind, begins in SCALARS.items() for each in begins], ids=str
)
def test_a_number_as_the_state(judge, kind, begin):
    field = "x" if kind == FLOAT else "d"
    values = same(judge, f"s.group_by_key().aggregate({begin}, lambda t, v: t + v.{field}, store='n').to('out')")
    exact = sum((Decimal(d) for _, _, d in ROWS), Decimal(0)) if kind == DECIMAL else sum(x for _, x, _ in ROWS)
    assert float(values[-1]) == pytest.approx(float(exact) + (0.5 if "5" in begin else 0))


@pytest.mark.parametrize(
    ("kind", "begin"), [(kind, each) for kind, begins in RECORDS.items() for each in begins], ids=str
)
def test_a_record_as_the_state(judge, kind, begin):
    d = ", d=t.d + v.d" if kind == MIXED else ""
    add = f"lambda t, v: dict(n=t.n + v.n, x=t.x + v.x{d})"
    values = same(judge, f"s.group_by_key().aggregate({begin}, {add}, store='n').to('out')")
    assert values[-1]["n"] == -8
    assert values[0]["x"] % 1 == 0.5 or "5" in begin


@pytest.mark.parametrize("divisor", ["3", "-3", "2.5", "Decimal('0.30')"])
@pytest.mark.parametrize("field", ["n", "x", "d"])
def test_division_is_that_of_python(judge, field, divisor):
    if field == "d" and divisor == "2.5":
        divisor = "2"
    values = same(judge, f"s.map_values(lambda v: dict(q=v.{field} // {divisor}, r=v.{field} % {divisor})).to('out')")
    by = eval(divisor)
    for (n, x, d), value in zip(ROWS, values, strict=True):
        number = {"n": n, "x": x, "d": Decimal(d)}[field]
        if {type(by), type(number)} != {Decimal, float}:
            assert (value["q"], value["r"]) == pytest.approx((number // by, number % by))
