"""The local files of the state cannot be read under a running app: it says so, and no record is taken for unknown."""

import json
import os
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from holdfast.topics.records import Record, TopicSpec
from tests.eventually import eventually

APP = """
import holdfast as hf

app = hf.App("NAME", tasks=2)
people = app.table("NAME-people", "name STRING NOT NULL", key=int)
events = app.stream("NAME-events", int, key=int)
events.join(people, lambda n, p: dict(n=n, name=p.name)).to("NAME-named")
"""
PEOPLE = 20_000
SPARK = {
    # All state is in files at once, and nothing of it is in memory.
    "spark.sql.streaming.stateStore.rocksdb.changelogCheckpointing.enabled": "false",
    "spark.sql.streaming.stateStore.rocksdb.blockCacheSizeMB": "1",
    "spark.holdfast.stateCache": "0",
}


class Named:
    """`holdfast run` of an app that gives events names, with its working files in a directory of the test."""

    def __init__(self, name: str, home: Path, topics, brokers: str, **env: str) -> None:
        self.name = name
        self.home = home
        self.topics = topics
        self.brokers = brokers
        self.env = env
        home.joinpath("app.py").write_text(APP.replace("NAME", name))
        topics.ensure([TopicSpec(f"{name}-{each}", 2) for each in ("people", "events", "named")])
        self.start()

    def start(self) -> None:
        command = [sys.executable, "-m", "holdfast.cli.main", "run", "app.py", "--brokers", self.brokers]
        spark = json.dumps({**SPARK, "spark.local.dir": str(self.home / "local")})
        env = {**os.environ, "HOLDFAST_SPARK": spark, **self.env}
        self.process = subprocess.Popen(command, env=env, cwd=self.home, stderr=subprocess.PIPE, text=True)

    def produce(self, topic: str, values: dict[int, object], time: int) -> None:
        records = ((str(key).encode(), json.dumps(value).encode()) for key, value in values.items())
        self.topics.produce(Record(f"{self.name}-{topic}", key, value, time) for key, value in records)

    def read(self, topic: str) -> list[Record]:
        found: list[Record] = self.topics.read(f"{self.name}-{topic}")
        return found

    def wait_for(self, count: int, seconds: float = 240) -> bool:
        """Whether the output got so many records before the process ended."""

        def seen() -> tuple[int, int | None]:
            return len(self.read("named")), self.process.poll()

        there, _ = eventually(
            seen, lambda both: both[0] >= count or both[1] is not None, seconds, what=f"{count} records, or the end"
        )
        return there >= count

    def end(self) -> str:
        self.process.terminate()
        return self.process.communicate(timeout=120)[1]

    def files(self) -> list[Path]:
        """The local files of the state."""
        return [file for file in (self.home / "local").rglob("*.sst") if "StateStore" in str(file)]


@pytest.fixture
def named(broker, topics, tmp_path) -> Iterator[Callable[..., Named]]:
    """Starts the app; whatever still runs is ended."""
    apps: list[Named] = []

    def start(name: str, **env: str) -> Named:
        apps.append(Named(name, tmp_path, topics, broker.address, **env))
        return apps[-1]

    yield start
    for each in apps:
        each.process.kill()


@pytest.fixture
def failing_disk(tmp_path: Path) -> Path:
    """A library that comes before libc and makes reads fail while a file asks for it."""
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("a failing disk is made by a small library in C, and here is no compiler; LostFilesTest is like it")
    source = Path(__file__).with_name("failing_disk.c")
    library = tmp_path / "failing_disk.so"
    subprocess.run([compiler, "-shared", "-fPIC", "-o", library, source, "-ldl"], check=True)
    return library


def check(app: Named, strike: Callable[[], None], heal: Callable[[], None]) -> None:
    """Strike when the state is in files: the app ends and says why, and when it is started again nothing is missing."""
    app.produce("people", {n: {"name": f"person {n}"} for n in range(PEOPLE)}, time=1)
    app.produce("events", {0: 0}, time=2)
    assert app.wait_for(1), app.process.communicate()[1]

    assert app.files()
    strike()
    app.produce("events", {n: n for n in range(1, PEOPLE)}, time=3)
    assert not app.wait_for(PEOPLE)
    said = app.end()
    assert "what RocksDB has on the local disk is not what it wrote" in said
    assert "start the app again" in said

    heal()
    app.start()
    assert app.wait_for(PEOPLE), app.process.communicate()[1]
    app.end()
    names = [json.loads(record.value) for record in app.read("named")]
    assert Counter(each["n"] for each in names) == Counter(range(PEOPLE))
    assert all(each["name"] == f"person {each['n']}" for each in names)
    assert not app.read("dead-letters")


@pytest.mark.timeout(900)
def test_keys_in_files_that_were_cut_are_not_taken_for_unknown(named):
    app = named("cut")

    def cut() -> None:
        for file in app.files():
            os.truncate(file, file.stat().st_size // 2)

    check(app, strike=cut, heal=lambda: None)


@pytest.mark.timeout(900)
def test_keys_that_the_disk_does_not_give_are_neither_unknown_nor_dead_letters(named, failing_disk, tmp_path):
    fails = tmp_path / "fails"
    app = named("failing", LD_PRELOAD=str(failing_disk), FAILING_DISK=str(fails))
    check(app, strike=fails.touch, heal=fails.unlink)
