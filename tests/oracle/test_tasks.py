"""Generated programs with 1, 4 and 16 tasks: where no record is late, the tables are the same."""

from __future__ import annotations

from typing import Any

from hypothesis import given, seed, settings
from hypothesis import strategies as st

from tests.oracle import ours
from tests.oracle.conftest import CASES, SEED
from tests.oracle.inputs import records
from tests.oracle.programs import programs
from tests.oracle.test_oracle import forgotten, same, sorted_entries


@seed(SEED)
@settings(settings.get_profile("oracle"), max_examples=max(10, CASES // 10))
@given(data=st.data())
def test_the_number_of_tasks_changes_no_table(data: st.DataObject) -> None:
    program = data.draw(programs("latest", closing=False))
    came = data.draw(records(program, ordered=True))
    half = len(came) // 2
    one, *more = [ours.run(program, [came[:half], came[half:]], tasks) for tasks in (1, 4, 16)]
    for answer in more:
        for topic, var in program.outputs.items():
            if not var.jumbled:
                found = (ours.written(each["outputs"], topic) for each in (answer, one))
                same(ours.last_per_key, *found, program, came, topic)
        for name, entries in answer["stores"].items():
            same(sorted_entries, *in_both(entries, one["stores"][name]), program, came, name)


def in_both(a: list[Any], b: list[Any]) -> list[list[Any]]:
    """Windows are forgotten by the time of their task: only those that both still have are compared."""
    return [[entry for entry in x if not forgotten(entry, y)] for x, y in ((a, b), (b, a))]
