import pytest

from holdfast.types import UNKNOWN, Unread
from holdfast.types.comparing import same_shape
from holdfast.types.type_hints import type_of


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("long", "integer", True),
        ("long", "byte", True),
        ("long", "string", False),
        ("long", "double", False),
        ("binary", "string", False),
        (UNKNOWN, "string", True),
        (Unread("VARIANT"), "string", True),
        ("string", "a INT", False),
        ("a INT, b STRING", "a BIGINT, b STRING", True),
        ("a INT, b STRING", "b STRING, a INT", False),
        ("a INT", "a INT, b STRING", False),
        ("array<int>", "array<bigint>", True),
        ("array<int>", "array<string>", False),
        ("array<int>", "map<string,int>", False),
        ("map<string,int>", "map<string,string>", False),
    ],
)
def test_keys_that_can_be_equal(one, other, same):
    types = [type_of(each, "x") for each in (one, other)]
    assert same_shape(*types) is same
    assert same_shape(*reversed(types)) is same
