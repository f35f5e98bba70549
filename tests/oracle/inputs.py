"""Random input: few keys, so that they meet; nulls, deletes, equal times, times that go back and times that leap."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from hypothesis import strategies as st

from tests.oracle.program import Program, Topic
from tests.oracle.words import FLOAT, INT, MIXED, PAIR, REC, STR, mostly

KEYS = {STR: st.sampled_from(["a", "b", "c"]), INT: st.sampled_from([1, 2, 3])}
NUMBERS = mostly(st.integers(-3, 6), st.none(), 7)
TEXTS = mostly(st.sampled_from(["a", "b", "c", "7"]), st.none(), 7)
# Sums of some of them depend on the order; no sum of a few is where a generated condition turns.
REALS = mostly(st.sampled_from([0.0, 0.5, 1.25, 2.0, -3.5, 0.37, 0.013]), st.none(), 7)
DECIMALS = mostly(st.sampled_from([Decimal(each) for each in ("0.00", "0.10", "1.25", "-3.70", "99.99")]), st.none(), 7)
VALUES = {
    INT: NUMBERS,
    STR: TEXTS,
    FLOAT: REALS,
    REC: mostly(st.fixed_dictionaries({"a": NUMBERS, "b": TEXTS}), st.none(), 5),
    MIXED: mostly(st.fixed_dictionaries({"n": NUMBERS, "x": REALS, "d": DECIMALS}), st.none(), 5),
    PAIR: mostly(st.fixed_dictionaries({"c": NUMBERS, "d": TEXTS}), st.none(), 5),
}
HEADERS = st.sampled_from([{}, {}, {}, {"h": "x"}, {"h": "y", "g": "z"}])
STEPS = st.sampled_from([0, 0, 1, 1, 2, 3, 5, -1, -2, -4, -9, 11, 40])
MOST = 16


@st.composite
def records(draw: st.DrawFn, program: Program, ordered: bool = False) -> list[dict[str, Any]]:
    """Records for the topics of a program, in the order in which they come; `ordered`: by their times."""
    # A list would mostly be short; few records meet few others.
    count = draw(st.integers(1, MOST))
    one = st.one_of(*(_record(topic) for topic in program.topics))
    came = draw(st.lists(one, min_size=count, max_size=count))
    now = draw(st.integers(0, 5))
    for r in came:
        step = r.pop("step")
        now = max(0, now + (abs(step) if ordered else step))
        r["timestamp"] = now
    return came


def _record(topic: Topic) -> st.SearchStrategy[dict[str, Any]]:
    # Nearly always there is a key: a case of nothing but dead letters shows little.
    key = mostly(KEYS[topic.key], st.none(), 9)
    return st.fixed_dictionaries(
        {"topic": st.just(topic.name), "key": key, "value": VALUES[topic.value], "step": STEPS, "headers": HEADERS}
    )
