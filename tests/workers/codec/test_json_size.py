"""How large a value may be as JSON, without writing it."""

from dataclasses import asdict, dataclass, field

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.types import BINARY, STRING
from holdfast.types.type_hints import type_of
from holdfast.types.value_classes import Classes, classes_of
from holdfast.workers.codec.json_size import JsonSize, varies

TEXTS = st.text(st.characters(exclude_categories=["Cs"]))
LONGS = st.integers(-(1 << 63), (1 << 63) - 1)


@dataclass
class Page:
    title: str | None
    words: dict[str, int]
    n: int = 0


@dataclass
class Book:
    pages: list[Page] = field(default_factory=list)
    names: list[str] | None = None
    rate: float = 0.0


PAGES = st.builds(Page, st.none() | TEXTS, st.dictionaries(TEXTS, LONGS), LONGS)
BOOKS = st.builds(Book, st.lists(PAGES), st.none() | st.lists(TEXTS), st.floats(allow_nan=False, allow_infinity=False))


@given(BOOKS)
def test_no_value_is_larger_than_its_size(book):
    sizes, written = JsonSize(type_of(Book, "state"), classes_of(Book)), len(orjson.dumps(asdict(book)))
    assert written <= sizes.close(book) <= sizes.quick(book)


@given(BOOKS)
def test_the_same_in_parts(book):
    parts = ([(page.title, page.words, page.n) for page in book.pages], book.names, book.rate)
    sizes = JsonSize(type_of(Book, "state"), Classes(), parts=True)
    assert len(orjson.dumps(asdict(book))) <= sizes.close(parts) <= sizes.quick(parts)


@given(st.binary())
def test_bytes_are_written_in_base_64(data):
    assert JsonSize(BINARY).close(data) >= 2 + 4 * -(-len(data) // 3)


@pytest.mark.parametrize(
    ("cls", "any_size"),
    [(int, False), (str, True), (bytes, True), (list[int], True), (dict[str, int], True), (Page, True)],
)
def test_what_may_be_of_any_size(cls, any_size):
    assert varies(type_of(cls, "state")) is any_size


def test_long_texts_are_measured_closely():
    sizes = JsonSize(STRING)
    assert sizes.quick("x" * 1000) > 5000
    assert sizes.close("x" * 1000) == 1002
    assert not sizes.exceeds("x" * 1000, 1100)
