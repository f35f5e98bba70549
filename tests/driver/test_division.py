"""`//`, `%` and divmod give what Python gives, for all kinds of numbers and signs."""

import decimal
import math
import os
import random
from decimal import Decimal

import pytest

import holdfast as hf
from holdfast import functions as F
from holdfast.testing import Driver
from tests.driver.helpers import letters


def long(chance):
    return chance.choice([chance.randint(-20, 20), chance.randint(-(2**63), 2**63 - 1), -(2**63), 2**53 + 1])


def integer(chance):
    return chance.choice([chance.randint(-20, 20), chance.randint(-(2**31), 2**31 - 1), -(2**31)])


def double(chance):
    near = [float(chance.randint(-20, 20)), chance.uniform(-10, 10), 0.1, -0.1, 1e300, -1e-300, math.inf, -math.inf]
    return chance.choice([*near, math.ldexp(chance.uniform(-1, 1), chance.randint(-1000, 1000))])


def money(chance):
    return Decimal(chance.choice([chance.randint(-2000, 2000), chance.randint(-(10**10) + 1, 10**10 - 1)])).scaleb(-2)


PAIRS = {
    "longs": ("BIGINT", long, "BIGINT", long),
    "ints": ("INT", integer, "INT", integer),
    "doubles": ("DOUBLE", double, "DOUBLE", double),
    "decimals": ("DECIMAL(10,2)", money, "DECIMAL(10,2)", money),
    "a long and a double": ("BIGINT", long, "DOUBLE", double),
    "a double and an int": ("DOUBLE", double, "INT", integer),
    "a decimal and an int": ("DECIMAL(10,2)", money, "INT", integer),
    "an int and a decimal": ("INT", integer, "DECIMAL(10,2)", money),
}
RECORDS = int(os.environ.get("FUZZ_RECORDS", "400"))


@pytest.fixture(scope="module")
def program():
    app = hf.App("division")
    for number, (left, _, right, _) in enumerate(PAIRS.values()):
        stream = app.stream(f"in-{number}", f"a {left}, b {right}", key=str)
        stream.map_values(lambda v: dict(q=v.a // v.b, r=v.a % v.b, both=divmod(v.a, v.b))).to(f"out-{number}")
    with Driver(app) as driver:
        yield driver


def sent(number):
    """As JSON has it."""
    return float(number) if isinstance(number, Decimal) else shown(number)


def shown(number):
    """As a driver reads a number of a record."""
    if isinstance(number, float) and not math.isfinite(number):
        return "NaN" if math.isnan(number) else "Infinity" if number > 0 else "-Infinity"
    return number


def same(one, other):
    """Equal numbers of one kind; decimals of a record are read as they come."""
    if isinstance(other, Decimal):
        return Decimal(str(one)) == other
    return type(one) is type(other) and (one == other or (one != one and other != other))


def pairs_of(name):
    left, one, right, other = PAIRS[name]
    chance = random.Random(name)
    pairs = [(a, b) for a in (-7, 7, 0, -1, 6) for b in (-3, 3, 2, -2, 1)]
    pairs += [(one(chance), other(chance)) for _ in range(RECORDS)]
    typed = [(_typed(a, left), _typed(b, right)) for a, b in pairs]
    return [(a, b) for a, b in typed if b != 0 and not (isinstance(a, int) and a == -(2**63) and b == -1)]


@pytest.mark.parametrize("name", PAIRS)
def test_what_python_gives(program, name):
    number = list(PAIRS).index(name)
    pairs = pairs_of(name)
    with program.batch():
        for a, b in pairs:
            program.pipe(f"in-{number}", {"a": sent(a), "b": sent(b)})
    came = [each.value for each in program.read(f"out-{number}")]
    assert program.dead_letters() == []
    with decimal.localcontext(prec=60):
        wanted = [(a // b, a % b) for a, b in pairs]
    for pair, record, (quotient, rest) in zip(pairs, came, wanted, strict=True):
        assert same(record["q"], quotient), (pair, record, quotient)
        assert same(record["r"], rest), (pair, record, rest)
        assert repr(list(record["both"].values())) == repr([record["q"], record["r"]])


def _typed(number, type_):
    if type_.startswith("DECIMAL"):
        return Decimal(number)
    return float(number) if type_ == "DOUBLE" else number


@pytest.mark.parametrize("schema", ["a BIGINT, b BIGINT", "a DOUBLE, b DOUBLE", "a DECIMAL(10,2), b DECIMAL(10,2)"])
@pytest.mark.parametrize("make", [lambda v: v.a // v.b, lambda v: v.a % v.b])
def test_a_divisor_of_zero_is_a_dead_letter(schema, make):
    app = hf.App("zero")
    app.stream("in", schema, key=str).map_values(make).to("out")
    with Driver(app) as driver:
        driver.pipe("in", {"a": 1, "b": 0}, key="k")
        driver.pipe("in", {"a": None, "b": 2}, key="k")
        assert [" by zero" in reason for _, reason in letters(driver)] == [True]
        assert [each.value for each in driver.read("out")] == [None]


def test_what_does_not_fit_is_a_dead_letter():
    app = hf.App("overflow")
    app.stream("in", "a BIGINT", key=str).map_values(lambda v: v.a // -1).to("out")
    with Driver(app) as driver:
        driver.pipe("in", {"a": -(2**63)}, key="k")
        assert [reason for _, reason in letters(driver)] == ["-9223372036854775808 // -1 does not fit BIGINT"]


def test_sparks_own_are_functions():
    app = hf.App("spark")
    own = app.stream("in", "a BIGINT", key=str).map_values(
        lambda v: dict(mod=F.expr("a % 3"), div=F.expr("a div 2"), pmod=F.pmod(v.a, 3))
    )
    own.to("out")
    with Driver(app) as driver:
        driver.pipe("in", {"a": -7}, key="k")
        assert driver.read("out")[0].value == {"mod": -1, "div": -3, "pmod": 2}


def test_in_a_state_and_in_a_lambda_over_an_array():
    app = hf.App("nested")
    stream = app.stream("in", "xs ARRAY<INT>", key=str)
    stream.map_values(lambda v: F.transform(v.xs, lambda x: x % 3)).to("rests")
    stream.group_by_key().aggregate(0, lambda s, v: (s + v.xs[0]) % 5).to("sums")
    with Driver(app) as driver:
        driver.pipe("in", {"xs": [-7, 7]}, key="k")
        assert driver.read("rests")[0].value == [2, 1]
        assert driver.read("sums")[0].value == 3
