import pytest

from holdfast.topics.types import type_of
from holdfast.topology.shapes import ddl, plain, same_shape


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("long", "integer", True),
        ("long", "byte", True),
        ("long", "string", False),
        ("long", "double", False),
        ("binary", "string", False),
        (None, "string", True),
        ({"ddl": "VARIANT"}, "string", True),
        ("string", "a INT", False),
        ("a INT, b STRING", "a BIGINT, b STRING", True),
        ("a INT, b STRING", "b STRING, a INT", False),
        ("array<int>", "array<bigint>", True),
        ("array<int>", "array<string>", False),
        ("array<int>", "map<string,int>", False),
        ("map<string,int>", "map<string,string>", False),
    ],
)
def test_keys_that_can_be_equal(one, other, same):
    types = [type_of(each, "x") if isinstance(each, str) else each for each in (one, other)]
    assert same_shape(*types) is same
    assert same_shape(*reversed(types)) is same


@pytest.mark.parametrize(
    ("declared", "words", "sql"),
    [
        ("long", "int", "BIGINT"),
        ("binary", "bytes", "BINARY"),
        ("array<string>", "array of string", "ARRAY<STRING>"),
        ("map<string,float>", "map of string to float", "MAP<STRING, FLOAT>"),
        ("a INT NOT NULL, b STRING", "record(a, b)", "STRUCT<a: INT NOT NULL, b: STRING>"),
        ("a VARIANT", "a VARIANT", "a VARIANT"),
    ],
)
def test_types_in_words_and_in_ddl(declared, words, sql):
    type_ = type_of(declared, "x")
    assert (plain(type_), ddl(type_)) == (words, sql)


def test_what_only_spark_knows():
    assert (plain(None), ddl(None)) == ("unknown", "?")
