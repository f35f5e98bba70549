"""Older copies of the checkpoint: what changed between the copy and the day on which it is put back."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from confluent_kafka.admin import AdminClient, NewPartitions

from holdfast.runtime.lease import EXPIRY
from holdfast.topics.records import Record, TopicSpec
from tests.eventually import eventually
from tests.faults.drains import STATELESS, copied, doubled, put_back, run, send

HEAD = """
import os
import holdfast as hf

app = hf.App("{app}", tasks=4, mode="drain", spark={{"spark.master": "local[2]"}})
numbers = app.stream("{app}-in", int, key=str)
numbers.group_by(lambda n: n % 5).count(store="{app}-fives").to("{app}-out")
"""
COUNTING = (
    HEAD
    + """
numbers.group_by(lambda n: n % 10).count(store="{app}-tally").to("{app}-tallies")
"""
)
STEADY = """
import os
import holdfast as hf

app = hf.App("{app}", tasks=4, spark={{"spark.master": "local[2]"}}, state_dir=os.environ["STATE"])
app.stream("{app}-in", int, key=str).map_values(lambda n: n * 2).to("{app}-out")
"""


@pytest.mark.timeout(900)
def test_the_program_changed_after_the_copy(broker, topics, tmp_path):
    """A program that repeats epochs of another one would lose what only the other one keeps."""
    app, file = "changed", tmp_path / "changed.py"
    file.write_text(HEAD.format(app=app))
    send(topics, f"{app}-in", range(100))
    assert run(file, broker.address).returncode == 0
    home = copied(tmp_path, app).parent
    shutil.copytree(home, tmp_path / "whole")
    send(topics, f"{app}-in", range(100, 200))
    assert run(file, broker.address).returncode == 0
    file.write_text(COUNTING.format(app=app))
    send(topics, f"{app}-in", range(200, 300))
    assert run(file, broker.address).returncode == 0
    shutil.rmtree(home)
    shutil.copytree(tmp_path / "whole", home)

    refused = run(file, broker.address)
    assert refused.returncode == 1
    assert "epoch 1, which has to be repeated, ran with another program" in refused.stderr
    # As the message says: the program as it was, until it is told the same.
    file.write_text(HEAD.format(app=app))
    before = run(file, broker.address)
    assert before.returncode == 1
    assert "epoch 2, which has to be repeated, ran with another program" in before.stderr
    file.write_text(COUNTING.format(app=app))
    send(topics, f"{app}-in", range(300, 400))
    after = run(file, broker.address)
    assert after.returncode == 0, after.stderr

    tallies = [(record.key, int(record.value or b"")) for record in topics.read(f"{app}-tallies")]
    assert Counter(tallies) == Counter((str(n).encode(), seen) for n in range(10) for seen in (10, 20))


@pytest.mark.timeout(900)
def test_partitions_added_after_the_copy(broker, topics, tmp_path):
    app, file = "widened", tmp_path / "widened.py"
    file.write_text(STATELESS.format(app=app))
    send(topics, f"{app}-in", range(100))
    assert run(file, broker.address).returncode == 0
    checkpoint = copied(tmp_path, app)
    send(topics, f"{app}-in", range(100, 200))
    assert run(file, broker.address).returncode == 0
    admin = AdminClient({"bootstrap.servers": broker.address})
    admin.create_partitions([NewPartitions(f"{app}-in", 6)])[f"{app}-in"].result(30)
    topics.produce(Record(f"{app}-in", str(n).encode(), str(n).encode(), timestamp=1_000 + n) for n in range(200, 300))
    assert run(file, broker.address).returncode == 0
    put_back(tmp_path, checkpoint)

    again = run(file, broker.address)
    assert again.returncode == 0, again.stderr
    assert doubled(topics, app) == Counter(n * 2 for n in range(300))


@contextmanager
def started(file: Path, brokers: str, state: Path) -> Iterator[subprocess.Popen[str]]:
    """The app, with its state in a directory of its own, until the end of the block."""
    command = [sys.executable, "-m", "holdfast.cli.main", "run", str(file), "--brokers", brokers]
    log = (file.parent / f"{state.name}.log").open("w")
    process = subprocess.Popen(
        command,
        env={**os.environ, "STATE": str(state)},
        cwd=file.parent,
        stdout=log,
        stderr=log,
        text=True,
        start_new_session=True,
    )
    try:
        yield process
    finally:
        send_signal(process, signal.SIGKILL)
        process.wait()
        log.close()


def send_signal(process: subprocess.Popen[str], what: signal.Signals) -> None:
    """Send a signal to the app and to its JVM, which has a group of its own."""
    if process.poll() is None:
        children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
        for pid in [process.pid, *map(int, children)]:
            os.kill(pid, what)


@pytest.mark.timeout(900)
def test_an_instance_that_wakes_up_beside_the_one_that_runs_from_a_copy(broker, topics, tmp_path):
    """It writes nothing: not even to a sink partition that nobody has written yet."""
    app, file = "woken", tmp_path / "woken.py"
    file.write_text(STEADY.format(app=app))
    topics.ensure([TopicSpec(f"{app}-in", 4)])
    one, other = tmp_path / "one", tmp_path / "other"

    def put(numbers: Iterable[int]) -> None:
        """Seven keys, each of which has a sink partition of its own choice, and keeps it."""
        topics.produce(Record(f"{app}-in", str(n % 7).encode(), str(n).encode(), timestamp=1_000 + n) for n in numbers)

    def written() -> int:
        return sum(doubled(topics, app).values())

    with started(file, broker.address, one) as first:
        eventually((one / app / "checkpoint" / "commits" / "0").exists, seconds=120)
        time.sleep(1)
        send_signal(first, signal.SIGSTOP)
        shutil.copytree(one, other)
        time.sleep(EXPIRY + 1)  # the broker gives it up
        with started(file, broker.address, other) as second:
            put(n for n in range(100) if n % 7 == 0)
            eventually(written, lambda count: count >= 15, seconds=120)
            # The first one wakes up, and finds what the second one has yet to read.
            send_signal(second, signal.SIGSTOP)
            put(n for n in range(100) if n % 7)
            send_signal(first, signal.SIGCONT)
            eventually(lambda: first.poll() is not None, seconds=120)
            send_signal(second, signal.SIGCONT)
            eventually(lambda: written() >= 100 or second.poll() is not None, seconds=120)
            goes_on = second.poll() is None
        with started(file, broker.address, other):
            eventually(written, lambda count: count >= 100, seconds=120)
            time.sleep(3)
    said = (tmp_path / "one.log").read_text()
    assert doubled(topics, app) == Counter(n * 2 for n in range(100)), said
    assert goes_on, "the one that runs is not stopped by one that wakes up"
    assert "another instance" in said or "was not begun" in said
