"""Decimals of up to 38 digits: no digit after the point is dropped where Python would keep it."""

from decimal import Decimal

import pytest

import holdfast as hf
from holdfast import functions as F
from holdfast.testing import Driver
from tests.driver.helpers import through

SCHEMA = "whole DECIMAL(38,0), long DECIMAL(38,18), money DECIMAL(10,2)"
ONE = {"whole": Decimal(1), "long": Decimal("1.000000000000000004"), "money": Decimal("1.25")}


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (lambda v: v.long + v.long, Decimal("2.000000000000000008")),
        (lambda v: v.long + 1, Decimal("2.000000000000000004")),
        (lambda v: 1 - v.long, Decimal("-0.000000000000000004")),
        (lambda v: v.whole == Decimal("1.4"), False),
        (lambda v: v.whole == v.long, False),
        (lambda v: v.whole < v.money, True),
        (lambda v: F.coalesce(v.long, v.whole), Decimal("1.000000000000000004")),
        (lambda v: F.when(v.whole > 5, v.whole).otherwise(v.money), Decimal("1.25")),
        (lambda v: F.greatest(v.whole, v.money), Decimal("1.25")),
        (lambda v: F.array(v.whole, v.money)[1], Decimal("1.25")),
    ],
)
def test_the_fraction_is_kept(function, expected):
    [(_, made)] = through(lambda s: s.map_values(function), ("k", ONE), schema=SCHEMA)
    assert made == expected


@pytest.mark.parametrize("function", [lambda v: v.long + v.long, lambda v: v.whole == v.long])
def test_what_has_too_many_digits_then_is_a_dead_letter(function):
    app = hf.App("digits")
    app.stream("in", SCHEMA, key=str).map_values(function).to("out")
    with Driver(app) as driver:
        driver.pipe("in", {"whole": Decimal(10**37), "long": Decimal(9 * 10**19)}, key="k")
        assert driver.read("out") == []
        assert len(driver.dead_letters()) == 1
