import pytest

from holdfast.errors import TypeDeclarationError
from holdfast.topics.ddl import parse_ddl


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
    assert parse_ddl(text, "x") == type_


@pytest.mark.parametrize(
    "text", ["interval day", "a VARIANT", "a INT DEFAULT 3", "a INT COMMENT 'b'", "a INT,", "a INT b", "char(3)", "?"]
)
def test_the_rest_is_left_to_spark(text):
    assert parse_ddl(text, "x") == {"ddl": text}


def test_a_field_twice_is_refused():
    with pytest.raises(TypeDeclarationError, match="orders: the field 'id' is there twice"):
        parse_ddl("id INT, ID STRING", "orders")
