"""Generated programs on Kafka Streams and on Holdfast: the same outputs, tables and dropped records."""

from __future__ import annotations

import json
import pprint
from typing import Any

from hypothesis import given, seed, settings
from hypothesis import strategies as st

from tests.oracle import ours
from tests.oracle.cases import ALONE, and_again
from tests.oracle.conftest import CASES, SEED
from tests.oracle.inputs import records
from tests.oracle.judge import Judge
from tests.oracle.program import Program
from tests.oracle.programs import foreign_keys, programs

UNCOUNTED = {"stream_join", "join with grace", "fk_join", "table_join", "table_group_by", "sliding", "windowed cogroup"}
profile = settings(settings.get_profile("oracle"))


@seed(SEED)
@profile
@given(data=st.data())
def test_every_update_of_every_record(judge: Judge, data: st.DataObject) -> None:
    """One record at a time, every update emitted: the same records per key, in the same order, at the same times."""
    program = data.draw(programs("every"))
    given_records = data.draw(records(program))
    mine = ours.run(program, [[r] for r in given_records], crashes=data.draw(crashes(len(given_records))))
    theirs = judged(judge, program, [[r] for r in given_records], mine)
    if theirs:
        dropped_same(program, mine, theirs, given_records)


@seed(SEED)
@settings(profile, max_examples=max(20, CASES // 10))
@given(data=st.data())
def test_every_update_of_a_join_by_a_foreign_key(judge: Judge, data: st.DataObject) -> None:
    """Rows that refer to others, few of which exist: the same updates, one by one, and none where there was nothing."""
    program = data.draw(foreign_keys())
    given_records = data.draw(records(program))
    theirs = judge.run(program.app().topology.json(), given_records)
    mine = ours.run(program, [[r] for r in given_records], crashes=data.draw(crashes(len(given_records))))
    outputs_same(program, mine, theirs, given_records)
    stores_same(program, mine, theirs, given_records)


@seed(SEED)
@profile
@given(data=st.data())
def test_the_last_update_of_a_batch(judge: Judge, data: st.DataObject) -> None:
    """Batches of any size, the last update of a batch told: the same tables, and what is told last is the same."""
    program = data.draw(programs("latest"))
    batches = data.draw(st.lists(records(program), min_size=1, max_size=4))
    mine = ours.run(program, batches, crashes=data.draw(crashes(len(batches))))
    judged(judge, program, batches, mine)


def judged(
    judge: Judge, program: Program, batches: list[list[dict[str, Any]]], mine: dict[str, Any]
) -> dict[str, Any] | None:
    """Compare outputs and stores and return Kafka Streams' answer, None if the two agree only in the end."""
    ordered = [r for batch in batches for r in ours.in_order(program, batch)]
    theirs = judge.run(program.app().topology.json(), ordered)
    try:
        outputs_same(program, mine, theirs, batches)
    except AssertionError:
        if not ALONE.search(program.source):
            raise
        same_in_the_end(judge, program, batches)
        return None
    stores_same(program, mine, theirs, batches)
    return theirs


def crashes(batches: int) -> st.SearchStrategy[dict[int, str]]:
    """Where memory is lost: nowhere, or before a batch or in it, sometimes more than once."""
    return st.dictionaries(st.integers(0, batches - 1), st.sampled_from(["before", "in"]), max_size=2)


def outputs_same(program: Program, mine: dict[str, Any], theirs: dict[str, Any], given_records: Any) -> None:
    for topic in program.outputs:
        same(seen(program, topic), *outputs(program, mine, theirs, topic), program, given_records, topic)


def same_in_the_end(judge: Judge, program: Program, batches: list[list[dict[str, Any]]]) -> None:
    """The same outputs in any order, or the same tables, once time has passed every window.

    A record that goes on alone may wait for others in Kafka Streams (test_differences.py shows it), and then has the
    headers of the one that took it along.
    """
    came = [r for batch in batches for r in ours.in_order(program, batch)]
    longer = and_again(came)
    theirs = judge.run(program.app().topology.json(), longer)
    mine = ours.run(program, [*batches, *([r] for r in longer[len(came) :])])
    for topic in program.outputs:
        found = ([row[:3] for row in rows] for rows in outputs(program, mine, theirs, topic))
        part = ours.last_per_key if program.compacted(topic) else ours.in_any_order
        same(part, *found, program, longer, topic)


def outputs(program: Program, mine: dict[str, Any], theirs: dict[str, Any], topic: str) -> tuple[ours.Rows, ours.Rows]:
    columns = 3 if program.outputs[topic].headless else 4
    found = (ours.written(answer["outputs"], topic) for answer in (mine, theirs))
    a, b = ([row[:columns] for row in rows] for rows in found)
    if program.outputs[topic].inexact:
        a, b = ours.about(a), ours.about(b)
    return a, b


def seen(program: Program, topic: str) -> Any:
    """What of an output is defined."""
    if program.outputs[topic].jumbled:
        return ours.in_any_order
    return ours.last_per_key if program.compacted(topic) else ours.per_key


def stores_same(program: Program, mine: dict[str, Any], theirs: dict[str, Any], given_records: Any) -> None:
    """The same tables; a store that the judge cannot list is not compared."""
    for name in [name for name, entries in theirs["stores"].items() if entries is not None]:
        kept = [entry for entry in theirs["stores"][name] if not forgotten(entry, mine["stores"][name])]
        # Which of the stores has sums whose order is open is not known by its name.
        same(sorted_entries, ours.about(mine["stores"][name]), ours.about(kept), program, given_records, name)


def forgotten(entry: list[Any], kept: list[Any]) -> bool:
    """Whether a window has expired here and not there: each store expires windows by the time that it has seen."""
    return isinstance(entry[0], dict) and entry[0] not in [key for key, _ in kept]


def dropped_same(program: Program, mine: dict[str, Any], theirs: dict[str, Any], given_records: Any) -> None:
    """The same records are refused, and as many passed over, except where Kafka Streams counts one several times."""
    if UNCOUNTED.isdisjoint(program.steps):
        same(list, [len(each) for each in mine["letters"]], theirs["refused"], program, given_records, "dead letters")
        same(list, mine["dropped"], theirs["dropped"], program, given_records, "dropped records")


def sorted_entries(entries: list[Any]) -> list[Any]:
    return sorted(entries, key=lambda entry: json.dumps(entry[0], sort_keys=True))


def same(seen: Any, mine: Any, theirs: Any, program: Program, given_records: Any, what: str) -> None:
    """Compare, and show the whole case if it differs."""
    if seen(mine) == seen(theirs):
        return
    raise AssertionError(
        f"{what} differ\n\n{program.source}\n\ninput\n{pprint.pformat(given_records, width=120)}\n\n"
        f"ours\n{pprint.pformat(mine, width=120)}\n\nKafka Streams\n{pprint.pformat(theirs, width=120)}"
    )
