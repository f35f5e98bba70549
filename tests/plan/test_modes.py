"""Whether state fits does not depend on the mode in which an app runs."""

from __future__ import annotations

import itertools

import pytest

import holdfast as hf
from holdfast.dsl.loader import load_app
from holdfast.ops import examples
from holdfast.plan.idle import as_run
from holdfast.plan.planner import plan
from holdfast.plan.program_digest import program_digest as named
from holdfast.plan.recorded_plan import check, differs, record, recorded_stages

# As `start` runs them: the modes, and a demo, which lets time go on when nothing comes.
RUNS = [("exactly-once", None), ("drain", None), ("real-time", None), ("exactly-once", 2_000)]


@pytest.mark.parametrize("name", sorted(examples.known()))
def test_every_example_goes_on_from_every_mode_in_every_other(name, tmp_path):
    topology = load_app(examples.find(name).app).topology
    for before, after in itertools.product(RUNS, RUNS):
        path = tmp_path / "plan.json"
        # Even a record of the plan as it ran fits: versions before this one wrote that.
        for old in (plan(topology), as_run(plan(topology), *before)):
            record(old, path)
            new = plan(topology, recorded=recorded_stages(path))
            assert check(new, path) == check(as_run(new, *after), path) == []


def program(**options):
    app = hf.App("door")
    logins = app.stream("logins", "ok BOOLEAN", key=str, **options)
    logins.group_by_key().match(hf.sequence(wrong=lambda t: ~t.ok, right="ok"), within="1 minute").to("guessed")
    return plan(app.topology)


def test_a_source_may_begin_to_close_on_idle(tmp_path):
    record(program(), tmp_path / "plan.json")
    assert check(program(close_on_idle="5 seconds"), tmp_path / "plan.json") == []


def test_an_epoch_that_a_drain_began_is_finished_by_a_drain(tmp_path):
    path = tmp_path / "plan.json"
    record(program(), path, run=as_run(program(), "drain"))
    assert not differs(as_run(program(), "drain"), path)
    assert differs(program(), path)
    record(program(), path, run=as_run(program(), "exactly-once"))
    assert not differs(program(), path)
    assert differs(as_run(program(), "drain"), path)


def test_an_older_copy_of_a_drain_is_caught_up_by_a_drain():
    assert named(as_run(program(), "drain")) == named(as_run(program(), "drain"))
    assert named(as_run(program(), "drain")) != named(as_run(program(), "exactly-once"))
