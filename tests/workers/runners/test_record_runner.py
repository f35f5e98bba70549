"""A function on a batch: results and reasons in the order of the records."""

from dataclasses import dataclass

import pyarrow as pa

from holdfast.types import STRING
from holdfast.types.type_hints import type_of
from holdfast.types.value_classes import classes_of
from holdfast.workers.codec.arrow_batch import TIMES, read_batch, write_batch
from holdfast.workers.function_spec import FunctionSpec
from holdfast.workers.runners.record_runner import RecordRunner


@dataclass
class Score:
    points: int

    def __post_init__(self):
        if self.points < 0:
            raise ValueError("points below zero")


SCORES = (("value", classes_of(Score)),)


def ran(function, values, returns=int, **options):
    call = FunctionSpec(function, "f", "file.py:1", ("value",), type_of(returns, "r"), type_of(returns, "r"), **options)
    runner = RecordRunner(call, {"key": STRING, "value": type_of(Score, "value")})
    column = pa.array([None if value is None else {"points": value} for value in values], runner_type())
    stream = write_batch({"key": pa.nulls(len(values), pa.string()), "value": column})
    return read_batch(runner.run(stream, None))


def runner_type():
    return pa.struct([("points", pa.int64())])


def test_results_are_in_order_and_failures_beside_them():
    def half(value):
        if value.points % 2:
            raise StopIteration("odd")
        return value.points // 2

    batch = ran(half, [2, 3, 4], classes=SCORES)
    assert batch.column("result").to_pylist() == [1, None, 2]
    [nothing, reason, nothing_else] = batch.column("error").to_pylist()
    assert (nothing, nothing_else) == (None, None)
    assert reason.startswith("f (file.py:1): StopIteration: odd [")


def test_a_record_that_its_class_refuses_is_the_only_one_that_fails():
    batch = ran(lambda score: score.points, [1, -1, 2], classes=SCORES)
    assert batch.column("result").to_pylist() == [1, None, 2]
    assert "ValueError: points below zero" in batch.column("error").to_pylist()[1]


def test_a_record_without_a_value_is_none():
    batch = ran(lambda score: -1 if score is None else score.points, [None, 5], classes=SCORES)
    assert batch.column("result").to_pylist() == [-1, 5]


def test_a_number_that_does_not_fit_is_the_only_one_that_fails():
    batch = ran(lambda score: 2**63 if score.points == 2 else 1, [1, 2, 3])
    assert batch.column("result").to_pylist() == [1, None, 1]
    assert batch.column("error").to_pylist()[1] == "f (file.py:1): result: 9223372036854775808 does not fit 64 bits"


def test_one_object_given_again_and_again_is_seen_as_it_was_each_time():
    same = {"points": 0}

    def add(score):
        same["points"] += score.points
        return same

    batch = ran(add, [1, 2, 3], returns=Score)
    assert [each["points"] for each in batch.column("result").to_pylist()] == [1, 3, 6]


def test_how_long_it_took_goes_with_the_results():
    times = ran(lambda score: 1, [1]).schema.metadata[TIMES].decode()
    assert [part.split("=")[0] for part in times.split()] == ["read", "call", "write"]
