"""Functions that end, crash or hang their process, on Spark and Kafka: the others' records count exactly once."""

import ctypes
import os
import signal
import threading
import time
from pathlib import Path

import pytest

import holdfast as hf
from holdfast.errors import KernelError
from holdfast.topics.records import Record, TopicSpec
from tests.eventually import eventually

COUNT = 400
EXITS, CRASHES, HANGS, IS_KILLED = 100, 200, 300, 350


def misbehaving(folder: Path):
    def check(n: int) -> int:
        if n == EXITS:
            os._exit(3)
        if n == CRASHES:
            ctypes.string_at(0)
        while n == HANGS:
            pass
        if n == IS_KILLED and not (folder / "pid").exists():
            (folder / "new").write_text(str(os.getpid()))
            (folder / "new").rename(folder / "pid")
            while True:
                time.sleep(0.01)
        return n % 7

    return check


def kill_when_told(pid: Path) -> None:
    eventually(pid.exists, seconds=120, what="a process to say that it may be killed")
    os.kill(int(pid.read_text()), signal.SIGKILL)


def produced(topics, suffix, count, partitions):
    source = f"numbers{suffix}"
    topics.create(TopicSpec(source, partitions))
    topics.produce(Record(source, str(n).encode(), str(n).encode()) for n in range(count))
    return source


def test_the_app_goes_on_and_every_other_record_counts_once(topics, suffix, run, stores, tmp_path):
    source = produced(topics, suffix, COUNT, partitions=2)
    app = hf.App(f"faults{suffix}", tasks=2, python={"timeout": "5 s", "calls": 50})
    rest = app.stream(source, int, key=str).map_values(hf.python(misbehaving(tmp_path), returns=int))
    rest.to(f"rest{suffix}")
    rest.group_by(lambda n: n).count(store="rests")
    killer = threading.Thread(target=kill_when_told, args=[tmp_path / "pid"])
    killer.start()
    assert run(app, mode="drain").wait("3 minutes")
    killer.join()

    good = {n: n % 7 for n in range(COUNT) if n not in (EXITS, CRASHES, HANGS)}
    assert sorted((int(r.key), int(r.value)) for r in topics.read(f"rest{suffix}")) == sorted(good.items())
    assert stores(app)["rests"] == {rest: [*good.values()].count(rest) for rest in range(7)}
    dead = {int(r.key): dict(r.headers)["hf-reason"].decode() for r in topics.read(f"faults{suffix}-dead-letters")}
    assert set(dead) == {EXITS, CRASHES, HANGS}
    assert all(reason.startswith("check (test_worker_faults.py:") for reason in dead.values())
    assert dead[EXITS].endswith("its process ended with status 3")
    assert "its process ended by signal 11 at " in dead[CRASHES]
    assert "it did not end within 5000 ms at " in dead[HANGS]
    assert "test_worker_faults.py" in dead[HANGS]


def test_a_function_that_always_ends_its_process_stops_the_app(topics, suffix, run):
    source = produced(topics, suffix, 10, partitions=1)
    app = hf.App(f"exits{suffix}", tasks=1)
    app.stream(source, int, key=str).map_values(hf.python(lambda n: os._exit(5), returns=int)).to(f"never{suffix}")
    with pytest.raises(KernelError, match=r"<lambda> \(test_worker_faults.py:\d+\): its process ended with status 5"):
        run(app, mode="drain").wait("3 minutes")
    assert topics.read(f"never{suffix}") == []
