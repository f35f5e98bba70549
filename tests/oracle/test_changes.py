"""A program that is changed between two parts of its input: it answers as if it had read both, or it is refused."""

from __future__ import annotations

from collections import Counter
from typing import Any

from hypothesis import assume, given, seed, settings
from hypothesis import strategies as st

import holdfast as hf
from holdfast.errors import HoldfastError, StateMismatch
from holdfast.testing import Driver
from tests.oracle import ours
from tests.oracle.changes import begun_anew, changed
from tests.oracle.conftest import CASES, SEED
from tests.oracle.inputs import records
from tests.oracle.program import Program
from tests.oracle.programs import programs
from tests.oracle.test_oracle import same, sorted_entries

Batch = list[dict[str, Any]]


def test_a_changed_program_answers_as_if_it_had_read_everything_or_is_refused() -> None:
    met: Counter[str] = Counter()

    @seed(SEED)
    @settings(settings.get_profile("oracle"), max_examples=max(60, CASES // 5))
    @given(data=st.data())
    def search(data: st.DataObject) -> None:
        met[_compared(data)] += 1

    search()
    print(dict(met))
    # A search that compares nothing, or refuses nothing, would find nothing.
    assert met["refused"] > sum(met.values()) / 20, met
    assert met["compared"] > sum(met.values()) / 5, met


def _compared(data: st.DataObject) -> str:
    one = data.draw(programs(data.draw(st.sampled_from(["every", "latest"]))))
    two = data.draw(changed(one))
    if data.draw(st.booleans()):
        one, two = two, one
    parts = data.draw(records(one)), data.draw(records(one))
    old, new = _app(one), _app(two)
    try:
        mine = _answer([old, new], parts)
    except StateMismatch:
        return "refused"
    told = {"before": one.source, "after": two.source, "parts": parts}
    anew = begun_anew(old.topology, new.topology)
    return _check(new, anew, mine, _answer([_app(two)], parts), two, told)


def _app(program: Program) -> hf.App:
    """The app of a program; a change may make one that is none."""
    try:
        app = program.app(python=True)
        Driver(app)
    except HoldfastError:
        assume(False)
    return app


def _answer(apps: list[hf.App], parts: tuple[Batch, Batch]) -> dict[str, Any]:
    """What comes of the second part, and the stores at its end; the last of the apps reads it."""
    with Driver(apps[0]) as driver:
        _pipe(driver, parts[0])
        if len(apps) > 1:
            driver.restart(apps[1])
        driver._unread.clear()
        _pipe(driver, parts[1])
        names = [node["store"]["name"] for node in apps[-1].topology.json()["nodes"] if node.get("store")]
        return {
            "outputs": {topic: ours._rows(driver, topic) for topic in list(driver._unread) if "letters" not in topic},
            "stores": {name: [[ours.plain(k), v] for k, v in driver.store(name).all()] for name in names if name},
        }


def _pipe(driver: Driver, batch: Batch) -> None:
    with driver.batch():
        for r in batch:
            headers = {name: text.encode() for name, text in r["headers"].items()}
            driver.pipe(r["topic"], r["value"], key=r["key"], timestamp=r["timestamp"], headers=headers)


def _check(
    app: hf.App, anew: set[str], mine: dict[str, Any], whole: dict[str, Any], program: Program, told: dict[str, Any]
) -> str:
    compared = "begun anew"
    for node in app.topology.nodes:
        if node.id in anew:
            continue
        for topic in node.topics_written:
            compared = "compared"
            found = (each["outputs"].get(topic, []) for each in (mine, whole))
            same(ours.per_key, *found, program, told, topic)
        if node.store and node.store.name:
            compared = "compared"
            name = node.store.name
            same(sorted_entries, mine["stores"][name], whole["stores"][name], program, told, name)
    return compared
