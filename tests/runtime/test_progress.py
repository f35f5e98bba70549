"""Spark's reports as a summary, and the lock that keeps an app to one process."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from holdfast.errors import AlreadyRuns, SettingsError
from holdfast.runtime import lock
from holdfast.runtime.progress import summary


def report(batch: int, start: Any, end: Any, latest: Any = None, rows: int = 999, ran: bool = True) -> dict[str, Any]:
    return {
        "batchId": batch, "batchDuration": 500, "numInputRows": rows, "durationMs": {"addBatch": 1} if ran else {},
        "sources": [{"startOffset": start, "endOffset": end, "latestOffset": latest or end, "numInputRows": rows}],
    }  # fmt: skip


def test_records_are_counted_by_offsets_not_by_rows() -> None:
    seen = summary(
        "app", report(4, {"a": {"0": 5, "1": 0}}, {"a": {"0": 15, "1": 2}}, {"a": {"0": 18, "1": 2}}), {}, {}
    )
    assert seen["records"] == 12
    assert seen["rate"] == 24
    assert seen["topics"] == {"a": {"records": 12, "rate": 24, "lag": 3, "offset": 17}}


def test_the_first_epoch_counts_from_where_the_app_began() -> None:
    assert summary("app", report(0, None, {"a": {"0": 1010}}), {}, {"a": {"0": 1000}})["records"] == 10


def test_a_report_without_work_is_of_the_epoch_before() -> None:
    end = {"a": {"0": 5}}
    assert summary("app", report(4, end, end, rows=0, ran=False), {}, {})["epoch"] == 3
    assert summary("app", report(0, end, end, rows=0, ran=False), {}, {})["epoch"] is None
    assert summary("app", None, {}, {})["epoch"] is None


def test_rows_of_dataframes_are_those_of_spark() -> None:
    assert summary("app", report(4, 3, 4, rows=7), {}, {})["records"] == 7


def test_what_was_written_is_without_our_own_topics() -> None:
    seen = summary("app", None, {"out": 3, "app-dead-letters": 2, "app-n-changelog": 9}, {})
    assert seen["written"] == {"out": 3}
    assert seen["dead_letters"] == 2


def test_an_app_runs_once(tmp_path: Path) -> None:
    program = (
        "import sys; from pathlib import Path; from holdfast.runtime import lock; lock.hold(Path(sys.argv[1]), 'a')"
    )
    held = lock.hold(tmp_path, "a")
    try:
        other = subprocess.run([sys.executable, "-c", program, tmp_path], capture_output=True, text=True, check=False)
        assert f"app 'a' already runs in process {os.getpid()}" in other.stderr
        assert AlreadyRuns.__name__ in other.stderr
    finally:
        held.release()
    assert subprocess.run([sys.executable, "-c", program, tmp_path], check=False).returncode == 0


def test_an_app_runs_once_in_a_process(tmp_path: Path) -> None:
    first = lock.hold(tmp_path, "a")
    with pytest.raises(AlreadyRuns, match=f"app 'a' already runs in this process, {os.getpid()}"):
        lock.hold(tmp_path, "a")
    first.in_use = lambda: False  # it has ended by itself
    second = lock.hold(tmp_path, "a")
    first.release()
    with pytest.raises(AlreadyRuns):
        lock.hold(tmp_path, "a")
    second.release()
    lock.hold(tmp_path, "a").release()


def test_a_directory_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(SettingsError, match="cannot write the state directory"):
        lock.hold(tmp_path / "file" / "app", "app")


def test_reports_may_carry_offsets_as_text() -> None:
    seen = summary("app", report(1, json.dumps({"a": {"0": 1}}), json.dumps({"a": {"0": 3}})), {}, {})
    assert seen["records"] == 2
