"""Apps that are started again otherwise than they ended: with other cores, after a kill, from an older checkpoint."""

from __future__ import annotations

import shutil
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from confluent_kafka import Consumer, TopicPartition

from tests.faults.drains import STATELESS, copied, doubled, put_back, run, send

STATEFUL = """
import os
import holdfast as hf

records = int(os.environ.get("RECORDS", "100"))
app = hf.App("{app}", tasks=4, mode="drain", max_records=records, spark={{"spark.master": os.environ["MASTER"]}})
numbers = app.stream("{app}-in", int, key=str)
numbers.map_values(lambda n: n * 2).to("{app}-out")
numbers.group_by(lambda n: n % 10).count(store="{app}-tally").to("{app}-tallies")
"""
EVENTS = 400

Write = Callable[[str, str], Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def written(app: str, program: str) -> Path:
        file = tmp_path / f"{app.replace('-', '_')}.py"
        file.write_text(program.format(app=app))
        return file

    return written


@pytest.mark.timeout(900)
@pytest.mark.parametrize(("app", "before", "after"), [("fewer", 4, 2), ("more", 2, 4)])
def test_another_number_of_cores_after_a_kill(broker, topics, write, app, before, after):
    program = write(app, STATELESS)
    send(topics, f"{app}-in", range(EVENTS))

    struck = run(program, broker.address, "after-transaction:2", master=f"local[{before}]")
    assert struck.returncode == 1, struck.stderr
    ended = run(program, broker.address, master=f"local[{after}]")
    assert ended.returncode == 0, ended.stderr

    assert doubled(topics, app) == Counter(n * 2 for n in range(EVENTS))


@pytest.mark.timeout(900)
def test_a_start_ends_the_transactions_that_a_kill_left_open(broker, topics, write):
    """A killed sink partition that the next run has no records for would hide what all others write."""
    program = write("opened", STATELESS)
    send(topics, "opened-in", range(EVENTS))
    struck = run(program, broker.address, "before-transaction:2", master="local[4]")
    assert struck.returncode == 1, struck.stderr
    assert hidden(broker.address, "opened-out", seconds=3)

    # The next start has nothing to do with that epoch any more, as if its input were gone.
    shutil.rmtree(program.parent / ".holdfast", ignore_errors=True)
    topics.delete(["opened-in"])
    send(topics, "opened-in", range(1))
    ended = run(program, broker.address, master="local[1]")
    assert ended.returncode == 0, ended.stderr

    assert not hidden(broker.address, "opened-out")


@pytest.mark.timeout(900)
def test_a_checkpoint_put_back_from_an_older_copy_goes_on(broker, topics, write, tmp_path):
    """Without state, and when the last epoch before was written in part."""
    app, file = "copied", write("copied", STATELESS)
    send(topics, f"{app}-in", range(200))
    assert run(file, broker.address).returncode == 0
    checkpoint = copied(tmp_path, app)
    # Epochs of other sizes than the ones that the next run would choose.
    send(topics, f"{app}-in", range(200, 500))
    assert run(file, broker.address, RECORDS="37").returncode == 0
    send(topics, f"{app}-in", range(500, 600))
    assert run(file, broker.address, "after-transaction:1").returncode == 1
    put_back(tmp_path, checkpoint)

    again = run(file, broker.address)
    assert again.returncode == 0, again.stderr
    assert doubled(topics, app) == Counter(n * 2 for n in range(600))
    assert "older copy" in again.stderr


@pytest.mark.timeout(900)
def test_an_older_copy_with_state_goes_on_as_long_as_its_input_is_there(broker, topics, write, tmp_path):
    app, file = "tallied", write("tallied", STATEFUL)
    send(topics, f"{app}-in", range(200))
    assert run(file, broker.address).returncode == 0
    checkpoint = copied(tmp_path, app)
    send(topics, f"{app}-in", range(200, 500))
    assert run(file, broker.address, RECORDS="37").returncode == 0
    put_back(tmp_path, checkpoint)
    send(topics, f"{app}-in", range(500, 600))

    again = run(file, broker.address)
    assert again.returncode == 0, again.stderr
    assert doubled(topics, app) == Counter(n * 2 for n in range(600))
    tallies = [(record.key, int(record.value)) for record in topics.read(f"{app}-tallies")]
    assert len(tallies) == len(set(tallies)), "an update was written twice"
    assert dict(tallies) == {str(n).encode(): 60 for n in range(10)}

    expire(broker.address, f"{app}-in", 4)
    put_back(tmp_path, checkpoint)
    refused = run(file, broker.address)
    assert refused.returncode == 1
    assert "Traceback" not in refused.stderr
    for said in ("older copy", f"{app}-in", "To go on"):
        assert said in refused.stderr
    assert doubled(topics, app) == Counter(n * 2 for n in range(600))


def expire(brokers: str, topic: str, partitions: int) -> None:
    """Delete everything that is in a topic."""
    from confluent_kafka.admin import AdminClient

    admin = AdminClient({"bootstrap.servers": brokers})
    found = admin.delete_records([TopicPartition(topic, p, -1) for p in range(partitions)])
    for done in found.values():
        done.result(30)


def hidden(brokers: str, topic: str, seconds: float = 20) -> bool:
    """Whether an open transaction hides what comes after it from readers of committed records, for so long at least."""
    consumer = {
        level: Consumer({"bootstrap.servers": brokers, "group.id": "ends", "isolation.level": level})
        for level in ("read_committed", "read_uncommitted")
    }
    try:
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            ends = [
                [each.get_watermark_offsets(TopicPartition(topic, p), timeout=10)[1] for p in range(4)]
                for each in consumer.values()
            ]
            if ends[0] == ends[1]:
                return False
            time.sleep(0.5)
        return True
    finally:
        for each in consumer.values():
            each.close()
