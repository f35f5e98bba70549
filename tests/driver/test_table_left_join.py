"""A table joined with another that may have no such key."""

import pytest

import holdfast as hf
from tests.driver.table_joins import both, every, outputs, words
from tests.driver.test_table_join import OLD_AND_NEW


@pytest.mark.parametrize("options", [{}, {"store": every("joined")}], ids=["view", "kept"])
def test_the_left_side_always_tells_and_the_right_if_the_left_is_there(options):
    app = hf.App("tables")
    left, right = words(app, "left", "right")
    left.left_join(right, both, **options).to("out")
    assert outputs(app, OLD_AND_NEW, "out") == [
        [
            (0, "X0+null", 5),
            (1, "X1+null", 6),
            (0, "X0+Y0", 5),
            (1, "X1+Y1", 10),
            (0, "XX0+Y0", 7),
            (1, "XX1+Y1", 10),
            (2, "XX2+null", 7),
            (3, "XX3+null", 7),
            (0, "XX0+YY0", 7),
            (1, "XX1+YY1", 7),
            (2, "XX2+YY2", 10),
            (3, "XX3+YY3", 15),
            (0, "XXX0+YY0", 6),
            (1, "XXX1+YY1", 6),
            (2, "XXX2+YY2", 10),
            (3, "XXX3+YY3", 15),
            (0, "XXX0+null", 6),
            (1, "XXX1+null", 7),
            (0, "XXXX0+null", 13),
            (1, "XXXX1+null", 13),
            (2, "XXXX2+YY2", 13),
            (3, "XXXX3+YY3", 15),
            (0, None, 0),
            (1, None, 42),
            (2, None, 10),
            (3, None, 20),
        ]
    ]


def test_deleting_what_was_on_neither_side_is_not_told():
    app = hf.App("tables")
    left, right = words(app, "left", "right")
    left.left_join(right, both).to("out")
    steps = [("left", 1, None, 1), ("right", 1, None, 2), ("right", 1, "y", 3), ("left", 1, None, 4)]
    assert outputs(app, steps, "out") == [[(1, None, 4)]]


def test_many_tables_in_a_row():
    """As one builds a wide record out of what several topics know of a thing."""
    app = hf.App("tables")
    first, *others, last = words(app, *"abcdefg")
    wide = first
    for other in others:
        wide = wide.left_join(other, both)
    wide.left_join(last.left_join(others[0].map_values(lambda v: v), both), both, store=every("wide")).to("out")
    steps = [(topic, 1, topic, at) for at, topic in enumerate("gfedcba")]
    assert outputs(app, steps, "out")[0][-1] == (1, "a+b+c+d+e+f+g+b", 6)
