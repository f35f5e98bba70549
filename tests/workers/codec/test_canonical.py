"""Whether a state is as it would come out of a store."""

from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal

import pytest

from holdfast.types.type_hints import type_of
from holdfast.types.value_classes import classes_of
from holdfast.workers.codec.canonical import canonical_form
from holdfast.workers.codec.column_decoder import Row


@dataclass
class Score:
    points: int
    name: str | None = None


@dataclass
class Best:
    scores: list[Score]
    by_name: dict[str, Score]


class Other(Score):
    pass


CANONICAL = [
    (int, 2**63 - 1),
    (int, -(2**63)),
    (float, 1.5),
    (str, "é"),
    (bytes, b"x"),
    (date, date(2026, 1, 1)),
    (datetime, datetime(2026, 1, 1, tzinfo=UTC)),
    (list[int], [1, None]),
    (Score, Score(1)),
    (Score, None),
    (Best, Best([Score(1, "a"), None], {"a": Score(2), "b": None})),
    (Best, Best([], {})),
]

NOT_CANONICAL = [
    (int, True),
    (int, 2**63),
    (int, 1.0),
    (float, 1),
    (str, "\ud800"),
    (bytes, bytearray(b"x")),
    (date, datetime(2026, 1, 1, tzinfo=UTC)),
    (datetime, datetime(2026, 1, 1, tzinfo=timezone(timedelta(hours=1)))),
    (list[int], (1, 2)),
    (list[int], [1, 2**63]),
    (list[Decimal], [Decimal(1)]),
    (Score, Score(None)),
    (Score, Other(1)),
    (Score, Score(1, 5)),
    (Best, Best([Score(1), Score("1")], {})),
    (Best, Best([Score(1)], {"a": Score(1.0)})),
    (Best, Best([Score(1)], {None: Score(1)})),
    (Best, Best([Score(1)], {"a": Other(1)})),
    (Best, Best(None, {})),
]


def is_canonical(declared, value):
    return canonical_form(type_of(declared, "state"), classes_of(declared)).is_canonical(value)


@pytest.mark.parametrize(("declared", "value"), CANONICAL)
def test_it_is(declared, value):
    assert is_canonical(declared, value)


@pytest.mark.parametrize(("declared", "value"), NOT_CANONICAL)
def test_it_is_not(declared, value):
    assert not is_canonical(declared, value)


def test_records_without_a_class():
    type_ = type_of(Score, "state")
    is_canonical = canonical_form(type_).is_canonical
    assert is_canonical(Row(points=1, name="a"))
    assert is_canonical(Row(points=1, name=None))
    assert not is_canonical(Row(points=1))
    assert not is_canonical(Row(points="1", name="a"))
    assert not is_canonical({"points": 1, "name": "a"})
