from dataclasses import dataclass

import pytest

import holdfast as hf
from holdfast.errors import TypeDeclarationError
from holdfast.topics.serde import Serde, serde_of
from holdfast.types import INTEGER


@dataclass
class Thing:
    id: int


@pytest.mark.parametrize(
    ("declared", "format_"),
    [
        (str, "text"),
        (int, "text"),
        (float, "text"),
        (bool, "text"),
        ("timestamp", "text"),
        (bytes, "bytes"),
        ("binary", "bytes"),
        (Thing, "json"),
        (list[int], "json"),
        ("id INT", "json"),
        ("a VARIANT", "json"),
    ],
)
def test_defaults(declared, format_):
    assert serde_of(declared, "x").format == format_


def test_a_serde_stands_where_a_type_does():
    assert serde_of(hf.int32(), "x") == Serde("int32", INTEGER)
    assert serde_of(hf.json(int), "x").to_json() == {"format": "json", "type": "long"}
    assert hf.string().to_json() == {"format": "text", "type": "string"}


def test_a_serde_that_was_not_called_is_refused():
    with pytest.raises(TypeDeclarationError, match=r"x: hf.int64 is a function; call it: hf.int64\(\)"):
        serde_of(hf.int64, "x")
