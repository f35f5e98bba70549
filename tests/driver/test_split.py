import holdfast as hf
from holdfast.testing import Driver
from tests.driver.helpers import in_one_batch, pairs


def test_the_first_match_wins_and_null_goes_to_the_default():
    app = hf.App("split")
    ways = app.stream("in", int, key=str).split(small=lambda v: v < 10, even=lambda v: v % 2 == 0)
    ways.small.to("small")
    ways.even.to("even")
    ways.rest.to("rest")
    with Driver(app) as d:
        in_one_batch(d, "in", ("a", 2), ("b", 12), ("c", 13), ("d", None), ("e", 3))
        assert pairs(d, "small") == [("a", 2), ("e", 3)]
        assert pairs(d, "even") == [("b", 12)]
        assert pairs(d, "rest") == [("c", 13), ("d", None)]


def test_a_branch_that_nobody_uses_is_dropped_and_one_may_be_used_twice():
    app = hf.App("split")
    ways = app.stream("in", int, key=str).split(default="others", small=lambda v: v < 10)
    ways.others.to("big")
    ways.others.group_by_key().count(store="n")
    with Driver(app) as d:
        in_one_batch(d, "in", ("a", 2), ("b", 12), ("b", 13))
        assert pairs(d, "big") == [("b", 12), ("b", 13)]
        assert dict(d.store("n").all()) == {"b": 2}
