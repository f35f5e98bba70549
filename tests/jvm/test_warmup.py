"""The training of the class archive runs through the kernel and Spark; were it to fail, starts would only be slower."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from holdfast.ops import warmup
from holdfast.spark import jvm

pytestmark = pytest.mark.spark


@pytest.fixture(scope="module")
def gateway(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    started = jvm.launch(jvm.spark_class_path(), [], log_file=tmp_path_factory.mktemp("logs") / "jvm.log", heap="1g")
    yield started
    jvm.stop_jvm(started)


def test_the_kernel_part_writes_a_record(gateway: Any) -> None:
    assert [out["topic"] for out in json.loads(warmup.drive(gateway))] == ["best-scores"]


def test_the_streaming_part_runs(gateway: Any, tmp_path: Path) -> None:
    session = gateway.jvm.org.apache.spark.sql.SparkSession.builder().master("local[1]")
    for name, value in warmup.CONF.items():
        session = session.config(name, value)
    started = session.getOrCreate()
    try:
        warmup.stream(gateway, started, tmp_path)
        assert (tmp_path / "checkpoint" / "commits" / "0").exists()
    finally:
        started.stop()
