"""The JVM: started directly, usable by py4j and PySpark, gone with its owner."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from holdfast.errors import JavaError
from holdfast.ops.processes import Process
from holdfast.spark import archive, jvm

pytestmark = pytest.mark.spark

OWNER = """
import sys, time
from pathlib import Path
from holdfast.spark.jvm import start_jvm
print(start_jvm(log_file=Path(sys.argv[1])).proc.pid, flush=True)
time.sleep(600)
"""


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("logs")


@pytest.fixture(scope="module")
def gateway(logs: Path) -> Iterator[Any]:
    started = jvm.start_jvm(log_file=logs / "jvm.log")
    yield started
    jvm.stop_jvm(started)


def test_java_is_called_through_the_gateway(gateway: Any) -> None:
    assert gateway.jvm.java.lang.Math.max(3, 4) == 4
    assert gateway.jvm.java.util.ArrayList([1, 2]).size() == 2


def test_the_kernel_is_on_the_class_path(gateway: Any) -> None:
    assert gateway.jvm.java.lang.Class.forName("io.holdfast.kernel.ops.LocalBroker") is not None


def test_pyspark_works_on_the_same_jvm_and_its_noise_is_in_the_file(gateway: Any, logs: Path, capfd: Any) -> None:
    from pyspark import SparkConf, SparkContext
    from pyspark.sql import SparkSession

    conf = SparkConf().setMaster("local[1]").setAppName("test").set("spark.ui.enabled", "false")
    context = SparkContext(conf=conf.set("spark.driver.host", "localhost"), gateway=gateway)
    try:
        session = SparkSession(context)
        assert session.range(10).selectExpr("sum(id) as n").collect()[0].n == 45
        gateway.jvm.org.slf4j.LoggerFactory.getLogger("a.b.Test").warn("a line of log")
    finally:
        context.stop()
    assert capfd.readouterr() == ("", "")
    assert "WARN  a.b.Test: a line of log" in (logs / "jvm.log").read_text()


def test_killing_its_owner_ends_the_jvm(tmp_path: Path) -> None:
    owner = subprocess.Popen([sys.executable, "-c", OWNER, tmp_path / "jvm.log"], stdout=subprocess.PIPE, text=True)
    assert owner.stdout is not None
    process = Process.of(int(owner.stdout.readline()))
    assert process.alive()
    os.kill(owner.pid, signal.SIGKILL)
    owner.communicate()
    assert process.wait(20)


def test_stopping_ends_the_jvm(tmp_path: Path) -> None:
    started = jvm.start_jvm(log_file=tmp_path / "jvm.log")
    process = Process.of(started.proc.pid)
    jvm.stop_jvm(started)
    assert not process.alive()


def test_a_broken_archive_only_costs_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    broken = tmp_path / "broken.jsa"
    broken.write_bytes(os.urandom(100_000))
    monkeypatch.setattr(archive, "archive_of", lambda class_path: broken)
    started = jvm.start_jvm(log_file=tmp_path / "jvm.log")
    assert started.jvm.java.lang.Math.max(3, 4) == 4
    jvm.stop_jvm(started)


def test_a_jvm_that_does_not_start_says_why(tmp_path: Path) -> None:
    with pytest.raises(JavaError, match=r"ended with status 1[\s\S]*Invalid maximum heap size"):
        jvm.start_jvm(log_file=tmp_path / "jvm.log", heap="lots")


def test_a_missing_kernel_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jvm, "KERNEL", tmp_path / "kernel.jar")
    with pytest.raises(JavaError, match=r"kernel\.jar is not there: run make setup"):
        jvm.start_jvm(log_file=tmp_path / "jvm.log")
