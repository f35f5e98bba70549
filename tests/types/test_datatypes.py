import pickle

import pytest

from holdfast.types import (
    BINARY,
    BYTE,
    DOUBLE,
    INTEGER,
    LONG,
    STRING,
    UNKNOWN,
    Array,
    Decimal,
    Field,
    Foreign,
    Map,
    Scalar,
    Struct,
    TypeVisitor,
    Unread,
    from_json,
)
from holdfast.types.type_hints import type_of

NESTED = type_of("id INT NOT NULL, price DECIMAL(10, 2), tags ARRAY<STRING>, by MAP<STRING, STRUCT<n: BIGINT>>", "x")


def test_parts_are_reached_by_name():
    assert NESTED.field("tags").element == STRING
    assert NESTED.field("by").value.field("n") == LONG
    assert NESTED.names == ["id", "price", "tags", "by"]
    assert NESTED.get("nothing") is None
    with pytest.raises(KeyError):
        NESTED.field("nothing")


def test_equal_types_are_one():
    assert Struct(a=LONG) == Struct([Field("a", LONG)])
    assert hash(Struct(a=LONG)) == hash(Struct([Field("a", LONG)]))
    assert Struct(a=LONG) != Struct([Field("a", LONG, nullable=False)])
    assert Struct(a=LONG) != Struct([Field("a", LONG, metadata={"default": 3})])
    assert Array(LONG) != Array(LONG, contains_null=False)
    assert Decimal(10, 2) == from_json("decimal(10, 2)")
    assert Scalar("long") == LONG


def test_types_do_not_change():
    with pytest.raises(AttributeError):
        LONG.name = "int"
    with pytest.raises(AttributeError):
        NESTED.fields = ()


@pytest.mark.parametrize("of", [LONG, NESTED, Decimal(4, 2), UNKNOWN, Unread("VARIANT")])
def test_types_are_sent_to_other_processes(of):
    assert pickle.loads(pickle.dumps(of)) == of


@pytest.mark.parametrize(
    "document",
    [
        "long",
        "decimal(10,2)",
        "interval day to second",
        None,
        {"ddl": "a VARIANT"},
        {"type": "udt", "class": "x.Point"},
        {"type": "array", "elementType": None, "containsNull": False},
        {"type": "map", "keyType": "integer", "valueType": "decimal(4,1)", "valueContainsNull": False},
        {"type": "struct", "fields": [{"name": "a", "type": "date", "nullable": False, "metadata": {"default": [1]}}]},
        NESTED.to_json(),
    ],
)
def test_a_document_comes_back_as_it_was(document):
    assert from_json(document).to_json() == document


@pytest.mark.parametrize(
    "document", [3, [], True, {}, {"type": "array"}, {"type": "struct", "fields": [{"name": "a"}]}]
)
def test_what_is_no_type_is_refused(document):
    with pytest.raises((TypeError, LookupError)):
        from_json(document)


@pytest.mark.parametrize(
    ("of", "words", "ddl"),
    [
        (LONG, "int", "BIGINT"),
        (BINARY, "bytes", "BINARY"),
        (Decimal(4, 1), "decimal(4,1)", "DECIMAL(4,1)"),
        (Array(STRING), "array of string", "ARRAY<STRING>"),
        (Map(STRING, DOUBLE), "map of string to float", "MAP<STRING, DOUBLE>"),
        (Struct([Field("a", INTEGER, False), Field("b", UNKNOWN)]), "record(a, b)", "STRUCT<a: INT NOT NULL, b: ?>"),
        (UNKNOWN, "unknown", "?"),
        (Unread("a VARIANT"), "a VARIANT", "a VARIANT"),
        (Foreign({"type": "udt"}), "{'type': 'udt'}", "?"),
    ],
)
def test_types_in_words_and_in_ddl(of, words, ddl):
    assert (of.in_words(), str(of)) == (words, ddl)


def test_what_is_known_and_what_is_a_number():
    assert [each.is_known for each in (LONG, UNKNOWN, Unread("VARIANT"))] == [True, False, False]
    assert [each.is_number for each in (BYTE, DOUBLE, Decimal(3, 0), STRING, Array(LONG))] == [True] * 3 + [False] * 2
    assert [each.is_integer for each in (BYTE, DOUBLE, Decimal(3, 0), Array(LONG))] == [True, False, False, False]
    assert [each.bits for each in (BYTE, INTEGER, LONG)] == [8, 32, 64]


def test_a_walker_that_does_not_name_a_kind_is_told_so():
    with pytest.raises(NotImplementedError, match="TypeVisitor says nothing about BIGINT"):
        TypeVisitor().visit(LONG)
