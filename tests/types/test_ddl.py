import re

import pytest

from holdfast.errors import TypeDeclarationError
from holdfast.types.ddl import parse_ddl
from holdfast.types.type_hints import type_of


def one(name, type_, nullable=True):
    return {"name": name, "type": type_, "nullable": nullable, "metadata": {}}


def record(*fields):
    return {"type": "struct", "fields": list(fields)}


@pytest.mark.parametrize(
    ("text", "type_"),
    [
        ("bigint", "long"),
        ("INT", "integer"),
        ("decimal(10, 2)", "decimal(10,2)"),
        ("decimal", "decimal(10,0)"),
        ("timestamp_ntz", "timestamp_ntz"),
        (
            "array<map<string, int>>",
            {
                "type": "array",
                "elementType": {"type": "map", "keyType": "string", "valueType": "integer", "valueContainsNull": True},
                "containsNull": True,
            },
        ),
        ("id BIGINT", record(one("id", "long"))),
        ("id: bigint, name: string", record(one("id", "long"), one("name", "string"))),
        ("id INT NOT NULL, `a b` STRING", record(one("id", "integer", False), one("a b", "string"))),
        (
            "struct<a: int, b struct<c: double not null>>",
            record(one("a", "integer"), one("b", record(one("c", "double", False)))),
        ),
        ("date DATE, int INT", record(one("date", "date"), one("int", "integer"))),
    ],
)
def test_what_is_read_here(text, type_):
    assert parse_ddl(text, "x").to_json() == type_


@pytest.mark.parametrize(
    "text",
    ["interval day", "a VARIANT", "a INT DEFAULT 3", "a INT COMMENT 'b'", "char(3)", "a STRING COLLATE UTF8_LCASE"],
)
def test_the_rest_is_left_to_spark(text):
    assert parse_ddl(text, "x").to_json() == {"ddl": text}


def test_a_field_twice_is_refused():
    with pytest.raises(TypeDeclarationError, match="orders: the field 'id' is there twice"):
        parse_ddl("id INT, ID STRING", "orders")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("strng", "there is no type 'strng'; did you mean 'string'?"),
        ("id BIGIN, name STRING", "there is no type 'bigin'; did you mean 'bigint'?"),
        ("a INT,", "it ends too early"),
        ("a INT b", "',' was wanted, 'b' came"),
        ("array<int", "it ends too early"),
        ("map<string>", "',' was wanted, '>' came"),
        ("?", "there is no type '?'"),
        ("a b c", "there is no type 'b'"),
        ("1 INT", "the name of a field was wanted, '1' came"),
        ("decimal(39,2)", "decimal(39,2) is no type"),
        ("d DECIMAL(4,5)", "decimal(4,5) is no type"),
    ],
)
def test_a_wrong_type_is_refused_where_it_is_written(text, reason):
    with pytest.raises(TypeDeclarationError) as error:
        type_of(text, "orders")
    line = test_a_wrong_type_is_refused_where_it_is_written.__code__.co_firstlineno
    assert re.match(rf"test_ddl.py:{line + 18}: orders: ", str(error.value)), error.value
    assert reason in str(error.value)
