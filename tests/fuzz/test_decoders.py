"""Every serde with random bytes: each record becomes a value or a dead letter, and nothing breaks."""

import contextlib
import os
import random
from datetime import date, datetime
from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import holdfast as hf
from holdfast.errors import HoldfastError
from holdfast.stores import values
from holdfast.stores.keys import KeyType
from holdfast.testing import Driver
from holdfast.types import from_json


def key_type(of):
    return KeyType(from_json(of))


RECORDS = int(os.environ.get("FUZZ_RECORDS", "60"))
EXAMPLES = RECORDS
DEEP = (
    "n INT, s STRING, l ARRAY<STRUCT<a: BIGINT, b: DECIMAL(9,2)>>, m MAP<STRING, DOUBLE>, t TIMESTAMP, d DATE, x BINARY"
)
SERDES = {
    "text": str, "raw": bytes, "int": int, "float": float, "bool": bool, "decimal": Decimal, "timestamp": datetime,
    "date": date, "int32": hf.int32(), "int64": hf.int64(), "json-int": hf.json(int), "json-list": hf.json(list[int]),
    "deep": DEEP,
}  # fmt: skip
KEYS = [name for name in SERDES if name != "deep"]
SEEDS = [
    b"", b"0", b"-1", b"1e400", b"NaN", b"true", b"2026-01-01", b"2026-01-01T00:00:00Z", b"null", b"[]", b"{}", b'"',
    b'"\\ud800"', b"\xff\xfe", b"\x00" * 4, b"\x00" * 8, b"\x80" + b"\x00" * 7, b"99999999999999999999", b"1" * 5000,
    b"[" * 5000, b'{"n":' * 3000, b'{"n": 1, "s": "x", "l": [{"a": 1, "b": 1.25}], "m": {"k": 1.5}}',
    b'{"t": "2026-01-01T00:00:00Z", "d": "2026-01-01", "x": "AA=="}', b'{"n": 2147483648}', b'{"t": 1e300}',
    b'{"m": {"a": 1, "a": 2}}', "é".encode("latin-1"), "\U0010ffff".encode(),
]  # fmt: skip


def noise(chance: random.Random) -> bytes:
    """Random bytes, or something valid that was bitten."""
    kind = chance.randrange(3)
    if kind == 0:
        return chance.randbytes(chance.randrange(64))
    data = bytearray(chance.choice(SEEDS)[:400])
    for _ in range(chance.randrange(4) if data else 0):
        data[chance.randrange(len(data))] = chance.randrange(256)
    return bytes(data[: chance.randrange(len(data) + 1)] if kind == 1 else data)


@pytest.fixture(scope="module")
def program():
    app = hf.App("decoders")
    for name, serde in SERDES.items():
        app.stream(f"{name}-values", serde, key=bytes).to(f"{name}-values-out")
        if name in KEYS:
            app.stream(f"{name}-keys", str, key=serde).group_by_key().count(store=f"{name}-counts")
    with Driver(app) as driver:
        yield driver


@pytest.mark.parametrize("name", SERDES)
def test_the_kernel_takes_or_refuses_every_value(program, name):
    chance = random.Random(name)
    sent = [*SEEDS, *(noise(chance) for _ in range(RECORDS))]
    with program.batch():
        for value in sent:
            program.pipe(f"{name}-values", value)
    taken, refused = len(program.read(f"{name}-values-out")), len(program.dead_letters())
    assert taken + refused == len(sent)
    assert taken > 0


@pytest.mark.parametrize("name", KEYS)
def test_the_kernel_takes_or_refuses_every_key(program, name):
    chance = random.Random(name)
    sent = [*SEEDS, *(noise(chance) for _ in range(RECORDS))]
    with program.batch():
        for key in sent:
            program.pipe(f"{name}-keys", "value", key=key)
    counted = sum(number for _, number in program.store(f"{name}-counts").all())
    assert counted + len(program.dead_letters()) == len(sent)


TYPES = [
    "string",
    "binary",
    "long",
    "integer",
    "double",
    "boolean",
    "decimal(9,2)",
    "timestamp",
    "timestamp_ntz",
    "date",
]
RECORD = {"type": "struct", "fields": [{"name": n, "type": n, "nullable": True, "metadata": {}} for n in TYPES[:3]]}


@pytest.mark.parametrize("of", [*TYPES, RECORD], ids=[*TYPES, "record"])
def test_python_takes_or_refuses_every_key(of):
    """As a replica reads a changelog's keys, and as a server reads those of a path and a cursor."""
    key = key_type(of)

    @settings(max_examples=EXAMPLES, deadline=None)
    @given(st.binary(max_size=80) | st.sampled_from(SEEDS), st.text(max_size=40))
    def check(data, text):
        for read, given_ in ((key.from_topic, data), (key.decode, data), (key.parse, text)):
            with contextlib.suppress(HoldfastError):
                read(given_)
        with contextlib.suppress(HoldfastError):
            key.parse_bounds(text, text, text)

    check()


@pytest.mark.parametrize("of", [*TYPES, RECORD], ids=[*TYPES, "record"])
def test_python_takes_or_refuses_every_value(of):
    """As a handle reads a store's values: JSON of any shape."""
    scalars = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=10)
    shapes = st.recursive(
        scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner)
    )

    @settings(max_examples=EXAMPLES, deadline=None)
    @given(shapes)
    def check(value):
        with contextlib.suppress(HoldfastError):
            values.converter(from_json(of))(value)

    check()
