"""app.source: a streaming DataFrame as a stream, alone and beside topics."""

import json
import time

import pytest

import holdfast as hf
from holdfast.cli.progress_line import ProgressLine
from holdfast.errors import TopologyError
from tests.eventually import eventually
from tests.spark.conftest import as_record


def files(spark, directory):
    return spark.readStream.schema("word STRING, n INT, at TIMESTAMP").json(str(directory))


def write(directory, name, *rows):
    directory.mkdir(exist_ok=True)
    (directory / name).write_text("\n".join(json.dumps(row) for row in rows))


def test_rows_of_a_dataframe_are_records(tmp_path, drain, stores, topics, suffix):
    words = tmp_path / "words"
    write(words, "1.json", {"word": "a", "n": 1, "at": "2026-01-01T00:00:00.123Z"}, {"word": "b", "n": 5, "at": None})
    app = hf.App(f"frames{suffix}", tasks=4)
    stream = app.source(lambda spark: files(spark, words), key="word", timestamp="at")
    stream.group_by_key().aggregate(0, lambda total, v: total + v.n, store="totals").to(f"totals{suffix}")
    drain(app)
    write(words, "2.json", {"word": "a", "n": 2, "at": "2026-01-01T00:00:01Z"})
    drain(app)
    assert stores(app) == {"totals": {"a": 3}}
    assert [(r.key, r.value, r.timestamp) for r in topics.read(f"totals{suffix}")] == [
        (b"a", b"1", 1767225600123),
        (b"a", b"3", 1767225601000),
    ]
    (letter,) = topics.read(f"frames{suffix}-dead-letters")
    assert dict(letter.headers)["hf-reason"] == b"the time is null"


def test_a_dataframe_beside_a_topic(tmp_path, drain, stores, topics, new_topic, suffix):
    words = tmp_path / "words"
    write(words, "1.json", {"word": "a", "n": 1}, {"word": "b", "n": 1})
    names = new_topic("names", compacted=True)
    topics.produce([as_record(names, "a", {"name": "Anna"}, timestamp=int(time.time() * 1000) - 60_000)])
    app = hf.App(f"frames{suffix}", tasks=4)
    table = app.table(names, "name STRING NOT NULL", key=str)
    stream = app.source(lambda spark: files(spark, words), key="word")
    stream.left_join(table, lambda w, t: dict(n=w.n, name=t.name)).to_table(store="named")
    drain(app)
    assert stores(app) == {"named": {"a": {"n": 1, "name": "Anna"}, "b": {"n": 1, "name": None}}}


def test_a_dataframe_that_does_not_stream_is_refused(run, suffix):
    app = hf.App(f"frames{suffix}")
    app.source(lambda spark: spark.range(3)).to(f"out{suffix}")
    with pytest.raises(TopologyError, match="not streaming came; begin with spark.readStream"):
        run(app)


def test_the_line_of_progress_without_a_topic(tmp_path, run, topics, suffix):
    words = tmp_path / "words"
    write(words, "1.json", {"word": "a", "n": 1, "at": "2026-01-01T00:00:00Z"})
    app = hf.App(f"frames{suffix}", tasks=4)
    app.source(lambda spark: files(spark, words), key="word", timestamp="at").to(f"words{suffix}")
    running, line = run(app), ProgressLine()
    eventually(lambda: running.progress()["epoch"], lambda epoch: epoch is not None)
    assert line.text(running.progress(), running.busy).startswith("epoch 0  DataFrames ")
