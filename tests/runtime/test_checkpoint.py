"""What is read in a checkpoint of Spark's before and beside its query."""

import json
from pathlib import Path

from holdfast.runtime.checkpoint import (
    committed_offsets,
    first_offsets,
    last_epoch,
    partitions,
    topic_offsets,
    unfinished_epoch,
)


def checkpoint(home: Path, begun: int, ended: int) -> Path:
    for name, last in (("offsets", begun), ("commits", ended)):
        (home / name).mkdir(exist_ok=True)
        for epoch in range(last + 1):
            conf = {"conf": {"spark.sql.shuffle.partitions": "8"}}
            lines = ["v1", json.dumps(conf), json.dumps({"in": {"0": 10 + epoch}, "#clock": {"now": 5}})]
            (home / name / str(epoch)).write_text("\n".join(lines))
            (home / name / f".{epoch}.crc").touch()
    return home


def test_a_clean_checkpoint_says_what_was_read(tmp_path: Path) -> None:
    clean = checkpoint(tmp_path, 11, 11)
    assert committed_offsets(clean) == {"in": {"0": 21}}
    assert (last_epoch(clean), unfinished_epoch(clean), partitions(clean)) == (11, None, 8)


def test_an_epoch_that_was_begun_and_not_committed(tmp_path: Path) -> None:
    assert unfinished_epoch(checkpoint(tmp_path, 0, -1)) == 0
    assert unfinished_epoch(checkpoint(tmp_path, 11, 10)) == 11
    assert committed_offsets(tmp_path) is None
    assert last_epoch(tmp_path) == 11


def test_no_checkpoint(tmp_path: Path) -> None:
    assert committed_offsets(tmp_path) is None
    assert (last_epoch(tmp_path), unfinished_epoch(tmp_path), partitions(tmp_path)) == (-1, None, None)


def test_where_the_app_began(tmp_path: Path) -> None:
    assert first_offsets(tmp_path) == {}
    (tmp_path / "sources" / "0").mkdir(parents=True)
    (tmp_path / "sources" / "0" / "0").write_text('0v1\n{"a":{"0":1000}}')
    assert first_offsets(tmp_path) == {"a": {"0": 1000}}


def test_offsets_of_dataframes_are_none_of_topics() -> None:
    assert [topic_offsets(each) for each in ("17", "no JSON", None, 4, {"a": 1})] == [{}] * 5
