"""The tests' own waiting: it gives what it waited for, or says what it was and what was there instead."""

import itertools
import re

import pytest

from tests.eventually import eventually


def test_it_gives_what_was_seen():
    numbers = itertools.count()
    assert eventually(lambda: next(numbers), every=0) == 1
    assert eventually(lambda: next(numbers), lambda n: n > 5, every=0) == 6


def test_it_says_what_it_waited_for_and_what_it_saw_last():
    counts = {"a": 1}
    with pytest.raises(AssertionError, match=re.escape("waited 0 s for all of 'a'; seen last: {'a': 1}")):
        eventually(lambda: counts, lambda seen: seen["a"] == 2, seconds=0, what="all of 'a'")


def test_without_words_it_shows_the_code():
    counts = {"a": 1}
    with pytest.raises(AssertionError, match=r"counts\[\"a\"\] > 1, seconds=0\)?; seen last: False"):
        eventually(lambda: counts["a"] > 1, seconds=0)


def test_it_shows_the_end_of_what_is_long():
    with pytest.raises(AssertionError, match=r"seen last: …x{999}y$"):
        eventually(lambda: "x" * 5_000 + "y", lambda seen: not seen, seconds=0)
