"""Descriptions, explanations and flowcharts as they were last approved; HOLDFAST_UPDATE_SNAPSHOTS=1 approves anew."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from holdfast.plan.explain import explain
from holdfast.plan.planner import plan
from holdfast.topology.describe import describe
from holdfast.topology.picture import mermaid
from tests.plan.programs import leaderboard, referrals

SNAPSHOTS = Path(__file__).parent / "snapshots"
WRITERS = {
    "describe": describe,
    "describe-plan": lambda topology: describe(plan(topology)),
    "explain": explain,
    "mermaid": mermaid,
    "mermaid-plan": lambda topology: mermaid(plan(topology)),
}


@pytest.mark.parametrize("writer", WRITERS)
@pytest.mark.parametrize("program", [leaderboard, referrals], ids=lambda program: program.__name__)
def test_snapshot(program, writer):
    text = WRITERS[writer](program().topology) + "\n"
    file = SNAPSHOTS / f"{program.__name__}-{writer}.txt"
    if os.environ.get("HOLDFAST_UPDATE_SNAPSHOTS"):
        file.write_text(text, encoding="utf-8")
    assert text == file.read_text(encoding="utf-8")


def test_explaining_a_plan_and_its_topology_is_the_same():
    assert explain(referrals().topology) == explain(referrals().plan())
