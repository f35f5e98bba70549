"""The type of a state is wide enough for what is folded into it, or the program is refused with both types."""

from dataclasses import dataclass
from decimal import Decimal

import pytest

import holdfast as hf
from holdfast import functions as F
from holdfast.errors import HoldfastError
from holdfast.testing import Driver
from tests.driver.helpers import through

FIELDS = (
    "i INT, l BIGINT, f FLOAT, x DOUBLE, d DECIMAL(10,2), e DECIMAL(20,10), s STRING, r STRUCT<b: BIGINT, a: BIGINT>"
)


def last(make, *records, schema=FIELDS):
    """What the last record makes of an aggregate of all."""
    made = through(lambda stream: make(stream.group_by_key()), *(("k", each) for each in records), schema=schema)
    return made[-1][1]


MONEY = "decimal(10,2)"
XS = [{"x": 1.5}, {"x": 1.5}, {"x": 0.9}]
DS = [{"d": 1.5}, {"d": 1.5}, {"d": 0.9}]


def test_a_sum_of_doubles_that_begins_with_an_int():
    assert last(lambda g: g.aggregate(0, lambda s, v: s + v.x), *XS) == 3.9


def test_a_sum_of_decimals_that_begins_with_an_int():
    assert last(lambda g: g.aggregate(0, lambda s, v: s + v.d), *DS) == Decimal("3.90")


@pytest.mark.parametrize("begin", [Decimal(0), Decimal("0.00"), Decimal("0.000")])
def test_a_sum_of_decimals_grows_beyond_its_first_value(begin):
    many = [{"d": 99_999_999.99}] * 20
    assert Decimal(last(lambda g: g.aggregate(begin, lambda s, v: s + v.d), *many)) == Decimal("1999999999.80")


def test_the_scale_of_decimals_is_kept_in_a_sum():
    made = last(lambda g: g.aggregate(Decimal(0), lambda s, v: s + v.e), *[{"e": 0.0000000001}] * 5)
    assert Decimal(made) == Decimal("0.0000000005")


@pytest.mark.parametrize("type", ["DECIMAL(38,18)", "DECIMAL(37,18)", "DECIMAL(30,18)", "DECIMAL(20,18)"])
@pytest.mark.parametrize("begin", [0, Decimal(0), Decimal("0.0")])
def test_a_sum_of_long_decimals_keeps_every_digit(type, begin):
    smallest = {"d": Decimal("0.000000000000000001")}
    made = last(lambda g: g.aggregate(begin, lambda s, v: s + v.d), *[smallest] * 3, schema=f"d {type}")
    assert Decimal(made) == Decimal("0.000000000000000003")


def test_a_product_of_decimals():
    made = last(lambda g: g.aggregate(Decimal(1), lambda s, v: s * v.d), {"d": 1.5}, {"d": 1.5}, {"d": 1.5})
    assert Decimal(made) == Decimal("3.375")


def test_a_sum_of_32_bit_floats_that_begins_with_an_int():
    assert last(lambda g: g.aggregate(0, lambda s, v: s + v.f), {"f": 1.5}, {"f": 0.25}) == 1.75


def test_the_fields_of_a_record():
    made = last(lambda g: g.aggregate(dict(n=0, sum=0), lambda s, v: dict(n=s.n + 1, sum=s.sum + v.x)), *XS)
    assert made == {"n": 3, "sum": 3.9}


def test_the_fields_of_a_record_in_a_record():
    begin = dict(n=0, of=dict(sum=0, most=[0]))
    add = lambda s, v: dict(n=s.n + 1, of=dict(sum=s.of.sum + v.x, most=F.array(s.of.sum + v.x)))  # noqa: E731
    assert last(lambda g: g.aggregate(begin, add), *XS) == {"n": 3, "of": {"sum": 3.9, "most": [3.9]}}


def test_fields_go_by_name_and_not_by_place():
    made = last(lambda g: g.aggregate(dict(n=0, sum=0.0), lambda s, v: dict(sum=s.sum + v.x, n=s.n + 1)), *XS)
    assert made == {"n": 3, "sum": 3.9}


def test_one_field_that_widens_another():
    begin = dict(a=0, b=0, c=0)
    add = lambda s, v: dict(a=s.b, b=s.c, c=s.c + v.x)  # noqa: E731
    assert last(lambda g: g.aggregate(begin, add), *XS) == {"a": 1.5, "b": 3.0, "c": 3.9}


def test_what_python_does_not_know_the_kernel_finds():
    add = lambda s, v: dict(n=s.n + F.call_function("nvl2", v.x, v.x, F.lit(0)))  # noqa: E731
    assert last(lambda g: g.aggregate(dict(n=0), add), *XS) == {"n": 3.9}


def test_a_subtract_function_widens_too():
    app = hf.App("rows")
    rows = app.table("in", "x BIGINT", key=str).group_by(lambda v: F.lit("all"))
    rows.aggregate(0, lambda s, v: s + v.x, subtract=lambda s, v: s - v.x * 1.5).to("out")
    with Driver(app) as driver:
        driver.pipe("in", {"x": 3}, key="a")
        driver.pipe("in", {"x": 3}, key="a")
        assert float(driver.read("out")[-1].value) == 1.5


def test_groups_that_are_folded_together():
    app = hf.App("groups")
    one, two = (app.stream(name, FIELDS, key=str).group_by_key() for name in ("a", "b"))
    hf.cogroup((one, lambda s, v: s + v.l), (two, lambda s, v: s + v.x)).aggregate(0).to("out")
    with Driver(app) as driver:
        driver.pipe("a", {"l": 1}, key="k")
        driver.pipe("b", {"x": 0.5}, key="k")
        assert [each.value for each in driver.read("out")] == [1.0, 1.5]


def test_states_of_sessions_widen_by_their_merge():
    app = hf.App("sessions")
    group = app.stream("in", "x BIGINT", key=str).group_by_key().windowed_by(hf.session("1 minute"))
    group.aggregate(0, lambda s, v: s + v.x, merge=lambda a, b: (a + b) / 2).to("out")
    with Driver(app) as driver:
        driver.pipe("in", {"x": 1}, key="k", timestamp=0)
        driver.pipe("in", {"x": 2}, key="k", timestamp=1000)
        assert driver.read("out")[-1].value == 2.5


@dataclass
class Sum:
    n: int = 0
    total: int = 0


@dataclass
class Point:
    a: int
    b: int


@dataclass
class Placed:
    at: Point


def refused(make):
    """What is said of a program, whether by Python or by the kernel."""
    app = hf.App("refused")
    with pytest.raises(HoldfastError) as error:  # noqa: PT012
        make(app.stream("in", FIELDS, key=str))
        Driver(app)
    text = str(error.value)
    assert text.startswith("test_state_types.py:"), text
    return text


UNKNOWN = lambda v: F.call_function("nvl2", v.x, v.x, v.x)  # noqa: E731
"""A double, as only Spark can tell."""


@pytest.mark.parametrize(
    ("make", "types"),
    [
        (lambda g: g.aggregate(Sum(), lambda s, v: Sum(n=s.n + 1, total=s.total + v.x)), ("DOUBLE", "BIGINT")),
        (lambda g: g.aggregate(Sum(), lambda s, v: Sum(n=s.n + 1, total=s.total + v.d)), ("DECIMAL(23,2)", "BIGINT")),
        (lambda g: g.aggregate(Sum(), lambda s, v: Sum(n=s.n + 1, total=UNKNOWN(v))), ("DOUBLE", "BIGINT")),
        (lambda g: g.aggregate(Sum(), lambda s, v: dict(s, total=s.total + v.x)), ("DOUBLE", "BIGINT")),
        (lambda g: g.aggregate(Sum(), lambda s, v: dict(s, total=UNKNOWN(v))), ("DOUBLE", "BIGINT")),
        (lambda g: g.aggregate(F.cast(F.lit(0), "int"), lambda s, v: s + v.x), ("DOUBLE", "INT")),
        (lambda g: g.aggregate(dict(n=F.cast(F.lit(0), "int")), lambda s, v: dict(n=s.n + v.x)), ("DOUBLE", "INT")),
        (lambda g: g.aggregate(F.cast(F.lit(0), MONEY), lambda s, v: s + v.e), ("DECIMAL(21,10)", "DECIMAL(10,2)")),
        (lambda g: g.aggregate(F.cast(F.lit(0), "float"), lambda s, v: s + v.x), ("DOUBLE", "FLOAT")),
        (lambda g: g.aggregate(0, lambda s, v: F.call_function("nvl2", v.s, v.s, v.s)), ("STRING", "BIGINT")),
    ],
)  # fmt: skip
def test_a_declared_state_that_would_lose_something_is_refused(make, types):
    text = refused(lambda stream: make(stream.group_by_key()))
    assert all(each in text for each in types), text


@pytest.mark.parametrize(
    ("make", "types"),
    [
        (lambda g: g.reduce(lambda a, b: (a + b) / 2), ("DOUBLE", "BIGINT")),
        (lambda g: g.reduce(lambda a, b: F.call_function("nvl2", a, a / 2, a / 2)), ("DOUBLE", "BIGINT")),
    ],
)
def test_a_reduce_that_would_lose_something_is_refused(make, types):
    text = refused(lambda stream: make(stream.map_values(lambda v: v.l).group_by_key()))
    assert all(each in text for each in types), text


@pytest.mark.parametrize(
    ("make", "types"),
    [
        (lambda v: Sum(n=1.7, total=0), ("1.7", "BIGINT")),
        (lambda v: Sum(n=v.x, total=0), ("DOUBLE", "BIGINT")),
        (lambda v: Sum(n=UNKNOWN(v), total=0), ("DOUBLE", "BIGINT")),
        (lambda v: Sum(n=v.s, total=0), ("STRING", "BIGINT")),
        (lambda v: Placed(at=dict(a=v.x, b=0)), ("DOUBLE", "BIGINT")),
    ],
)
def test_a_dataclass_that_would_lose_something_is_refused(make, types):
    text = refused(lambda stream: stream.map_values(make))
    assert all(each in text for each in types), text


def test_a_dataclass_takes_what_it_can_hold():
    made = through(lambda s: s.map_values(lambda v: Sum(n=v.i, total=2.0)), ("k", {"i": 7}), schema=FIELDS)
    assert made == [("k", {"n": 7, "total": 2})]


def test_a_record_in_a_dataclass_goes_by_name():
    made = through(lambda s: s.map_values(lambda v: Placed(at=v.r)), ("k", {"r": {"a": 1, "b": 2}}), schema=FIELDS)
    assert made == [("k", {"at": {"a": 1, "b": 2}})]


@pytest.mark.parametrize(
    ("make", "value", "types"),
    [
        (lambda v: v.x, int, ("DOUBLE", "BIGINT")),
        (UNKNOWN, int, ("DOUBLE", "BIGINT")),
        (lambda v: v.s, int, ("STRING", "BIGINT")),
        (lambda v: v.x, hf.json(int), ("DOUBLE", "BIGINT")),
        (lambda v: dict(n=v.x), "n INT", ("DOUBLE", "INT")),
        (lambda v: dict(n=v.l), int, ("STRUCT<n: BIGINT>", "BIGINT")),
        (lambda v: dict(n=UNKNOWN(v)), "n INT", ("DOUBLE", "INT")),
        (lambda v: v.e, "decimal(10,2)", ("DECIMAL(20,10)", "DECIMAL(10,2)")),
    ],
)
def test_an_output_of_another_type_than_declared_is_refused(make, value, types):
    text = refused(lambda stream: stream.map_values(make).to("out", value=value))
    assert all(each in text for each in types), text


def test_a_key_of_another_type_than_declared_is_refused():
    text = refused(lambda stream: stream.select_key(lambda v: v.x).to("out", key=int))
    assert "DOUBLE" in text
    assert "BIGINT" in text


@pytest.mark.parametrize(
    ("make", "value", "read"),
    [
        (lambda v: v.i, int, 7),
        (lambda v: v.l, hf.int32(), 7),
        (lambda v: v.i, float, 7),
        (lambda v: dict(i=v.i), "i BIGINT", {"i": 7}),
    ],
)
def test_an_output_that_its_type_can_hold(make, value, read):
    app = hf.App("outputs")
    app.stream("in", FIELDS, key=str).map_values(make).to("out", value=value)
    with Driver(app) as driver:
        driver.pipe("in", {"i": 7, "l": 7}, key="k")
        assert [(each.value, type(each.value)) for each in driver.read("out")] == [(read, type(read))]
