from dataclasses import dataclass, field
from datetime import date, datetime
from decimal import Decimal
from typing import Annotated, Any, NotRequired, Optional, TypedDict

import pytest

from holdfast.errors import TypeDeclarationError
from holdfast.types import INTEGER
from holdfast.types.type_hints import type_of


def one(name, type_, nullable=False, **metadata):
    return {"name": name, "type": type_, "nullable": nullable, "metadata": metadata}


@dataclass
class Address:
    city: str
    zip: str | None


@dataclass
class Person:
    id: int
    born: date
    home: Address
    tags: list[str]
    scores: dict[str, float]
    nick: Optional[str]  # noqa: UP045
    level: int = 3
    note: str | None = None
    seen: list[datetime] = field(default_factory=list)
    unit: Annotated[str, "anything"] = "kg"


class Pet(TypedDict):
    name: str
    age: int | None
    owner: NotRequired[str]


@pytest.mark.parametrize(
    ("declared", "type_"),
    [
        (int, "long"),
        (float, "double"),
        (str, "string"),
        (bool, "boolean"),
        (bytes, "binary"),
        (datetime, "timestamp"),
        (date, "date"),
        (Decimal, "decimal(38,18)"),
        (int | None, "long"),
        (list[int], {"type": "array", "elementType": "long", "containsNull": True}),
        (list[int | None], {"type": "array", "elementType": "long", "containsNull": True}),
        (dict[str, int], {"type": "map", "keyType": "string", "valueType": "long", "valueContainsNull": True}),
    ],
)
def test_scalars_and_containers(declared, type_):
    assert type_of(declared, "x").to_json() == type_


def test_a_dataclass():
    address = {"type": "struct", "fields": [one("city", "string"), one("zip", "string", True)]}
    assert type_of(Person, "x").to_json() == {
        "type": "struct",
        "fields": [
            one("id", "long"),
            one("born", "date"),
            one("home", address),
            one("tags", {"type": "array", "elementType": "string", "containsNull": True}),
            one("scores", {"type": "map", "keyType": "string", "valueType": "double", "valueContainsNull": True}),
            one("nick", "string", True),
            one("level", "long", True, default=3),
            one("note", "string", True),
            one("seen", {"type": "array", "elementType": "timestamp", "containsNull": True}, True, default=[]),
            one("unit", "string", True, default="kg"),
        ],
    }


def test_a_typed_dict():
    assert type_of(Pet, "x").to_json()["fields"] == [
        one("name", "string"),
        one("age", "long", True),
        one("owner", "string", True),
    ]


def test_a_spark_type_by_its_json():
    class StructType:
        def jsonValue(self):
            return {"type": "struct", "fields": [one("a", "integer", True)]}

    assert type_of(StructType(), "x").field("a") == INTEGER


def test_the_real_spark_types():
    types = pytest.importorskip("pyspark.sql.types")
    declared = types.StructType().add("a", types.IntegerType()).add("b", types.ArrayType(types.StringType()), False)
    assert type_of(declared, "x") == type_of("a INT, b ARRAY<STRING> NOT NULL", "x")


def test_a_spark_type_in_an_annotation_says_more():
    types = pytest.importorskip("pyspark.sql.types")

    @dataclass
    class Price:
        net: Annotated[Decimal, types.DecimalType(18, 2)]
        tax: Annotated[Decimal, "a note", types.DecimalType(9, 4)] | None = None

    assert type_of(Price, "x").to_json()["fields"] == [one("net", "decimal(18,2)"), one("tax", "decimal(9,4)", True)]


@dataclass
class WithSet:
    tags: set


@dataclass
class WithKeys:
    m: dict[int, str]


@dataclass
class WithUnion:
    v: int | str


@dataclass
class Empty:
    pass


@dataclass
class Tree:
    children: "list[Tree]"


@dataclass
class Lost:
    v: "Nowhere"  # noqa: F821


@dataclass
class Odd:
    v: str = object()  # type: ignore[assignment]


@pytest.mark.parametrize(
    ("declared", "message"),
    [
        (WithSet, r"WithSet.tags: set is not a type for a topic; supported are int, float"),
        (WithKeys, r"WithKeys.m: dict\[int, str\] is not a type"),
        (WithUnion, r"WithUnion.v: int \| str is not a type"),
        (Empty, "Empty has no fields"),
        (Tree, "Tree.children: Tree contains itself"),
        (Lost, "Lost: name 'Nowhere' is not defined"),
        (Odd, "Odd.v: the default .* cannot be written as JSON"),
        (list, "x: list is not a type"),
        (Any, "is not a type"),
        (None, "x: None is not a type"),
        ("", "x: the type is empty"),
    ],
)
def test_what_is_not_supported_names_class_and_field(declared, message):
    with pytest.raises(TypeDeclarationError, match=message):
        type_of(declared, "x")
