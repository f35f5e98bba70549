"""Drains in processes of their own, which double numbers: run to the end or to a fault, and copies of a checkpoint."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

from holdfast.topics.admin import Topics
from holdfast.topics.records import Record, TopicSpec

STATELESS = """
import os
import holdfast as hf

records = int(os.environ.get("RECORDS", "100"))
app = hf.App("{app}", tasks=4, mode="drain", max_records=records, spark={{"spark.master": os.environ["MASTER"]}})
app.stream("{app}-in", int, key=str).map_values(lambda n: n * 2).to("{app}-out")
"""


def run(
    app: Path, brokers: str, fault: str = "", *, master: str = "local[2]", **more: str
) -> subprocess.CompletedProcess[str]:
    """Run the app to its end, or to the fault."""
    command = [sys.executable, "-m", "holdfast.cli.main", "run", str(app), "--brokers", brokers]
    options = {"JAVA_TOOL_OPTIONS": f"-Dholdfast.fault={fault}"} if fault else {}
    environment = {**os.environ, "MASTER": master, **options, **more}
    return subprocess.run(
        command, env=environment, cwd=app.parent, capture_output=True, text=True, timeout=300, check=False
    )


def send(topics: Topics, topic: str, numbers: range) -> None:
    """Write numbers to a topic of four partitions."""
    topics.ensure([TopicSpec(topic, 4)])
    topics.produce(Record(topic, str(n).encode(), str(n).encode(), timestamp=1_000 + n) for n in numbers)


def doubled(topics: Topics, app: str) -> Counter[int]:
    """What the app has written, as a reader of committed records sees it."""
    return Counter(int(record.value or b"") for record in topics.read(f"{app}-out"))


def copied(home: Path, app: str) -> Path:
    """Copy the checkpoint of an app that does not run; gives where it was."""
    checkpoint = next(home.glob(f".holdfast/**/{app}")) / "checkpoint"
    shutil.copytree(checkpoint, home / "copy")
    return checkpoint


def put_back(home: Path, checkpoint: Path) -> None:
    """Replace the checkpoint by the copy."""
    shutil.rmtree(checkpoint)
    shutil.copytree(home / "copy", checkpoint)
