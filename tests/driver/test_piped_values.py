"""What Python values become in a topic of the Driver."""

from dataclasses import dataclass, field
from decimal import Decimal
from math import inf, isnan, nan

import pytest

import holdfast as hf
from holdfast.errors import HoldfastError
from holdfast.testing import Driver


@dataclass
class Part:
    grams: float


@dataclass
class Reading:
    celsius: float
    price: Decimal = Decimal(0)
    parts: list[Part] = field(default_factory=list)
    by: dict[str, float] = field(default_factory=dict)


def copied(value, kind=Reading):
    app = hf.App("piped")
    app.stream("in", kind, key=str).to("out")
    with Driver(app) as d:
        d.pipe("in", value, key="a")
        assert d.dead_letters() == []
        return d.read("out")[0].value


@pytest.mark.parametrize("value", [inf, -inf])
def test_infinities_are_what_they_are(value):
    found = copied(Reading(value, parts=[Part(value)], by={"a": value}))
    assert (found["celsius"], found["parts"], found["by"]) == (value, [{"grams": value}], {"a": value})
    assert copied({"celsius": value})["celsius"] == value


def test_nan_is_no_null():
    found = copied({"celsius": nan, "parts": (Part(nan),)})
    assert isnan(found["celsius"])
    assert isnan(found["parts"][0]["grams"])


def test_whole_numbers_of_any_length_fit_a_decimal():
    assert copied({"celsius": 1, "price": 10**20 - 1})["price"] == 10**20 - 1
    app = hf.App("piped")
    app.stream("in", "n BIGINT", key=str).to("out")
    with Driver(app) as d:
        d.pipe("in", {"n": 10**20}, key="a")
        assert d.dead_letters()[0].reason == "value: field 'n': 100000000000000000000 is out of range for long"


def test_headers_may_be_text():
    app = hf.App("piped")
    app.stream("in", str, key=str).to("out")
    with Driver(app) as d:
        d.pipe("in", "x", key="a", headers={"trace": "é", "raw": b"\xff"})
        assert d.read("out")[0].headers == {"trace": "é".encode(), "raw": b"\xff"}
        with pytest.raises(HoldfastError, match=r"pipe\(headers=\): header 'n' is 7; a header is bytes"):
            d.pipe("in", "x", key="a", headers={"n": 7})
