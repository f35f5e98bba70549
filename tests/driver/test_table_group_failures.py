"""Rows of a table that cannot be grouped or folded: dead letters, and groups as if they were not there."""

import pytest

import holdfast as hf
from holdfast import functions as F
from holdfast.testing import Driver
from tests.driver.helpers import letters, pairs
from tests.driver.test_table_group_by import every, run


def test_a_group_without_a_key_is_a_dead_letter_and_the_old_one_is_left():
    records = [("a", "x", 1), ("a", "none", 2), ("a", "y", 3)]
    out, stored, refused = run(
        lambda table: table.group_by(lambda v: F.nullif(v, F.lit("none"))).count(store=every()), records
    )
    assert out == [("x", 1, 1), ("x", 0, 2), ("y", 1, 3)]
    assert stored == {"x": 0, "y": 1}
    assert refused == [("table_group_by-1", "the group's key is null; an aggregate has no place for it")]


def test_a_key_that_fails_is_a_dead_letter_and_the_old_group_is_left():
    records = [("a", 1, 1), ("a", 0, 2), ("a", 3, 3)]
    out, _, refused = run(
        lambda table: table.group_by(lambda v: F.floor(6 / v)).count(store=every()), records, schema=int
    )
    assert out == [(6, 1, 1), (6, 0, 2), (2, 1, 3)]
    assert [node for node, _ in refused] == ["table_group_by-1"]


def test_a_view_that_fails_shows_nothing():
    def counted(table):
        return table.map_values(lambda v: F.floor(6 / v)).group_by(lambda v: v).count(store=every())

    out, _, refused = run(counted, [("a", 1, 1), ("a", 0, 2), ("a", 1, 3)], schema=int)
    assert out == [(6, 1, 1), (6, 0, 2), (6, 1, 3)]
    assert [node for node, _ in refused] == ["table_map_values-1"]


def test_metadata_of_a_record_that_is_gone_is_refused():
    app = hf.App("times")
    group = app.table("in", "x BIGINT", key=str).group_by("x")
    group.agg(last=F.max(hf.timestamp()), store="last")
    with pytest.raises(hf.HoldfastError, match="a row is retracted when its record is not there any more"):
        Driver(app)


def test_a_sum_that_does_not_fit_has_no_value_until_it_does():
    app = hf.App("overflow")
    group = app.table("in", "g STRING, x BIGINT", key=str).group_by("g")
    group.agg(total=F.sum("x"), store=every("totals")).to("out")
    largest = 2**63 - 1
    with Driver(app) as d:
        for key, x in [("a", largest), ("b", 1), ("c", 5), ("b", -6), ("a", None)]:
            d.pipe("in", None if x is None else {"g": "g", "x": x}, key=key)
        totals = [value and value["total"] for _, value in pairs(d, "out")]
        assert totals == [largest, None, None, largest - 1, -1]
        assert [node for node, _ in letters(d)] == ["agg:totals"] * 2


def test_rows_that_cannot_be_folded_are_left_out_until_they_can():
    app = hf.App("partial")
    group = app.table("in", "x BIGINT", key=str).group_by(lambda k, v: F.lit("all"))
    group.reduce(lambda old, new: dict(x=F.cast(12 / (new.x - old.x), "bigint")), store="reduced")
    with Driver(app) as d:
        for key, x in [("a", 3), ("b", 3), ("c", 5)]:
            d.pipe("in", {"x": x}, key=key)
        refused = [(letter.node, letter.record.headers["hf-offset"]) for letter in d.dead_letters()]
        assert refused == [("reduce:reduced", b"1")]
        assert d.store("reduced")["all"] == {"x": 6}
        d.pipe("in", None, key="a")
        assert d.store("reduced")["all"] == {"x": 6}
        d.pipe("in", {"x": 9}, key="c")
        assert d.store("reduced")["all"] == {"x": 2}


@pytest.mark.parametrize("size", [1, 4])
def test_a_row_that_could_not_be_added_is_not_subtracted(size):
    def ratios(group):
        return group.aggregate(100, lambda s, v: s + 6 / v, subtract=lambda s, v: s - 6 / v, store=every())

    def totals(group):
        return group.agg(total=lambda v: F.sum(F.cast(6 / v, "bigint")), store=every())

    records = [("a", 1, 1), ("a", 0, 2), ("a", 3, 3), ("b", 6, 4)]
    out, _, refused = run(lambda t: ratios(t.group_by(lambda k, v: F.lit("all"))), records, size, schema=int)
    assert out == [("all", 106, 1), ("all", 100, 2), ("all", 102, 3), ("all", 103, 4)]
    assert [node for node, _ in refused] == ["aggregate:result"]
    out, _, refused = run(lambda t: totals(t.group_by(lambda k, v: F.lit("all"))), records, size, schema=int)
    assert [value["total"] for _, value, _ in out] == [6, 0, 2, 3]
    assert [node for node, _ in refused] == ["agg:result"]
