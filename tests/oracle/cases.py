"""A fixed sample of generated cases, to run many of them in one app."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from tests.oracle.inputs import records
from tests.oracle.program import Program
from tests.oracle.programs import programs

MOST_RECORDS = 6  # one batch each, in one of the tests
# A join of streams in which a record may go on alone.
ALONE = re.compile(r"(left|outer)_join\(.*within=")


@dataclass(frozen=True)
class Case:
    """A program and the records that it gets."""

    number: int
    program: Program
    records: list[dict[str, Any]]
    ordered: bool
    closing: bool

    @property
    def alone(self) -> bool:
        """Whether a record may go on alone that waited for another: when it does is not the same in Kafka Streams."""
        return bool(ALONE.search(self.program.source))

    @property
    def input(self) -> list[dict[str, Any]]:
        """The records, and such that nobody waits any more."""
        return and_again(self.records) if self.alone else self.records


def sample(count: int, emit: str, first: int, ordered: bool, closing: bool = False) -> list[Case]:
    """The longest programs of a larger sample, Hypothesis begins with trivial ones.

    `ordered`: no record is late; `closing`: something is sent because time passed, or the past is kept.
    """
    found: dict[tuple[str, ...], tuple[Program, list[dict[str, Any]]]] = {}

    @settings(
        max_examples=(40 if closing else 20) * count,
        derandomize=True,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(data=st.data())
    def collect(data: st.DataObject) -> None:
        program = data.draw(programs(emit, closing))
        # Topics that an expression names are not there before.
        if any(topic.endswith("*") for topic in program.outputs) or closing != closes(program):
            return
        # Hypothesis likes to change little: of those with the same steps one is enough.
        came = data.draw(records(program, ordered=ordered))
        if len(came) > len(found.get(tuple(program.steps), (program, []))[1]):
            found[tuple(program.steps)] = (program, came)

    collect()
    longest = sorted(found.values(), key=lambda case: -len(case[0].variables) * min(len(case[1]), MOST_RECORDS))
    return [
        Case(first + i, program, came[:MOST_RECORDS], ordered, closing)
        for i, (program, came) in enumerate(longest[:count])
    ]


def closes(program: Program) -> bool:
    """Whether something in the program has to do with time that passes."""
    return any(word in program.source for word in ("'final'", "suppress", "versioned")) or bool(
        ALONE.search(program.source)
    )


def and_again(came: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """All that came, and then once more, each much later than the one before, so that nobody waits any more."""
    last = max(r["timestamp"] for r in came)
    return [*came, *({**r, "timestamp": last + 1000 * (n + 1)} for n, r in enumerate(came))]
