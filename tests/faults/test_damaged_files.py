"""The local files of the state are cut in half under a running app: it says so, and no record is taken for unknown."""

import json
import os
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest

from holdfast.topics.records import Record, TopicSpec

APP = """
import holdfast as hf

app = hf.App("cut", tasks=2)
people = app.table("cut-people", "name STRING NOT NULL", key=int)
events = app.stream("cut-events", int, key=int)
events.join(people, lambda n, p: dict(n=n, name=p.name)).to("cut-named")
"""
PEOPLE = 20_000


class Process:
    """`holdfast run`, with its working files in a directory of the test and all state in files at once."""

    def __init__(self, home: Path, brokers: str) -> None:
        home.joinpath("cut.py").write_text(APP)
        spark = {
            "spark.local.dir": str(home / "local"),
            "spark.sql.streaming.stateStore.rocksdb.changelogCheckpointing.enabled": "false",
        }
        command = [sys.executable, "-m", "holdfast.cli.main", "run", str(home / "cut.py"), "--brokers", brokers]
        env = {**os.environ, "HOLDFAST_SPARK": json.dumps(spark)}
        self.process = subprocess.Popen(command, env=env, cwd=home, stderr=subprocess.PIPE, text=True)

    def wait_for(self, topics, count: int, seconds: float = 240) -> bool:
        """Whether the output got so many records before the process ended."""
        deadline = time.monotonic() + seconds
        while len(topics.read("cut-named")) < count:
            if self.process.poll() is not None:
                return False
            assert time.monotonic() < deadline, f"{len(topics.read('cut-named'))} of {count} records after {seconds} s"
            time.sleep(0.2)
        return True

    def end(self) -> str:
        self.process.terminate()
        return self.process.communicate(timeout=120)[1]


@pytest.fixture
def started(broker, tmp_path):
    """Starts the app; whatever still runs is ended."""
    processes: list[Process] = []

    def start() -> Process:
        processes.append(Process(tmp_path, broker.address))
        return processes[-1]

    yield start
    for each in processes:
        each.process.kill()


@pytest.mark.timeout(900)
def test_keys_in_files_that_were_cut_are_not_taken_for_unknown(topics, started, tmp_path):
    topics.ensure([TopicSpec("cut-people", 2), TopicSpec("cut-events", 2), TopicSpec("cut-named", 2)])
    names = (
        Record("cut-people", str(n).encode(), json.dumps({"name": f"person {n}"}).encode(), 1) for n in range(PEOPLE)
    )
    topics.produce(names)
    topics.produce([Record("cut-events", b"0", b"0", timestamp=2)])
    first = started()
    assert first.wait_for(topics, 1), first.process.communicate()[1]

    files = [file for file in (tmp_path / "local").rglob("*.sst") if "StateStore" in str(file)]
    assert files
    for file in files:
        os.truncate(file, file.stat().st_size // 2)
    topics.produce(Record("cut-events", str(n).encode(), str(n).encode(), timestamp=3) for n in range(1, PEOPLE))
    assert not first.wait_for(topics, PEOPLE)
    said = first.end()
    assert "what RocksDB has on the local disk is not what it wrote" in said
    assert "start the app again" in said

    again = started()
    assert again.wait_for(topics, PEOPLE), again.process.communicate()[1]
    again.end()
    named = [json.loads(record.value) for record in topics.read("cut-named")]
    assert Counter(each["n"] for each in named) == Counter(range(PEOPLE))
    assert all(each["name"] == f"person {each['n']}" for each in named)
