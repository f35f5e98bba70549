"""A process that ends at the worst moments of a commit: started again, every output is in its topic once."""

import json
import time
from collections import Counter
from pathlib import Path

import pytest

from holdfast.topics.records import Record, TopicSpec
from tests.faults.drains import run

APP = """
import holdfast as hf

app = hf.App("once", tasks=4, mode="drain", max_records=100)
events = app.stream("numbers", int, key=str)
events.map_values(lambda n: n * 2).to("doubled")
events.group_by(lambda n: n % 10).count(store=hf.Materialized("tally", emit="every")).to("tallies")
"""
EVENTS = 600
# Where the process ends, and at the how-manieth passage: before and after a partition's transaction, and when all
# partitions have theirs and Spark does not know of it yet.
FAULTS = ["before-transaction:3", "after-transaction:3", "before-epoch:2"]


WALL = """
import holdfast as hf

app = hf.App("walled-NAME", tasks=4, mode="drain")
events = app.stream("arrivals-NAME", int, key=str, timestamp=hf.wall_clock)
events.to("stamped-NAME")
"""
WINDOWED = """
windows = events.group_by(lambda n: n % 10).windowed_by(hf.tumbling("1 ms", grace="1 day"))
windows.count().to("per-moment")
"""


@pytest.fixture
def app(tmp_path: Path) -> Path:
    file = tmp_path / "once.py"
    file.write_text(APP)
    return file


@pytest.mark.timeout(900)
def test_every_output_is_there_once_whatever_ends_the_process(broker, topics, app):
    topics.ensure([TopicSpec("numbers", 4)])
    topics.produce(Record("numbers", str(n).encode(), str(n).encode(), timestamp=n) for n in range(EVENTS))

    for fault in FAULTS:
        ended = run(app, broker.address, fault)
        assert ended.returncode == 1, ended.stderr
        assert "Traceback" not in ended.stderr
    last = run(app, broker.address)
    assert last.returncode == 0, last.stderr

    doubled = Counter(int(record.value) for record in topics.read("doubled"))
    assert doubled == Counter(n * 2 for n in range(EVENTS))
    tallies = Counter((record.key, int(record.value)) for record in topics.read("tallies"))
    assert tallies == Counter((str(n).encode(), i) for n in range(10) for i in range(1, EVENTS // 10 + 1))


@pytest.mark.timeout(900)
def test_a_new_checkpoint_writes_everything_again(broker, topics, app):
    before = len(topics.read("doubled"))
    assert before == EVENTS
    assert run(app, broker.address).returncode == 0  # another directory: nothing is known of the earlier run
    assert len(topics.read("doubled")) == 2 * EVENTS
    assert json.loads(topics.read("once-markers")[-1].value)["epoch"] >= 0


@pytest.mark.timeout(900)
@pytest.mark.parametrize("name", ["stateless", "stateful"])
def test_a_repeated_epoch_has_the_times_of_the_clock_that_the_first_attempt_had(broker, topics, tmp_path, name):
    topics.ensure([TopicSpec(f"arrivals-{name}", 4)])
    topics.produce(Record(f"arrivals-{name}", str(n).encode(), str(n).encode(), timestamp=n) for n in range(100))
    file = tmp_path / "walled.py"
    file.write_text(WALL.replace("NAME", name) + (WINDOWED if name == "stateful" else ""))

    # At least one partition has no transaction yet: its part of the epoch is written by the second run.
    assert run(file, broker.address, "before-transaction:2").returncode == 1
    [offsets] = tmp_path.rglob("checkpoint/offsets/0")
    clock = json.loads(offsets.read_text().splitlines()[-1])["#clock"]["now"]
    last = run(file, broker.address)
    assert last.returncode == 0, last.stderr

    records = topics.read(f"stamped-{name}")
    assert len(records) == 100
    assert {record.timestamp for record in records} == {clock}
    if name == "stateful":
        assert {json.loads(record.key)["start"] for record in topics.read("per-moment")} == {clock}


AHEAD = """
import holdfast as hf

app = hf.App("ahead", tasks=4, mode="drain")
app.stream("forecasts", int, key=str, max_ahead="1 minute").to("taken")
"""


@pytest.mark.timeout(900)
def test_a_repeated_epoch_refuses_the_records_that_the_first_attempt_refused(broker, topics, tmp_path):
    topics.ensure([TopicSpec("forecasts", 4)])
    now = int(time.time() * 1000)
    # Until the second run the clock passes the times of many that are too far ahead in the first.
    times = [now + 2_000 * n for n in range(200)]
    topics.produce(Record("forecasts", str(n).encode(), str(n).encode(), timestamp=at) for n, at in enumerate(times))
    file = tmp_path / "ahead.py"
    file.write_text(AHEAD)

    assert run(file, broker.address, "before-transaction:2").returncode == 1
    [offsets] = tmp_path.rglob("checkpoint/offsets/0")
    clock = json.loads(offsets.read_text().splitlines()[-1])["#clock"]["now"]
    last = run(file, broker.address)
    assert last.returncode == 0, last.stderr

    taken, refused = (Counter(record.timestamp for record in topics.read(t)) for t in ("taken", "ahead-dead-letters"))
    assert taken == Counter(at for at in times if at <= clock + 60_000)
    assert refused == Counter(at for at in times if at > clock + 60_000)


JUDGED = """
import holdfast as hf

app = hf.App("NAME", tasks=4, mode="drain")
app.stream("NAME-in", int, key=str).STEPSto("NAME-out")
"""


TWO_STAGES = "repartition().select_key(lambda n: n % 7).repartition()."


@pytest.mark.timeout(900)
@pytest.mark.parametrize(("side", "steps"), [("after", ""), ("before", TWO_STAGES)])
def test_what_a_topic_refuses_by_the_clock_is_refused_or_written(broker, topics, tmp_path, side, steps):
    """Until the second run the clock passes the bounds of what the topic takes, so that it finds otherwise."""
    name = f"judged-{side}"
    topics.ensure([TopicSpec(f"{name}-in", 4)])
    topics.ensure([TopicSpec(f"{name}-out", 4, config={f"message.timestamp.{side}.max.ms": "120000"})])
    now = int(time.time() * 1000)
    times = [now + 1_000 * (n - 150 if side == "before" else n) for n in range(300)]
    topics.produce(Record(f"{name}-in", str(n).encode(), str(n).encode(), at) for n, at in enumerate(times))
    file = tmp_path / "judged.py"
    file.write_text(JUDGED.replace("NAME", name).replace("STEPS", steps))

    assert run(file, broker.address, "before-transaction:2").returncode == 1
    last = run(file, broker.address)
    assert last.returncode == 0, last.stderr

    written, refused = (Counter(int(x.value) for x in topics.read(f"{name}-{t}")) for t in ("out", "dead-letters"))
    assert written
    assert refused
    assert written + refused == Counter(range(300))
