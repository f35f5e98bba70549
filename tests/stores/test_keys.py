"""Key bytes: order, way back, limits, and text from URLs."""

from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.stores.keys import LIMIT, KeyType, shorten
from holdfast.stores.types import WrongType
from holdfast.types import from_json


def key_type(of):
    return KeyType(from_json(of))


def record(**fields):
    typed = [{"name": n, "type": t, "nullable": True, "metadata": {}} for n, t in fields.items()]
    return {"type": "struct", "fields": typed}


LONGS = st.integers(-(2**63), 2**63 - 1)
TEXT = st.text(st.characters(codec="utf-8") | st.just("\x00"))
INSTANTS = st.datetimes(timezones=st.just(UTC))
SCALARS = {
    "long": LONGS,
    "integer": st.integers(-(2**31), 2**31 - 1),
    "short": st.integers(-(2**15), 2**15 - 1),
    "byte": st.integers(-128, 127),
    "double": st.floats(allow_nan=False),
    "boolean": st.booleans(),
    "string": TEXT,
    "binary": st.binary(),
    "timestamp": INSTANTS,
    "timestamp_ntz": st.datetimes(),
    "date": st.dates(),
    "decimal(38,18)": st.decimals(-(10**20) + 1, 10**20 - 1, places=18),
}
PAIR = record(name="string", n="long", tag="binary", at="timestamp")
pairs = st.tuples(TEXT, LONGS, st.binary(), INSTANTS)


@pytest.mark.parametrize("of", SCALARS)
def test_the_order_of_the_bytes_is_the_order_of_the_keys(of):
    key = key_type(of)

    @given(SCALARS[of], SCALARS[of])
    def check(a, b):
        assert (key.encode(a) < key.encode(b)) == (a < b)
        assert key.decode(key.encode(a)) == a

    check()


@given(pairs, pairs)
def test_record_keys_are_ordered_field_by_field(a, b):
    key = key_type(PAIR)
    assert (key.encode(a) < key.encode(b)) == (a < b)
    assert tuple(key.decode(key.encode(a)).values()) == a


@given(st.lists(LONGS), st.lists(LONGS))
def test_arrays_are_ordered_element_by_element(a, b):
    key = key_type({"type": "array", "elementType": "long", "containsNull": True})
    assert (key.encode(a) < key.encode(b)) == (a < b)
    assert key.decode(key.encode(a)) == tuple(a)


@given(TEXT, TEXT)
def test_a_prefix_holds_exactly_the_strings_that_start_with_it(prefix, text):
    key = key_type("string")
    assert key.bounds(prefix=prefix).holds(key.encode(text)) == text.startswith(prefix)


@given(TEXT, TEXT, LONGS)
def test_leading_fields_hold_exactly_the_records_that_have_them(wanted, name, n):
    key = key_type(record(name="string", n="long"))
    assert key.bounds(prefix={"name": wanted}).holds(key.encode((name, n))) == (name == wanted)


@given(LONGS, LONGS, LONGS)
def test_a_range_includes_both_ends(start, end, n):
    key = key_type("long")
    assert key.bounds(start, end).holds(key.encode(n)) == (start <= n <= end)


@given(pairs, pairs, pairs)
def test_a_range_of_records_includes_both_ends(start, end, at):
    key = key_type(PAIR)
    assert key.bounds(start, end).holds(key.encode(at)) == (start <= at <= end)


@given(st.text(max_size=30), st.text(max_size=30))
def test_long_keys_fit_and_stay_apart(a, b):
    key = key_type("string")
    long_a, long_b = shorten(key.encode("x" * 600 + a)), shorten(key.encode("x" * 600 + b))
    assert len(long_a) == LIMIT
    assert (long_a == long_b) == (a == b)


def test_nulls_in_a_record_come_first():
    key = key_type(record(a="long", b="string"))
    assert key.encode((None, "x")) < key.encode((-(2**63), ""))
    assert key.decode(key.encode((None, "x"))) == {"a": None, "b": "x"}


def test_zeros_are_one_key_and_nan_is_last():
    key = key_type("double")
    assert key.encode(-0.0) == key.encode(0.0)
    assert key.encode(float("nan")) > key.encode(float("inf"))


@dataclass
class Place:
    name: str
    n: int


def test_a_record_key_is_given_as_dict_tuple_or_dataclass_and_read_as_a_hashable_dict():
    key = key_type(record(name="string", n="long"))
    assert key.encode(Place("a", 1)) == key.encode(("a", 1)) == key.encode({"n": 1, "name": "a"})
    found = key.decode(key.encode(("a", 1)))
    assert found == {"name": "a", "n": 1}
    assert {found: "it"}[found] == "it"
    with pytest.raises(TypeError, match="copy it"):
        found["n"] = 2


@pytest.mark.parametrize(
    ("of", "text", "key"),
    [
        ("long", "1", 1),
        ("long", "-42", -42),
        ("string", "", ""),
        ("string", "a/b ü%", "a/b ü%"),
        ("boolean", "true", True),
        ("double", "1.0E10", 1e10),
        ("double", "-Infinity", float("-inf")),
        ("binary", "aGk=", b"hi"),
        ("binary", "_-8", b"\xff\xef"),
        ("timestamp", "2026-01-01T00:00:00Z", datetime(2026, 1, 1, tzinfo=UTC)),
        ("timestamp", "2026-01-01T01:00:00+01:00", datetime(2026, 1, 1, tzinfo=UTC)),
        ("timestamp", "1500", datetime(1970, 1, 1, 0, 0, 1, 500000, tzinfo=UTC)),
        ("timestamp_ntz", "2026-01-01T00:00:00", datetime(2026, 1, 1, tzinfo=UTC)),
        ("date", "2026-01-01", date(2026, 1, 1)),
        ("decimal(10,2)", "12.50", Decimal("12.5")),
        (record(a="long", b="string"), '{"b": "x", "a": 1}', {"a": 1, "b": "x"}),
    ],
)
def test_text_becomes_a_key(of, text, key):
    assert key_type(of).parse(text) == key


@pytest.mark.parametrize(
    ("of", "text", "wanted"),
    [
        ("long", "x", "wanted long, for example 42; got 'x'"),
        ("long", "1_0", "wanted long"),
        ("long", " 1", "wanted long"),
        ("long", "1.0", "wanted long"),
        ("long", "9223372036854775808", "out of range for long"),
        ("byte", "128", r"out of range for byte \(-128 … 127\)"),
        ("boolean", "yes", "wanted boolean"),
        ("double", "1,5", "wanted double"),
        ("binary", "***", "wanted binary"),
        ("timestamp", "soon", "2026-01-01T00:00:00Z"),
        ("timestamp", "9" * 30, "wanted timestamp"),
        ("date", "2026-13-01", "wanted date"),
        ("decimal(4,2)", "1.234", r"does not fit decimal\(4,2\)"),
        ("decimal(4,2)", "123", "does not fit"),
        (record(a="long"), "{}", r"wanted record\(a long\), for example JSON such as"),
        (record(a="long"), "null", "wanted record"),
        (record(a="long"), '{"a": 1, "b": 2}', "wanted record"),
        (record(a="long"), '{"a": "x"}', "wanted long"),
        (record(a="long"), "[1", "wanted record"),
    ],
)
def test_text_of_the_wrong_type_says_what_was_wanted(of, text, wanted):
    key = key_type(of)
    with pytest.raises(WrongType, match=wanted):
        key.encode(key.parse(text))


@pytest.mark.parametrize(("of", "key"), [("long", True), ("long", "1"), ("string", 1), ("long", None), ("boolean", 1)])
def test_a_python_key_of_the_wrong_type_is_refused(of, key):
    with pytest.raises(WrongType, match="wanted"):
        key_type(of).encode(key)


def test_a_prefix_of_a_number_is_refused():
    with pytest.raises(WrongType, match="string, binary and record keys; this key is long"):
        key_type("long").bounds(prefix=1)


def test_a_map_cannot_be_a_key():
    with pytest.raises(WrongType, match="cannot be a key"):
        key_type({"type": "map", "keyType": "string", "valueType": "long"}).encode({})


@pytest.mark.parametrize("text", ["1e999999999", "0e999999999", "1e-999999999", "1" * 5000])
def test_a_number_that_would_fill_the_memory_is_refused(text):
    with pytest.raises(WrongType, match="does not fit|wanted"):
        key_type("decimal(9,2)").parse(text)


@pytest.mark.parametrize("of", ["string", "long", "date"])
def test_a_key_that_is_not_text_is_refused(of):
    with pytest.raises(WrongType, match="not UTF-8"):
        key_type(of).from_topic(b"\xff")


@pytest.mark.parametrize(
    ("of", "asked"),
    [
        ("long", [0, 1, -1, 2**63 - 1, -(2**63)]), ("long", [1, "2"]), ("byte", [-128, 127]), ("short", [-(2**15), 7]),
        ("integer", [2**31 - 1, -5]), ("string", ["", "a", "grüße", "x\x00y", "long" * 200]), ("long", []),
        ("double", [1, 1.5]), ("boolean", [True, False]), ("binary", ["aGk="]), ("date", ["2026-01-01"]),
    ],
)  # fmt: skip
def test_many_keys_are_encoded_as_each_of_them(of, asked):
    keys = KeyType(from_json(of))
    assert keys.encode_given(asked) == [keys.encode(keys.read(each)) for each in asked]


@pytest.mark.parametrize(
    ("of", "asked"),
    [("long", [1, 2**63]), ("byte", [-129, 1]), ("long", [1, True]), ("long", [1, None]), ("string", ["a", 1])],
)
def test_of_many_keys_a_wrong_one_is_refused(of, asked):
    with pytest.raises(WrongType):
        KeyType(from_json(of)).encode_given(asked)
