"""A fixed sample of generated cases, to run many of them in one app."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from tests.oracle.inputs import records
from tests.oracle.program import Program
from tests.oracle.programs import programs

MOST_RECORDS = 6  # one batch each, in one of the tests


@dataclass(frozen=True)
class Case:
    """A program and the records that it gets."""

    number: int
    program: Program
    records: list[dict[str, Any]]
    ordered: bool


def sample(count: int, emit: str, first: int, ordered: bool) -> list[Case]:
    """The longest programs of a larger sample, Hypothesis begins with trivial ones; `ordered`: no record is late."""
    found: dict[str, tuple[Program, list[dict[str, Any]]]] = {}

    @settings(
        max_examples=10 * count,
        derandomize=True,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(data=st.data())
    def collect(data: st.DataObject) -> None:
        program = data.draw(programs(emit, closing=False))
        # Topics that an expression names are not there before.
        if any(topic.endswith("*") for topic in program.outputs):
            return
        found[program.source] = (program, data.draw(records(program, ordered=ordered)))

    collect()
    longest = sorted(found.values(), key=lambda case: -len(case[0].variables) * min(len(case[1]), MOST_RECORDS))
    return [Case(first + i, program, came[:MOST_RECORDS], ordered) for i, (program, came) in enumerate(longest[:count])]
