"""Random input: few keys, so that they meet; nulls, deletes, equal times and times that go back."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from tests.oracle.program import Program
from tests.oracle.words import INT, STR

KEYS = {STR: st.sampled_from(["a", "b", "c"]), INT: st.sampled_from([1, 2, 3])}
NUMBERS = st.one_of(st.integers(0, 6), st.none())
TEXTS = st.one_of(st.sampled_from(["a", "b", "c"]), st.none())
RECORDS = st.one_of(st.fixed_dictionaries({"a": NUMBERS, "b": TEXTS}), st.none())
MOST = 16


def records(program: Program) -> st.SearchStrategy[list[dict[str, Any]]]:
    """Records for the topics of a program, in the order in which they come."""
    return st.lists(st.one_of(*(_record(topic) for topic in program.topics)), min_size=1, max_size=MOST)


def _record(topic: Any) -> st.SearchStrategy[dict[str, Any]]:
    value = {INT: NUMBERS, STR: TEXTS}.get(topic.value, RECORDS)
    # Three times of four there is a key: a case of nothing but dead letters shows little.
    key = st.one_of(KEYS[topic.key], KEYS[topic.key], KEYS[topic.key], st.none())
    return st.fixed_dictionaries(
        {"topic": st.just(topic.name), "key": key, "value": value, "timestamp": st.integers(0, 20)}
    )
