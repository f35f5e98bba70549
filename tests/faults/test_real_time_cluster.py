"""Real-time mode on a cluster: rows pass between executors as they come, and one of the executors is killed."""

import json
import os
import random
import signal

import pytest

from holdfast.ops.ports import choose_port
from holdfast.topics.records import Record, TopicSpec
from tests.faults.cluster import Cluster
from tests.faults.running import Run

APP = """
import holdfast as hf
from holdfast import functions as F

app = hf.App(
    "apart",
    tasks=2,
    mode="real-time",
    real_time_epoch="4 seconds",
    spark={"spark.driver.host": "127.0.0.1", "spark.executor.memory": "600m"},
)
players = app.table("apart-people", "team STRING NOT NULL", key=int)
events = app.stream("apart-events", "score INT NOT NULL", key=int)
joined = events.join(players, lambda e, p: dict(team=p.team, score=e.score))
joined.group_by(lambda r: r.team).agg(n=F.count("*"), total=F.sum("score"), store="teams")
"""
PLAYERS = 20


@pytest.fixture
def run(broker, tmp_path, monkeypatch):
    """Starts the app on a cluster of two executors; what still runs at the end is killed."""
    file, port = tmp_path / "apart.py", choose_port()
    file.write_text(APP)
    with Cluster(tmp_path / "cluster", workers=2, cores=3) as cluster:
        for name, value in cluster.variables.items():
            monkeypatch.setenv(name, value)
        started = Run(file, broker.address, port, "--master", cluster.url)
        yield started, cluster
        started.kill()


def record(topic, key, **fields):
    return Record(topic, str(key).encode(), json.dumps(fields).encode())


@pytest.mark.timeout(900)
def test_an_executor_that_is_killed_changes_no_answer(topics, run, tmp_path):
    topics.ensure([TopicSpec("apart-events", 2), TopicSpec("apart-people", 2, compacted=True)])
    topics.produce(record("apart-people", p, team="AB"[p % 2]) for p in range(PLAYERS))
    rng, sent = random.Random(3), []

    def send(count):
        new = [(rng.randrange(PLAYERS), rng.randrange(500)) for _ in range(count)]
        sent.extend(new)
        topics.produce(record("apart-events", player, score=score) for player, score in new)

    app, cluster = run
    app.wait_for((tmp_path / ".holdfast" / "apart" / "real-time").exists)
    send(200)
    app.wait_for(lambda: app.has(200))
    os.kill(cluster.executors()[0], signal.SIGKILL)
    send(200)
    app.wait_for(lambda: app.has(400))
    send(1)
    app.wait_for(lambda: app.has(401))
    assert app.teams() == {
        team: {"n": len(scores), "total": sum(scores)}
        for team, scores in ((t, [s for p, s in sent if "AB"[p % 2] == t]) for t in "AB")
    }
