"""What a topic may hold, and what of it is refused."""

import json
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import TypedDict

import pytest

import holdfast as hf
from holdfast.testing import Driver
from tests.driver.helpers import letters, pairs


@dataclass
class Inner:
    a: int
    b: str | None = None


@dataclass
class Outer:
    n: int
    inner: Inner
    maybe: float | None
    tags: list[str] = field(default_factory=list)
    kind: str = "plain"


class Typed(TypedDict):
    n: int
    s: str


def copy(value, key=str):
    app = hf.App("copy")
    app.stream("in", value, key=key).to("out")
    return app


def one(schema, sent, key=str, sent_key="k"):
    """The (key, value) that a record becomes, or the reason why it is refused."""
    with Driver(copy(schema, key)) as d:
        d.pipe("in", sent, key=sent_key)
        found = pairs(d, "out")
        return found[0] if found else letters(d)[0][1]


@pytest.mark.parametrize(
    ("schema", "sent", "got"),
    [
        (str, "héllo", "héllo"),
        (str, "", ""),
        (int, b"-42", -42),
        (float, b"1e3", 1000.0),
        (float, b"NaN", pytest.approx(float("nan"), nan_ok=True)),
        (bool, True, True),
        (bytes, b"\x00\xff", b"\x00\xff"),
        (hf.int32(), -5, -5),
        (hf.int64(), 2**40, 2**40),
        (hf.json(int), 7, 7),
        (hf.json(list[int]), [1, 2], [1, 2]),
        (hf.json(dict[str, float]), {"a": 0.5}, {"a": 0.5}),
        (Typed, {"n": 1, "s": "x"}, {"n": 1, "s": "x"}),
        ("n BIGINT, s STRING", {"n": 1, "extra": 5}, {"n": 1, "s": None}),
        (
            "d DATE, t TIMESTAMP, m DECIMAL(5,2), b BINARY",
            {"d": "2026-01-31", "t": "2026-01-31T12:00:00.5+01:00", "m": 1.25, "b": "AP8="},
            {
                "d": date(2026, 1, 31),
                "t": datetime(2026, 1, 31, 11, 0, 0, 500000, tzinfo=UTC),
                "m": Decimal("1.25"),
                "b": b"\x00\xff",
            },
        ),
        ("t TIMESTAMP", {"t": 1500}, {"t": datetime(1970, 1, 1, 0, 0, 1, 500000, tzinfo=UTC)}),
        ("n BIGINT", None, None),
    ],
)
def test_values_that_are_read(schema, sent, got):
    assert one(schema, sent) == ("k", got)


def test_nested_optional_and_default():
    sent = {"n": 1, "inner": {"a": 2}, "more": True}
    expected = {"n": 1, "inner": {"a": 2, "b": None}, "maybe": None, "tags": [], "kind": "plain"}
    assert one(Outer, sent) == ("k", expected)
    assert one(Outer, Outer(1, Inner(2, "x"), 0.5, ["t"], "odd")) == (
        "k",
        {"n": 1, "inner": {"a": 2, "b": "x"}, "maybe": 0.5, "tags": ["t"], "kind": "odd"},
    )


def test_spark_types():
    types = pytest.importorskip("pyspark.sql.types")
    schema = types.StructType(
        [types.StructField("n", types.LongType(), False), types.StructField("s", types.StringType())]
    )
    assert one(schema, {"n": 1}) == ("k", {"n": 1, "s": None})
    assert "n" in one(schema, {"s": "x"})


@pytest.mark.parametrize(
    ("schema", "sent", "why"),
    [
        ("n BIGINT", b'{"n": 1', "value: "),
        ("n BIGINT", b"[1]", "value: "),
        ("n BIGINT", b"", "value: "),
        ("n BIGINT", b"\xff\xfe", "value: "),
        ("n BIGINT", {"n": "one"}, "n"),
        ("n BIGINT", {"n": 1.5}, "n"),
        ("n BIGINT", {"n": True}, "n"),
        ("n INT", {"n": 2**31}, "n"),
        ("n BIGINT", b'{"n": 9223372036854775808}', "n"),
        ("s STRING", {"s": 5}, "s"),
        (Outer, {"inner": {"a": 1}}, "n"),
        (Outer, {"n": 1, "inner": {}}, "a"),
        (Outer, {"n": None, "inner": {"a": 1}}, "n"),
        (Outer, {"n": 1, "inner": {"a": 1}, "tags": "x"}, "tags"),
        (int, b"4x", "value: "),
        (int, b"9223372036854775808", "value: "),
        (bool, b"yes", "value: "),
        (hf.int32(), b"\x00", "value: "),
        (hf.int64(), b"\x00\x00\x00\x01", "value: "),
        (str, b"\xff", "value: "),
    ],
)
def test_values_that_are_refused(schema, sent, why):
    with Driver(copy(schema)) as d:
        with d.batch():
            d.pipe("in", sent, key="bad")
            d.pipe("in", None, key="good")
        assert pairs(d, "out") == [("good", None)]
        (letter,) = d.dead_letters()
        assert letter.node == "in"
        assert why in letter.reason
        assert letter.record.key == b"bad"
        assert letter.record.value == (
            sent if isinstance(sent, bytes) else json.dumps(sent, separators=(",", ":")).encode()
        )
        assert letter.record.headers["hf-topic"] == b"in"


@pytest.mark.parametrize(
    ("key", "sent", "why"), [(int, b"x", "key: "), (hf.int32(), b"12345", "key: "), (Typed, {"n": 1}, "key: ")]
)
def test_keys_that_are_refused(key, sent, why):
    assert one(str, "v", key, sent).startswith(why)


@pytest.mark.parametrize(
    ("key", "sent", "got"),
    [
        (int, 5, 5),
        (hf.int32(), 5, 5),
        (bytes, b"x", b"x"),
        (Typed, {"n": 1, "s": "x"}, {"n": 1, "s": "x"}),
        (float, 0.5, 0.5),
    ],
)
def test_keys_that_are_read(key, sent, got):
    assert one(str, "v", key, sent) == (got, "v")


def test_dates_are_keys_and_stay_dates():
    """They are kept as whole numbers, which as keys are made wider: a date that was made wider broke the app."""
    app = hf.App("days")
    app.stream("in", str, key=date).group_by_key().count(store="per-day").to("out")
    with Driver(app) as d:
        d.pipe("in", "v", key=b"2026-01-01")
        d.pipe("in", "v", key=b"1969-12-31")
        assert dict(d.store("per-day").all()) == {date(1969, 12, 31): 1, date(2026, 1, 1): 1}


def test_decimals_keep_every_digit():
    app = hf.App("exact")
    app.stream("in", Decimal, key=Decimal).group_by_key().reduce(lambda old, new: new, store="last").to("out")
    with Driver(app) as d:
        d.pipe("in", b"99999999999999999999", key=b"99999999999999999999")
        assert dict(d.store("last").all()) == {Decimal(99999999999999999999): Decimal(99999999999999999999)}
        assert d.read("out")[0].value == Decimal(99999999999999999999)
