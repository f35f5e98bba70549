"""The entries of either of two tables."""

import pytest

import holdfast as hf
from holdfast.testing import Driver
from tests.driver.table_joins import SIZES, both, every, outputs, stored, words
from tests.driver.test_table_join import OLD_AND_NEW


@pytest.mark.parametrize("options", [{}, {"store": every("joined")}], ids=["view", "kept"])
def test_both_sides_tell(options):
    app = hf.App("tables")
    left, right = words(app, "left", "right")
    left.outer_join(right, both, **options).to("out")
    assert outputs(app, OLD_AND_NEW, "out")[0][16:] == [
        (0, "XXX0+null", 6),
        (1, "XXX1+null", 7),
        (0, "XXXX0+null", 13),
        (1, "XXXX1+null", 13),
        (2, "XXXX2+YY2", 13),
        (3, "XXXX3+YY3", 15),
        (0, None, 0),
        (1, None, 42),
        (2, "null+YY2", 10),
        (3, "null+YY3", 20),
    ]


def test_the_right_side_alone_comes_and_goes():
    app = hf.App("tables")
    left, right = words(app, "left", "right")
    left.outer_join(right, both).to("out")
    steps = [("right", 1, "y", 4), ("left", 1, None, 3), ("right", 1, None, 9), ("right", 1, None, 10)]
    assert outputs(app, steps, "out") == [[(1, "null+y", 4), (1, "null+y", 4), (1, None, 9)]]


@pytest.mark.parametrize("size", SIZES)
def test_records_of_both_without_a_joiner(size):
    app = hf.App("tables")
    ordered = app.table("ordered", "pieces BIGINT NOT NULL", key=str)
    returned = app.table("returned", "sent_back BIGINT NOT NULL", key=str)
    ordered.outer_join(returned, store="moves")
    steps = [
        ("ordered", "a", {"pieces": 3}, 1),
        ("returned", "b", {"sent_back": 1}, 2),
        ("returned", "a", {"sent_back": 2}, 3),
        ("ordered", "b", {"pieces": 1}, 4),
        ("ordered", "b", None, 5),
    ]
    expected = {"a": {"pieces": 3, "sent_back": 2}, "b": {"pieces": None, "sent_back": 1}}
    assert stored(app, steps, "moves", size=size) == [expected]


def test_a_table_joined_with_a_part_of_itself_loses_its_last_entry():
    app = hf.App("tables")
    [table] = words(app, "in")
    table.filter(lambda v: v != "x").outer_join(table, both).to("out")
    with Driver(app) as d:
        for at, value in enumerate(["x", "y", "x", None]):
            d.pipe("in", value, key=1, timestamp=at)
        last = [(r.value) for r in d.read("out")]
        assert last[-1] is None
        assert last[:2] == ["null+x", "y+y"]
