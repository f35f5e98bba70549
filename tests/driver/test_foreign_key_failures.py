"""Joins by a foreign key where an expression fails, or cannot be worked out."""

import pytest

import holdfast as hf
from holdfast import functions as F
from holdfast.testing import Driver
from tests.driver.helpers import letters, pairs, timed
from tests.driver.table_joins import every, feed


def test_a_foreign_key_that_fails_is_a_dead_letter_and_the_entry_leaves_the_join():
    app = hf.App("references")
    left = app.table("left", "n BIGINT", key=int, store=every("left"))
    right = app.table("right", str, key=int, store=every("right"))
    left.join(right, lambda x, y: y, on=lambda x: F.cast(12 / x.n, "bigint"), store=every("joined")).to("out")
    with Driver(app) as d:
        feed(d, [("right", 4, "R", 0), ("left", 1, {"n": 3}, 1), ("left", 1, {"n": 0}, 2), ("right", 4, "S", 3)])
        assert timed(d, "out") == [(1, "R", 1), (1, None, 2)]
        feed(d, [("left", 1, {"n": 3}, 4)])
        assert timed(d, "out") == [(1, "S", 4)]
        [(node, reason)] = letters(d)
        assert node == "fk_join:joined.subscribe"
        assert "zero" in reason


def test_a_joiner_that_fails_on_some_of_many_is_one_dead_letter():
    app = hf.App("references")
    left = app.table("left", "n BIGINT, to STRING", key=int, store=every("left"))
    right = app.table("right", int, key=str, store=every("right"))
    left.join(right, lambda x, y: y / x.n, on="to", store=every("joined")).to("out")
    with Driver(app) as d:
        feed(d, [("left", n, {"n": n % 2, "to": "r"}, n) for n in range(4)])
        feed(d, [("right", "r", 6, 9)])
        assert sorted(pairs(d, "out")) == [(1, 6.0), (3, 6.0)]
        assert [node for node, _ in letters(d)] == ["fk_join:joined.lookup"]


def test_metadata_cannot_be_a_foreign_key():
    app = hf.App("references")
    left, right = app.table("left", str, key=int), app.table("right", str, key="TIMESTAMP")
    left.join(right, lambda x, y: x, on=lambda x: hf.timestamp()).to("out")
    with pytest.raises(hf.HoldfastError, match="on= is evaluated again when the entry changes"):
        Driver(app).__enter__()
