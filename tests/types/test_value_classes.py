"""Classes go to other processes with the classes of their fields, also if those are written as text."""

import pickle
import subprocess
import sys
from dataclasses import dataclass

from holdfast.types.value_classes import ITEM, classes_of


@dataclass
class Line:
    item: str


PROGRAM = """
from __future__ import annotations
from dataclasses import dataclass
@dataclass
class Line:
    item: str
@dataclass
class Order:
    lines: list[Line]
    notes: dict[str, Line]
    first: Line | None = None
"""
READS = """
import pickle, sys
import pyarrow as pa
from holdfast.workers.codec.column_decoder import column_decoder
from holdfast.types.type_hints import type_of
classes = pickle.load(sys.stdin.buffer)
line = "STRUCT<item: STRING>"
type_ = type_of(f"lines ARRAY<{line}>, notes MAP<STRING, {line}>, first {line}", "")
line = pa.struct([("item", pa.string())])
column = pa.StructArray.from_arrays(
    [
        pa.array([[("tea",)]], pa.list_(line)),
        pa.array([{"a": ("cup",)}], pa.map_(pa.string(), line)),
        pa.array([None], line),
    ],
    ["lines", "notes", "first"],
)
print(column_decoder(type_, classes)(column))
"""


def test_annotations_as_text(tmp_path, monkeypatch):
    from pyspark import cloudpickle

    (tmp_path / "annotated_as_text.py").write_text(PROGRAM)
    monkeypatch.syspath_prepend(tmp_path)
    import annotated_as_text

    cloudpickle.register_pickle_by_value(annotated_as_text)
    try:
        shipped = cloudpickle.dumps(classes_of(annotated_as_text.Order))
    finally:
        cloudpickle.unregister_pickle_by_value(annotated_as_text)
    read = subprocess.run([sys.executable, "-c", READS], input=shipped, capture_output=True, cwd="/", check=False)
    assert read.stdout.decode().strip() == (
        "[Order(lines=[Line(item='tea')], notes={'a': Line(item='cup')}, first=None)]"
    ), read.stderr.decode()


def test_lists_dicts_pairs_and_what_has_no_class():
    assert classes_of(list[Line]).part(ITEM).cls is Line
    assert classes_of(dict[str, Line]).part(ITEM).cls is Line
    assert classes_of(tuple[int, Line]).part("_2").cls is Line
    assert classes_of(Line | None).cls is Line
    assert classes_of("a STRING").cls is None
    assert pickle.loads(pickle.dumps(classes_of(int))) == classes_of(int)
