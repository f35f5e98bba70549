"""kill -9 of either process in the middle of the work, then `holdfast run` again: the answer of an undisturbed run."""

import json
import os
import random
import signal

import pytest

from holdfast.ops.ports import choose_port
from holdfast.topics.records import Record, TopicSpec
from tests.faults.bank.process import gone
from tests.faults.running import Run

APP = """
import holdfast as hf
from holdfast import functions as F

app = hf.App("tally", tasks=4)
events = app.stream("events", "player INT NOT NULL, score INT NOT NULL")
players = app.table("people", "name STRING NOT NULL", key=int)
(events.select_key(lambda e: e.player)
    .join(players, lambda e, p: dict(team=F.substring(p.name, 1, 1), score=e.score))
    .group_by(lambda r: r.team)
    .agg(n=F.count("*"), total=F.sum("score"), best=F.max("score"), store="teams"))
"""
PLAYERS = 40
EVENTS = 6000


@pytest.fixture
def app(tmp_path):
    file = tmp_path / "tally.py"
    file.write_text(APP)
    return file


def expected(events):
    teams = {}
    for player, score in events:
        team = teams.setdefault("ABCD"[player % 4], {"n": 0, "total": 0, "best": 0})
        team["n"] += 1
        team["total"] += score
        team["best"] = max(team["best"], score)
    return teams


def event(player, score):
    return Record("events", None, json.dumps({"player": player, "score": score}).encode())


def test_kills_do_not_change_the_answer(broker, topics, app):
    rng = random.Random(7)
    events = [(rng.randrange(PLAYERS), rng.randrange(1000)) for _ in range(EVENTS)]
    topics.ensure([TopicSpec("events", 4), TopicSpec("people", 4, compacted=True)])
    topics.produce(
        Record("people", str(p).encode(), json.dumps({"name": "ABCD"[p % 4] + "x"}).encode()) for p in range(PLAYERS)
    )
    third = EVENTS // 3
    port = choose_port()

    first = Run(app, broker.address, port)
    topics.produce(event(*each) for each in events[:third])
    first.wait_for(lambda: first.has(1))
    topics.produce(event(*each) for each in events[third : third + 500])
    jvm = first.jvm()
    os.kill(first.process.pid, signal.SIGKILL)
    assert gone(jvm), "the JVM outlived the Python process"
    first.process.communicate()

    second = Run(app, broker.address, port)
    topics.produce(event(*each) for each in events[third + 500 : 2 * third])
    second.wait_for(lambda: second.has(third + 1))
    topics.produce(event(*each) for each in events[2 * third : -500])
    os.kill(second.jvm(), signal.SIGKILL)
    said = second.process.communicate(timeout=180)[1]
    assert second.process.returncode == 1
    assert "the JVM" in said
    assert "Traceback" not in said

    third_run = Run(app, broker.address, port)
    topics.produce(event(*each) for each in events[-500:])
    third_run.wait_for(lambda: third_run.has(EVENTS))
    assert third_run.teams() == expected(events)
    assert "stopped" in third_run.stop()
