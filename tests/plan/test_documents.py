"""The document of a program says all that the planner, the record of a plan and a query server have to know."""

from __future__ import annotations

import json

import pytest

from holdfast.plan.explain import explain
from holdfast.plan.planner import plan
from holdfast.plan.recorded_plan import accepted_changes
from holdfast.topology.describe import describe
from holdfast.topology.document_reader import read
from holdfast.topology.nodes import Node
from holdfast.topology.picture import svg
from tests.plan import every_operator

PROGRAMS = {"every operator": every_operator.program, "tables in stages": every_operator.tables_in_stages}


def written(topology):
    return json.loads(json.dumps(topology.json()))


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS.keys())
def test_a_document_that_is_read_and_written_is_the_same(program):
    for topology in (program().topology, plan(program().topology)):
        document = written(topology)
        assert json.dumps(read(document).json()) == json.dumps(document)


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS.keys())
def test_a_plan_that_is_read_is_told_of_as_the_one_that_was_made(program):
    made = plan(program().topology)
    recorded = read(written(made))
    for render in (describe, explain, svg):
        assert render(recorded) == render(made)
    assert accepted_changes(recorded, made, None, None) == []


def test_every_operation_is_in_one_of_these_programs():
    seen = {node.op for program in PROGRAMS.values() for node in plan(program().topology).nodes}
    assert seen == Node.operators.keys()


def test_an_operation_of_another_version_can_be_shown_and_compared():
    made = plan(every_operator.tables_in_stages().topology)
    document = written(made)
    document["nodes"][-1] |= {"op": "teleport", "far": 3}
    other = read(document)
    assert other.json() == document
    assert document["nodes"][-1]["id"] in describe(other)
    accepted_changes(other, made, None, None)
