"""Attempts of tasks that fail, a thousand in one process: it keeps nothing of them."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from holdfast.topics.records import Record
from tests.spark.failing_attempts import POISON

ATTEMPTS = 1000


@pytest.mark.timeout(900)
def test_a_process_keeps_nothing_of_attempts_that_failed(topics, new_topic, tmp_path):
    topic = new_topic("numbers")
    topics.produce(Record(topic, str(n % 7).encode(), str(n).encode()) for n in [*range(100), POISON])
    command = [
        sys.executable,
        "-m",
        "tests.spark.failing_attempts",
        topics.brokers,
        topic,
        str(tmp_path),
        str(ATTEMPTS),
    ]
    ended = subprocess.run(
        command, cwd=Path(__file__).parents[2], capture_output=True, text=True, timeout=900, check=False
    )
    printed = [line for line in ended.stdout.splitlines() if line.startswith("COUNTS ")]
    assert printed, ended.stdout[-2000:] + ended.stderr[-5000:]
    counts = json.loads(printed[0].removeprefix("COUNTS "))
    assert counts.pop("attempts") >= ATTEMPTS
    few = {
        "tasks in use": 0,
        "tasks to be used": 1,
        "owners of cache": 4,
        "consumers": 2,
        "producers": 2,
        "Python workers": 2,
    }
    assert {name: count for name, count in counts.items() if count > few[name]} == {}
