"""A changed program must not finish an epoch of which the program before it has written a part."""

import json

import pytest

import holdfast as hf
from holdfast.errors import StateMismatch
from holdfast.plan import recorded_plan
from holdfast.plan.planner import plan
from holdfast.runtime import unfinished_epoch
from holdfast.topics.records import Record


def planned(*more):
    app = hf.App("halves")
    numbers = app.stream("numbers", int)
    for name in more:
        numbers.print(name)
    return plan(app.topology)


PLAN, CHANGED = planned(), planned("changed")


@pytest.fixture
def home(tmp_path):
    recorded_plan.record(PLAN, tmp_path / "plan.json")
    for log in ("offsets", "commits"):
        (tmp_path / "checkpoint" / log).mkdir(parents=True)
    return tmp_path


def log(home, name, *epochs):
    for epoch in epochs:
        (home / "checkpoint" / name / str(epoch)).touch()
        (home / "checkpoint" / name / f".{epoch}.crc").touch()


def test_half_an_epoch_is_finished_by_the_program_that_began_it(home, topics, new_topic, monkeypatch):
    markers = new_topic("markers", partitions=2)
    monkeypatch.setattr(unfinished_epoch, "marker_topic", lambda app: markers)
    log(home, "offsets", 3, 4)
    log(home, "commits", 3)

    def check(plan):
        unfinished_epoch.check(plan, home / "plan.json", home / "checkpoint", topics)

    def mark(epoch):
        topics.produce([Record(markers, b"marker", json.dumps({"query": "q", "epoch": epoch}).encode())])

    mark(3)
    check(CHANGED)  # nothing of epoch 4 is written yet
    mark(4)
    check(PLAN)
    with pytest.raises(StateMismatch, match=r"epoch 4 of app 'halves' was not finished.*Start that one once"):
        check(CHANGED)
    log(home, "commits", 4)
    check(CHANGED)
