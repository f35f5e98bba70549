"""Processors in plans: one node for those that share a store, and what may change."""

from __future__ import annotations

import pytest

import holdfast as hf
from holdfast import functions as F
from holdfast.errors import StateMismatch
from holdfast.plan.planner import plan
from holdfast.plan.recorded_plan import check, record
from holdfast.topology.graph import Topology
from holdfast.topology.processor_nodes import ProcessorGroup


def program(value: type = int, *, filtered: bool = False, second: bool = False, rekeyed: bool = False) -> Topology:
    class Keeping(hf.Processor[str, int]):
        returns = (str, int) if rekeyed else None
        kept = hf.StateStore("kept", key=str, value=value)

        def process(self, record: hf.Record[str, int]) -> None: ...

    class Watching(hf.Processor[str, int]):
        kept = Keeping.kept

        def process(self, record: hf.Record[str, int]) -> None: ...

    app = hf.App("shop")
    numbers = app.stream("numbers", int, key=str)
    made = (numbers.filter(lambda n: n > 0) if filtered else numbers).process(Keeping)
    if second:
        app.stream("others", int, key=str).select_key(lambda n: F.cast(n, "string")).process(Watching).to("watched")
    made.group_by_key().count(store="counts").to("out")
    return plan(app.topology)


def held_back(rekeyed: bool, *, before: bool = False) -> Topology:
    """What waits without a name, behind a processor."""

    class Keeping(hf.Processor[str, int]):
        returns = (str, int) if rekeyed else None

        def process(self, record: hf.Record[str, int]) -> None: ...

    app = hf.App("shop")
    if before:
        app.stream("numbers", int, key=str).filter(lambda n: n > 1).to("large")
    made = app.stream("numbers", int, key=str).filter(lambda n: n > 0).process(Keeping)
    made.group_by_key().count(store="counts").suppress(hf.until_time("1 hour")).to("out")
    return plan(app.topology)


def places(planned: Topology) -> dict[str, int | None]:
    return {node.id: node.place for node in planned.nodes}


def types(planned: dict, kept: str) -> dict:
    return {"nodes": {"store:kept": {"key": "string", "value": kept}, "Keeping": {"key": "string", "value": kept}}}


def test_a_processor_has_a_stage_and_its_stores_are_there():
    assert {places(program())[each] for each in ("Keeping", "Keeping.forward", "store:kept", "count:counts")} == {0}


def test_behind_new_keys_is_another_stage():
    assert places(program(rekeyed=True))["count:counts"] == 1


def test_processors_that_share_a_store_are_where_the_last_of_them_can_be():
    planned = program(second=True)
    [node] = [node.to_json() for node in planned.nodes if isinstance(node, ProcessorGroup)]
    assert node["members"] == ["Keeping", "Watching"]
    assert node["inputs"] == ["numbers", "select_key-1"]
    assert {places(planned)[each] for each in ("Keeping", "Keeping.forward", "Watching.forward", "store:kept")} == {0}


@pytest.mark.parametrize("changed", [program(filtered=True), program()])
def test_what_comes_to_a_processor_may_change(tmp_path, changed):
    record(program(), tmp_path / "plan.json")
    assert check(changed, tmp_path / "plan.json") == []


def test_the_type_of_a_store_may_not_change(tmp_path):
    record(program(), tmp_path / "plan.json", types(program(), "long"))
    with pytest.raises(StateMismatch, match="store 'kept': its value was long, is string") as error:
        check(program(str), tmp_path / "plan.json", types(program(str), "string"))
    assert "the state of" not in str(error.value)


@pytest.mark.parametrize("rekeyed", [False, True])
def test_a_processor_may_stand_elsewhere_and_come_later_among_others(tmp_path, rekeyed):
    planned = held_back(rekeyed, before=True)
    record(held_back(rekeyed), tmp_path / "plan.json")
    for node in planned.nodes:
        if isinstance(node, ProcessorGroup):
            vars(node)["name"] = "Keeping (elsewhere.py:1)"
    assert check(planned, tmp_path / "plan.json") == []
