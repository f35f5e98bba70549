"""Functions that make as much as a number in the record says: one record must not take all of the memory."""

from __future__ import annotations

import pytest

import holdfast as hf
from holdfast import functions as F
from holdfast.testing import Driver

HUGE = 1_500_000_000
LENGTHS = {
    "repeat": lambda n: F.length(F.repeat(F.lit("a"), n)),
    "lpad": lambda n: F.length(F.lpad(F.lit(""), n, "ä")),
    "rpad": lambda n: F.length(F.rpad(F.lit(""), n, "ä")),
    "space": lambda n: F.length(F.expr("space(value)")),
    "format_number": lambda n: F.length(F.format_number(F.lit(1.5), n)) - 2,
    "array_repeat": lambda n: F.size(F.array_repeat(F.lit("ab"), n)),
    "sequence": lambda n: F.size(F.sequence(F.lit(1), n)),
    "sequence by steps": lambda n: F.size(F.sequence(F.lit(2), n * 2, F.lit(2))),
    "sequence in a lambda": lambda n: F.size(
        F.flatten(F.transform(F.array(F.lit(1)), lambda one: F.sequence(one, F.cast(n, "int"))))
    ),
}


@pytest.mark.parametrize("name", LENGTHS)
def test_what_would_take_all_memory_costs_its_record(name):
    app = hf.App("lengths", tasks=1)
    app.stream("in", "int", key=str).map_values(LENGTHS[name]).to("out")
    with Driver(app) as driver:
        for number in [3, HUGE, 5, 300]:
            driver.pipe("in", number, key="k")
        assert [record.value for record in driver.read("out")] == [3, 5, 300]
        (letter,) = driver.dead_letters()
    assert "more than the 64 MB that an expression may make of one record" in letter.reason


def test_times_that_are_far_apart_cost_their_record():
    app = hf.App("lengths", tasks=1)
    app.stream("in", "a TIMESTAMP, b TIMESTAMP, c DATE, d DATE", key=str).map_values(
        lambda v: dict(
            hours=F.size(F.sequence(v.a, v.b, F.expr("INTERVAL 1 HOUR"))),
            months=F.size(F.sequence(v.a, v.b, F.expr("INTERVAL 1 MONTH"))),
            mixed=F.size(F.sequence(v.a, v.b, F.expr("make_interval(0, 0, 0, 1, 12)"))),
            days=F.size(F.sequence(v.c, v.d, F.expr("INTERVAL 1 DAY"))),
            back=F.size(F.sequence(v.d, v.c, F.expr("INTERVAL -1 DAY"))),
            plain=F.size(F.sequence(v.c, v.d)),
        )
    ).to("out")
    near = {"a": "2026-01-01T00:00:00Z", "b": "2026-01-03T00:00:00Z", "c": "2026-01-01", "d": "2026-01-03"}
    with Driver(app) as driver:
        driver.pipe("in", near, key="k")
        driver.pipe("in", {**near, "b": "9999-01-03T00:00:00Z"}, key="k")
        driver.pipe("in", {**near, "d": "+999999-01-03"}, key="k")
        driver.pipe("in", {**near, "b": None}, key="k")
        assert [record.value for record in driver.read("out")] == [
            {"hours": 49, "months": 1, "mixed": 2, "days": 3, "back": 3, "plain": 3},
            {"hours": None, "months": None, "mixed": None, "days": 3, "back": 3, "plain": 3},
        ]
        far, further = (letter.reason for letter in driver.dead_letters())
    assert "more than the 64 MB that an expression may make of one record" in far
    assert "more than the 64 MB that an expression may make of one record" in further


@pytest.mark.parametrize("type", ["DATE", "TIMESTAMP"])
def test_days_that_are_far_apart_cost_their_record(type):
    app = hf.App("lengths", tasks=1)
    app.stream("in", int, key=str).map_values(
        lambda n: F.size(
            F.sequence(
                F.expr(f"CAST(DATE'2026-01-01' AS {type})"),
                F.expr(f"CAST(date_add(DATE'2026-01-01', CAST(value AS INT)) AS {type})"),
            )
        )
    ).to("out")
    with Driver(app) as driver:
        for days in [2, -2, 90_000_000, 3]:
            driver.pipe("in", days, key="k")
        assert [record.value for record in driver.read("out")] == [3, 3, 4]
        (letter,) = driver.dead_letters()
    assert "more than the 64 MB that an expression may make of one record" in letter.reason


def test_other_numbers_do_what_they_did():
    app = hf.App("lengths", tasks=1)
    app.stream("in", "n INT, s STRING, d DATE", key=str).map_values(
        lambda v: dict(
            none=F.repeat(v.s, v.n),
            down=F.sequence(F.lit(3), v.n),
            days=F.size(F.sequence(v.d, F.date_add(v.d, 2))),
            cut=F.lpad(v.s, v.n, "-"),
        )
    ).to("out")
    with Driver(app) as driver:
        driver.pipe("in", {"n": 1, "s": "ab", "d": "2026-01-01"}, key="k")
        driver.pipe("in", {"n": -1, "s": "ab", "d": "2026-01-01"}, key="k")
        driver.pipe("in", {"n": None, "s": None, "d": "2026-01-01"}, key="k")
        assert [record.value for record in driver.read("out")] == [
            {"none": "ab", "down": [3, 2, 1], "days": 3, "cut": "a"},
            {"none": "", "down": [3, 2, 1, 0, -1], "days": 3, "cut": ""},
            {"none": None, "down": None, "days": 3, "cut": None},
        ]
