"""Stores as columns: many entries decoded at once are what each of them is, and conditions read what they name."""

import math
from datetime import UTC, date, datetime
from decimal import Decimal
from types import SimpleNamespace

import duckdb
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from holdfast.server.sql import statement as statements
from holdfast.server.sql.arrow_columns import TableDecoder
from holdfast.server.sql.engine import SqlEngine, SqlQuery
from holdfast.server.sql.key_reads import key_read
from holdfast.stores import values
from holdfast.stores.catalog import Catalog, Store
from holdfast.stores.columns import TableColumns
from holdfast.stores.replica import Put, Replica
from holdfast.stores.snapshot import Progress
from holdfast.topics.windowed import Windowed, windowed_type
from holdfast.types import (
    BINARY,
    BOOLEAN,
    DATE,
    DOUBLE,
    INTEGER,
    LONG,
    SHORT,
    STRING,
    TIMESTAMP,
    Array,
    Map,
    Struct,
)  # fmt: skip
from holdfast.types import (
    Decimal as DecimalType,
)
from holdfast.types.datatypes import BYTE

TIMES = st.datetimes(datetime(1900, 1, 1), datetime(2200, 1, 1), timezones=st.just(UTC))
TEXTS = st.text(st.characters(codec="utf-8"), max_size=20)
REALS = st.floats(allow_nan=False)


def whole(bits):
    return st.integers(-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)


KEYS = [
    (BYTE, whole(8)),
    (SHORT, whole(16)),
    (INTEGER, whole(32)),
    (LONG, whole(64)),
    (STRING, TEXTS),
    (TIMESTAMP, TIMES),
    (DATE, st.dates(date(1900, 1, 1))),
    (BOOLEAN, st.booleans()),
    (DOUBLE, REALS),
    (BINARY, st.binary(max_size=10)),
    (DecimalType(10, 2), st.decimals(-(10**7), 10**7, places=2)),
    (windowed_type(STRING), st.builds(Windowed, TEXTS, TIMES, TIMES)),
    (windowed_type(LONG), st.builds(Windowed, whole(64), TIMES, TIMES)),
    (windowed_type(DOUBLE), st.builds(Windowed, REALS, TIMES, TIMES)),
    (Struct(user=STRING, n=LONG), st.fixed_dictionaries({"user": st.none() | TEXTS, "n": st.none() | whole(64)})),
]
VALUES = [
    (LONG, whole(64)),
    (BYTE, whole(8)),
    (STRING, TEXTS),
    (BOOLEAN, st.booleans()),
    (DOUBLE, REALS | st.sampled_from([math.inf, -math.inf])),
    (TIMESTAMP, TIMES),
    (DATE, st.dates()),
    (BINARY, st.binary(max_size=10)),
    (DecimalType(38, 18), st.decimals(-(10**19), 10**19, places=18)),
    (Array(LONG), st.lists(st.none() | whole(64), max_size=3)),
    (Map(STRING, LONG), st.dictionaries(TEXTS, whole(64), max_size=3)),
    (
        Struct(a=LONG, b=STRING, c=Array(Struct(d=TIMESTAMP, e=DecimalType(10, 2)))),
        st.fixed_dictionaries(
            {
                "a": st.none() | whole(64),
                "b": st.none() | TEXTS,
                "c": st.none()
                | st.lists(
                    st.fixed_dictionaries({"d": TIMES, "e": st.decimals(-(10**7), 10**7, places=2)}), max_size=2
                ),
            }
        ),
    ),
    (
        Struct(day=DATE, raw=BINARY, of=Map(STRING, DOUBLE)),
        st.fixed_dictionaries(
            {"day": st.dates(), "raw": st.binary(max_size=5), "of": st.dictionaries(TEXTS, REALS, max_size=2)}
        ),
    ),
]


def made(key=STRING, value=LONG, name="things"):
    return Store(name, "key-value", key, value, f"x-{name}")


def decoded(store, entries):
    return TableDecoder(store).batch([(store.keys.encode(key), values.dumps(value)) for key, value in entries])


@pytest.mark.parametrize(("of", "keys"), KEYS, ids=[str(of) for of, _ in KEYS])
def test_keys(of, keys):
    @settings(max_examples=30, deadline=None, suppress_health_check=list(HealthCheck))
    @given(st.lists(keys, min_size=1, max_size=10))
    def check(given_keys):
        batch = decoded(made(of), [(key, 1) for key in given_keys])
        if isinstance(given_keys[0], Windowed):
            found = [Windowed(*parts) for parts in zip(*(c.to_pylist() for c in batch.columns[:3]), strict=True)]
        else:
            found = batch.column(0).to_pylist()
        assert found == given_keys

    check()


@pytest.mark.parametrize(("of", "some"), VALUES, ids=[str(of) for of, _ in VALUES])
def test_values(of, some):
    @settings(max_examples=30, deadline=None, suppress_health_check=list(HealthCheck))
    @given(st.lists(some, min_size=1, max_size=10))
    def check(given_values):
        store = made(STRING, of)
        entries = [("k", each) for each in given_values]
        batch = decoded(store, entries)
        read = [store.read_value(written(each)) for each in given_values]
        names = [column.name for column in TableColumns.of(STRING, of).value]
        rows = batch.to_pylist(maps_as_pydicts="strict")
        expected = read if not isinstance(of, Struct) else [[each[name] for name in of.names] for each in read]
        found = [row["value"] for row in rows] if names == ["value"] else [[row[n] for n in names] for row in rows]
        assert found == expected

    check()


def written(value):
    return values.dumps(value)


def test_numbers_that_are_text_and_text_that_is_no_utf8():
    store = made(STRING, DOUBLE)
    batch = TableDecoder(store).batch([(b"\x01\xed\xa0\x80", b'"NaN"'), (b"\x01a", b"1.5"), (b"\x01b", b"null")])
    assert batch.column(0).to_pylist() == ["?", "a", "b"]
    assert str(batch.column(1).to_pylist()) == "[nan, 1.5, None]"


def test_columns_whose_names_are_taken():
    value = Struct(key=LONG, KEY=LONG, value=LONG, Window_Start=LONG)
    assert [c.name for c in TableColumns.of(STRING, value).all] == [
        "key",
        "value_key",
        "value_value_KEY",
        "value",
        "Window_Start",
    ]
    assert [c.name for c in TableColumns.of(windowed_type(STRING), value).all][-1] == "value_Window_Start"


CONDITIONS = [
    (LONG, "key = 5", "points 1"),
    (LONG, "key IN (5, 7, 5)", "points 2"),
    (LONG, "5 = key AND value > 3", "points 1"),
    (LONG, "t.key = ?", "points 1"),
    (LONG, "key BETWEEN 1 AND 5", "range"),
    (LONG, "key > 1", "range"),
    (LONG, "1 > key", "range"),
    (LONG, "key = 5 OR key = 6", "everything"),
    (LONG, "NOT key = 5", "everything"),
    (LONG, "key = '5'", "everything"),
    (LONG, "key = 5.5", "everything"),
    (LONG, "key = 99999999999999999999999", "everything"),
    (LONG, "key + 1 = 5", "everything"),
    (LONG, "key = value", "everything"),
    (LONG, "key = NULL", "everything"),
    (LONG, "other.key = 5", "everything"),
    (LONG, "key IN (SELECT 5)", "everything"),
    (STRING, "key = 'a'", "points 1"),
    (STRING, "key COLLATE NOCASE = 'a'", "everything"),
    (STRING, "lower(key) = 'a'", "everything"),
    (STRING, "key = 5", "everything"),
    (STRING, "key >= 'a' AND key < 'b'", "range"),
    (TIMESTAMP, "key >= TIMESTAMPTZ '2026-01-01'", "range"),
    (TIMESTAMP, "key >= 'yesterday'", "everything"),
    (TIMESTAMP, "key >= now()", "everything"),
    (DOUBLE, "key = 5", "everything"),
    (windowed_type(STRING), "key = 'a'", "range"),
    (windowed_type(STRING), "window_start > '2026-01-01'", "everything"),
    (Struct(user=STRING, n=LONG), "key.user = 'a'", "range"),
    (Struct(user=STRING, n=LONG), "t.key.user = 'a' AND key.n = 3", "range"),
    (Struct(user=STRING, n=LONG), "key.n = 3", "everything"),
]


@pytest.mark.parametrize(("of", "condition", "expected"), CONDITIONS, ids=[f"{c[0]} {c[1]}" for c in CONDITIONS])
def test_conditions_on_keys(of, condition, expected):
    parsed = statements.parse(duckdb.connect(), f"SELECT * FROM things AS t WHERE {condition}")
    read = key_read(made(of), parsed.tables[0], [5])
    shown = "everything" if read.is_everything else "range" if read.points is None else f"points {len(read.points)}"
    assert shown == expected


@pytest.mark.parametrize(
    "query",
    [
        "SELECT * FROM things JOIN others USING (key) WHERE key = 5",
        "SELECT * FROM things TABLESAMPLE 10% WHERE key = 5",
        "SELECT * FROM things AS t(a, key) WHERE key = 5",
        "SELECT * FROM things AS key WHERE key = 5",
        "SELECT * FROM things AS value WHERE value.key = 5",
    ],
)
def test_selects_whose_conditions_say_nothing(query):
    parsed = statements.parse(duckdb.connect(), query)
    assert all(key_read(made(LONG), each, []).is_everything for each in parsed.tables if each.name == "things")


@pytest.fixture
def engine(tmp_path):
    replica, stores = Replica(tmp_path / "replica"), {"things": made(LONG, LONG), "Long": made(STRING, LONG, "Long")}
    for store in stores.values():
        replica.rebuild(store.name, Progress(store.changelog, "id", store.key, store.value))
    numbers = [Put("things", stores["things"].keys.encode(n), b"%d" % n) for n in range(10_000)]
    texts = [Put("Long", stores["Long"].keys.encode("x" * n), b"%d" % n) for n in range(0, 2000, 7)]
    done = {name: Progress(s.changelog, "id", s.key, s.value, {0: 1}, 1) for name, s in stores.items()}
    replica.apply([*numbers, *texts], done, {"epoch": b"1"})
    yield SqlEngine(SimpleNamespace(replica=replica, catalog=Catalog("x", {}, stores)))
    replica.close()


def first(engine, query, *parameters):
    return list(engine.run(SqlQuery(query, parameters)).table.to_pylist()[0].values())


def test_stores_of_many_blocks_and_with_long_keys(engine):
    assert first(engine, "SELECT count(*), sum(value), min(key), max(key) FROM things") == [10_000, 49_995_000, 0, 9999]
    assert first(engine, "SELECT count(*), sum(value), max(length(key)) FROM long") == [286, 285_285, 1995]
    assert first(engine, "SELECT count(*) FROM things WHERE key BETWEEN 10 AND 4999") == [4990]
    assert first(engine, "SELECT value FROM long WHERE key = ?", "x" * 700) == [700]


def test_what_one_query_sees_no_other_does(engine):
    first(engine, "SELECT count(*) FROM things")
    assert engine.run(SqlQuery("SHOW TABLES")).table.column(0).to_pylist() == ["Long", "things"]
    assert engine._connect().execute("SHOW TABLES").fetchall() == []


def test_a_decimal_is_exact():
    store = made(STRING, DecimalType(38, 18))
    batch = TableDecoder(store).batch([(b"\x01a", b"12345678901234567890.123456789012345678")])
    assert batch.column(1).to_pylist() == [Decimal("12345678901234567890.123456789012345678")]
