"""What functions give becomes a column, or is refused with what was wanted and what came."""

from collections import namedtuple
from dataclasses import dataclass, field, make_dataclass
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from enum import IntEnum

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdfast.types import INTEGER, STRING, Array, Field, Map, Struct, from_json
from holdfast.types.type_hints import type_of
from holdfast.workers.codec.column_decoder import Row, column_decoder
from holdfast.workers.codec.column_encoder import WrongType, column_encoder, value_checker


@dataclass
class Line:
    item: str
    pieces: int = 1


@dataclass
class Order:
    id: int
    lines: list[Line]
    at: datetime
    notes: dict[str, str]
    discount: float | None = None
    first: Line | None = None


ORDER = type_of(Order, "order")
AT = datetime(2026, 1, 1, tzinfo=UTC)


class Colour(IntEnum):
    RED = 1


class Text(str):
    pass


Pair = namedtuple("Pair", "item pieces")


def column(type_, cls, *values):
    made = column_encoder(type_, cls)
    array, wrong = made.array([made.encode(value) for value in values])
    assert wrong == {}
    return array


def test_records_go_there_and_come_back():
    orders = [
        Order(1, [Line("tea", 2), Line("cup")], AT, {"gift": "yes"}, 0.5, Line("bag")),
        Order(2, [], AT + timedelta(microseconds=1), {}),
        None,
    ]
    assert column_decoder(ORDER, Order)(column(ORDER, Order, *orders)) == orders


def test_what_is_changed_later_does_not_change_what_was_taken():
    made = column_encoder(ORDER, Order)
    order = Order(1, [Line("tea", 2)], AT, {"gift": "yes"})
    taken = [made.encode(order)]
    order.id = 9
    order.lines[0].pieces = 9
    order.lines.append(Line("cup"))
    order.notes["gift"] = "no"
    [found] = column_decoder(ORDER, Order)(made.array(taken)[0])
    assert found == Order(1, [Line("tea", 2)], AT, {"gift": "yes"})


def test_classes_dicts_tuples_and_records_without_a_class_are_records():
    line = type_of(Line, "line")
    other = make_dataclass("Other", [("item", str), ("pieces", int), ("more", int)])
    given_ = [
        Line("a", 2), {"item": "a", "pieces": 2}, ("a", 2), Row(item="a", pieces=2), Pair("a", 2), other("a", 2, 3),
        {"item": "a", "pieces": 2, "more": 3},
    ]  # fmt: skip
    assert column_decoder(line, Line)(column(line, Line, *given_)) == [Line("a", 2)] * len(given_)
    assert column_decoder(line, Line)(column(line, None, *given_)) == [Line("a", 2)] * len(given_)


def test_what_a_dict_lacks_has_the_default_of_its_class():
    @dataclass
    class Shipped:
        id: int
        unit: str = "kg"
        lines: list[Line] = field(default_factory=lambda: [Line("box")])
        note: str | None = None

    type_ = type_of(Shipped, "shipped")
    found = column_decoder(type_, Shipped)(
        column(type_, Shipped, {"id": 1}, {"id": 2, "unit": "t", "lines": [{"item": "a"}]})
    )
    assert found == [Shipped(1), Shipped(2, "t", [Line("a", 1)])]


@pytest.mark.parametrize(
    ("type_", "value", "said"),
    [
        ("long", True, "result: int was wanted, True (bool) came"),
        ("long", 1.0, "result: int was wanted, 1.0 (float) came"),
        ("boolean", 1, "result: bool was wanted, 1 (int) came"),
        ("double", True, "result: float was wanted, True (bool) came"),
        ("string", b"a", "result: str was wanted, b'a' (bytes) came"),
        ("binary", "a", "result: bytes was wanted, 'a' (str) came"),
        ("timestamp", date(2026, 1, 1), "result: datetime was wanted"),
        ("timestamp", datetime(2026, 1, 1), "result: the datetime 2026-01-01 00:00:00 has no time zone"),
        ("date", AT, "result: date was wanted"),
        (ORDER, Order(1, [Line("a", "2")], AT, {}), "result.lines[0].pieces: int was wanted, '2' (str) came"),
        (ORDER, Order(1, [], AT, {"a": 5}), "result.notes['a']: str was wanted, 5 (int) came"),
        (ORDER, Order(1, (), AT, [1]), "result.notes: dict was wanted, [1] (list) came"),
        (ORDER, Order(None, [], AT, {}), "result.id: a value was wanted, null came"),
        (ORDER, {"id": 1, "lines": [], "at": AT}, "result.notes: a value was wanted, nothing came"),
        (
            ORDER,
            {"id": 1, "lines": [], "at": AT, "notes": {}, "discont": 0.5},
            "result has no field 'discont', and 'discount' is missing; it has id, lines,",
        ),
        (ORDER, Order(1, [], AT, {}, first=Line(None)), "result.first.item: a value was wanted, null came"),
    ],
)
def test_a_wrong_value_is_refused_when_it_comes(type_, value, said):
    with pytest.raises(WrongType) as refused:
        column_encoder(from_json(type_) if isinstance(type_, str) else type_, Order).encode(value)
    assert str(refused.value).startswith(said)


@pytest.mark.parametrize(
    ("type_", "value", "said"),
    [
        ("byte", 128, "result: 128 does not fit 8 bits"),
        ("long", 2**63, "result: 9223372036854775808 does not fit 64 bits"),
        ("string", "\ud800", "result: 'utf-8' codec can't encode"),
        ("decimal(5,2)", Decimal("1.234"), "result: Rescaling"),
        (Struct(n=INTEGER), {"n": 2**31}, "result.n: 2147483648 does not fit 32 bits"),
    ],
)
def test_what_does_not_fit_leaves_the_others_as_they_are(type_, value, said):
    made = column_encoder(from_json(type_) if isinstance(type_, str) else type_)
    array, wrong = made.array([made.encode(None), made.encode(value), made.encode(None)])
    assert [*wrong] == [1]
    assert str(wrong[1]).startswith(said)
    assert array.to_pylist() == [None, None, None]


@pytest.mark.parametrize(
    ("type_", "value", "kept"),
    [
        ("long", Colour.RED, 1),
        ("double", 5, 5.0),
        ("double", 2**60, float(2**60)),
        ("string", Text("a"), "a"),
        ("binary", bytearray(b"a"), b"a"),
        ("timestamp", datetime(2026, 1, 1, 2, tzinfo=timezone(timedelta(hours=2))), AT),
        ("date", date(1960, 2, 29), date(1960, 2, 29)),
        ("timestamp", datetime(1960, 1, 1, tzinfo=UTC), datetime(1960, 1, 1, tzinfo=UTC)),
        ("decimal(5,2)", 1, Decimal("1.00")),
        (Array(from_json("long")), (1, None), [1, None]),
    ],
)
def test_values_that_are_as_good_are_taken(type_, value, kept):
    type_ = from_json(type_) if isinstance(type_, str) else type_
    [found] = column_decoder(type_)(column(type_, None, value))
    assert (found, type(found)) == (kept, type(kept))


def test_a_class_that_is_not_made_by_position():
    @dataclass(kw_only=True)
    class Named:
        b: int
        a: int = field(default=0)

    type_ = type_of(Named, "named")
    assert column_decoder(type_, Named)(column(type_, Named, Named(b=1, a=2))) == [Named(b=1, a=2)]


ANY = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False), st.text(max_size=3), st.binary(max_size=3),
    st.datetimes(timezones=st.sampled_from([None, UTC])), st.dates(), st.decimals(allow_nan=False),
)  # fmt: skip
SCALARS = st.sampled_from(
    ["byte", "integer", "long", "double", "boolean", "string", "binary", "date", "timestamp", "decimal(9,2)"]
).map(from_json)
TYPES = st.recursive(
    SCALARS,
    lambda inner: st.one_of(
        st.builds(Array, inner),
        st.builds(lambda item: Map(STRING, item), inner),
        st.lists(st.tuples(inner, st.booleans()), min_size=1, max_size=3).map(
            lambda parts: Struct(Field(f"f{i}", each, null) for i, (each, null) in enumerate(parts))
        ),
    ),
    max_leaves=5,
)


@st.composite
def nearly(draw, type_):
    """A value of the type, as a rule."""
    if draw(st.integers(0, 15)) == 0:
        return draw(ANY)
    if isinstance(type_, Array):
        return draw(st.lists(nearly(type_.element), max_size=3))
    if isinstance(type_, Map):
        return draw(st.dictionaries(st.text(max_size=2), nearly(type_.value), max_size=3))
    if isinstance(type_, Struct):
        made = {each.name: draw(nearly(each.type)) for each in type_.fields}
        if draw(st.booleans()):
            return made
        if draw(st.booleans()):
            return tuple(made.values())
        return make_dataclass("Made", [(name, object) for name in made])(*made.values())
    plain = {"double": st.floats(allow_nan=False), "boolean": st.booleans(), "string": st.text(max_size=3)}
    times = {"timestamp": st.datetimes(timezones=st.just(UTC)), "date": st.dates(), "binary": st.binary(max_size=2)}
    return draw({**plain, **times}.get(type_.name, st.integers(-200, 200)))


@given(data=st.data())
@settings(max_examples=300, deadline=None)
def test_the_short_way_gives_what_the_checks_give(data):
    type_ = data.draw(TYPES)
    value = data.draw(nearly(type_))
    cls = type(value) if isinstance(type_, Struct) else None
    made = column_encoder(type_, cls)

    def outcome(take):
        try:
            taken = take(value)
        except WrongType as error:
            return "refused", str(error)
        array, wrong = made.array([taken])
        return ("refused", str(wrong[0])) if wrong else ("taken", array)

    assert outcome(made.encode) == outcome(lambda given_: value_checker(type_)(given_, "result"))
