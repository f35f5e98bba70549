"""Bodies and parameters of an app's own routes, by their annotations."""

import asyncio
from dataclasses import dataclass, field
from datetime import UTC, datetime
from decimal import Decimal
from enum import Enum
from typing import Annotated, Any, Literal, NotRequired, TypedDict
from uuid import UUID

import msgspec
import pytest
from starlette.requests import Request

import holdfast as hf
from holdfast.server import openapi
from holdfast.server.json_body import JsonBody, is_record
from holdfast.server.parameters import bind, read_signature
from holdfast.server.responses import Refusal
from holdfast.stores.types import WrongType


class Colour(Enum):
    RED = "red"


@dataclass
class Line:
    product: str
    price: Decimal
    colour: Colour = Colour.RED


@dataclass
class Basket:
    id: int
    lines: list[Line]
    at: datetime | None = None
    how: Literal["fast", "slow"] = "slow"
    more: dict[str, Line] = field(default_factory=dict)


class Person(TypedDict):
    name: str
    age: NotRequired[int]


class Unknown:
    pass


def read(wanted, body):
    return JsonBody("body", wanted, "app.py:1").read(body)


def test_a_body_becomes_what_the_annotation_says():
    line = b'{"product":"tea","price":1.10,"colour":"red"}'
    body = b'{"id":1,"lines":[%s],"at":"2026-01-01T00:00:00Z","how":"fast","more":{"a":%s}}' % (line, line)
    tea = Line("tea", Decimal("1.10"))
    assert read(Basket, body) == Basket(1, [tea], datetime(2026, 1, 1, tzinfo=UTC), "fast", {"a": tea})
    assert read(list[Person], b'[{"name":"Ann"}]') == [{"name": "Ann"}]
    assert vars(read(Basket, b'{"id":1,"lines":[]}')) == vars(Basket(1, []))
    assert read(Basket | None, b"null") is None
    assert read(Any, b'{"a":[1.5]}') == {"a": [1.5]}


@pytest.mark.parametrize(
    ("wanted", "body", "words"),
    [
        (Basket, b'{"id":"x","lines":[]}', r"Expected `int`, got `str` - at `\$.id`"),
        (Basket, b'{"id":1}', "missing required field `lines`"),
        (Basket, b'{"id":1,"lines":[{"product":"a","price":"x"}]}', r"\$.lines\[0\].price"),
        (
            Basket,
            b'{"id":1,"lines":[{"product":"a","price":1,"pice":2}]}',
            r"unknown field 'pice' - at `\$.lines\[0\]`",
        ),
        (Basket, b'{"id":1,"lines":[],"more":{"a":{"product":"a","price":1,"x":1}}}', "unknown field 'x'"),
        (Basket, b'{"id":1,"lines":[],"how":"left"}', "Invalid enum value 'left'"),
        (Basket, b'{"id":1,"lines":[{"product":"a","price":"1e999999999"}]}', "at most 200 digits"),
        (Basket, b'{"id":99999999999999999999,"lines":[]}', "at most 64 bits"),
        (list, b"[9223372036854775808]", "at most 64 bits"),
        (Person, b'{"name":"a","ages":1}', "unknown field 'ages'"),
        (Any, b"[" * 300 + b"]" * 300, "at most 200 deep"),
        (Any, b"[" * 100_000, "at most 200 deep"),
        (Any, b"9" * 100_000, "at most 64 bits"),
        (Any, b"1e999", "out of range"),
        (Any, b"", "wanted JSON"),
        (Any, b'"\xff"', "wanted JSON"),
    ],
)
def test_a_body_that_does_not_fit_says_where(wanted, body, words):
    with pytest.raises(WrongType, match=words):
        read(wanted, body)


def test_long_digits_in_text_and_fractions_are_no_whole_numbers():
    assert read(list, b'["99999999999999999999", 0.99999999999999999999, -9223372036854775808]')[2] == -(2**63)


def test_a_body_of_digits_is_looked_at_once():
    assert read(list, b"[" + b"1234567890123456789.5," * 40_000 + b"1]")[0] == 1234567890123456789.5


def test_a_type_that_json_does_not_know_is_refused_when_the_server_is_built():
    with pytest.raises(hf.HoldfastError, match=r"'body': .*Unknown.* cannot be read from JSON"):
        JsonBody("body", Unknown, "app.py:1")


@pytest.mark.parametrize("wanted", [Basket, Person, dict, dict[str, int], list[Line], Basket | None])
def test_records_come_from_the_body(wanted):
    assert is_record(wanted)


@pytest.mark.parametrize("wanted", [int, list[int], list, Colour, Any, Unknown, int | None])
def test_other_types_do_not(wanted):
    assert not is_record(wanted)


def asked(handler, query):
    request = Request({"type": "http", "query_string": query.encode(), "headers": [], "path_params": {}})
    return asyncio.run(bind(read_signature(handler, set(), "app.py:1"), request))


def test_text_becomes_what_the_annotation_says():
    def handler(a: Annotated[int, msgspec.Meta(ge=1)], b: UUID, c: Literal[1, 2] = 1, d: list[Colour] = []): ...  # noqa: B006

    found = asked(handler, f"a=3&b={UUID(int=1)}&c=2&d=red")
    assert found == {"a": 3, "b": UUID(int=1), "c": 2, "d": [Colour.RED]}
    for query, words in {"a=0": "`int` >= 1", "a=x": "wanted long", "a=1&b=x": "wanted UUID; got 'x'"}.items():
        with pytest.raises(Refusal, match=words):
            asked(handler, query)


def test_routes_are_described_with_the_classes_that_they_take():
    def take(basket: Basket): ...
    def look(n: int, amount: Decimal | None = None, when: datetime | None = None, colour: Colour = Colour.RED): ...

    own = [("POST", "/take", read_signature(take, set(), "")), ("GET", "/look", read_signature(look, set(), ""))]
    found = openapi.document("shop", own, secured=False)
    schemas = found["components"]["schemas"]
    body = found["paths"]["/take"]["post"]["requestBody"]
    assert body == {
        "required": True,
        "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Basket"}}},
    }
    assert schemas["Line"]["additionalProperties"] is False
    assert schemas["Basket"]["required"] == ["id", "lines"]
    assert schemas["Basket"]["properties"]["id"]["maximum"] == 2**63 - 1
    assert "additionalProperties" not in schemas["Basket"]["properties"]["more"] or schemas["Basket"]["properties"][
        "more"
    ]["additionalProperties"] == {"$ref": "#/components/schemas/Line"}
    n, amount, when, colour = (each["schema"] for each in found["paths"]["/look"]["get"]["parameters"])
    assert (n["type"], n["minimum"], amount["type"], when["format"]) == ("integer", -(2**63), "number", "date-time")
    assert schemas[colour["$ref"].rpartition("/")[2]]["enum"] == ["red"]
