"""Real-time mode in a process of its own: it catches up first, goes on row by row, and is killed while it does."""

import json
import random
from collections import Counter

import pytest

from holdfast.ops.ports import choose_port
from holdfast.topics.records import Record, TopicSpec
from tests.faults.running import Run

APP = """
import holdfast as hf
from holdfast import functions as F

app = hf.App("live", tasks=4, mode="real-time", real_time_epoch="4 seconds")
events = app.stream("live-events", "player INT NOT NULL, score INT NOT NULL", close_on_idle="1 second")
players = app.table("live-people", "name STRING NOT NULL", key=int)
bonus = app.global_table("live-bonus", "points INT NOT NULL", key=str)


def checked(score: int) -> int:
    if score == 13:
        raise ValueError("unlucky")
    return score


joined = (
    events.select_key(lambda e: e.player)
    .join(players, lambda e, p: dict(team=F.substring(p.name, 1, 1), score=e.score))
    .join(bonus, lambda r, b: dict(team=r.team, score=r.score + b.points), on=lambda r: r.team)
)
joined.group_by(lambda r: r.team).agg(n=F.count("*"), total=F.sum("score"), best=F.max("score"), store="teams")
windowed = events.group_by(lambda e: e.player % 2).windowed_by(hf.tumbling("1 second", emit="final"))
windowed.count().to("live-seconds")
events.map_values(lambda e: e.score).map_values(hf.python(checked, returns=int)).to("live-checked")
"""
PLAYERS = 40


@pytest.fixture
def run(broker, tmp_path):
    """Start the app; what still runs at the end is killed."""
    file, port, started = tmp_path / "live.py", choose_port(), []
    file.write_text(APP)

    def begin() -> Run:
        started.append(Run(file, broker.address, port))
        return started[-1]

    yield begin
    for each in started:
        each.kill()


def expected(events):
    teams = {}
    for player, score in events:
        team = teams.setdefault("ABCD"[player % 4], {"n": 0, "total": 0, "best": 0})
        team["n"] += 1
        team["total"] += score + player % 4
        team["best"] = max(team["best"], score + player % 4)
    return teams


def record(topic, key, **fields):
    return Record(topic, None if key is None else str(key).encode(), json.dumps(fields).encode())


@pytest.mark.timeout(900)
def test_catching_up_and_a_kill_do_not_change_the_answer(topics, run, tmp_path):
    rng = random.Random(11)
    events = [(rng.randrange(PLAYERS), rng.randrange(500)) for _ in range(3_000)]
    topics.ensure(
        [TopicSpec("live-events", 4), *(TopicSpec(f"live-{t}", 2, compacted=True) for t in ("people", "bonus"))]
    )
    topics.produce(record("live-people", p, name="ABCD"[p % 4] + "x") for p in range(PLAYERS))
    topics.produce(record("live-bonus", team, points=i) for i, team in enumerate("ABCD"))
    sent = iter(events)

    def send(count):
        topics.produce(record("live-events", None, player=p, score=s) for p, s in (next(sent) for _ in range(count)))

    send(2_000)
    first = run()
    first.wait_for((tmp_path / ".holdfast" / "live" / "real-time").exists)  # it has caught up
    assert first.has(2_000), first.teams()
    send(300)
    first.wait_for(lambda: first.has(2_300))
    send(300)
    first.kill()

    send(300)
    second = run()
    second.wait_for(lambda: second.has(2_900))
    send(100)
    second.wait_for(lambda: second.has(3_000))
    assert second.teams() == expected(events)
    second.wait_for(lambda: seconds(topics) == Counter(p % 2 for p, _ in events), more=lambda: seconds(topics))
    assert "stopped" in second.stop()
    dead = {each.value for each in topics.read("live-dead-letters")}
    assert dead == {record("", None, player=p, score=s).value for p, s in events if s == 13}


def seconds(topics):
    """How many events the closed windows have seen; a window may be emitted twice, with the same count."""
    found = {(each.key, each.timestamp): json.loads(each.value) for each in topics.read("live-seconds")}
    counts = Counter()
    for (key, _), count in found.items():
        counts[json.loads(key)["key"]] += count
    return counts
