import holdfast as hf
from holdfast import functions as F
from holdfast.testing import Driver
from tests.driver.helpers import in_one_batch, pairs


def test_aggregate_begins_anew_after_null():
    app = hf.App("folds")
    app.stream("in", int, key=str).group_by_key().aggregate(
        100, lambda state, v: F.when(v != 0, state + v), store="fold"
    ).to("out")
    with Driver(app) as d:
        for value in (1, 2, 0, 5):
            d.pipe("in", value, key="a")
        assert pairs(d, "out") == [("a", 101), ("a", 103), ("a", None), ("a", 105)]
        assert d.store("fold")["a"] == 105


def test_aggregate_with_a_record_as_state_and_the_key():
    app = hf.App("folds")
    app.stream("in", float, key=str).group_by_key().aggregate(
        dict(n=0, sum=0.0, who=""), lambda k, s, v: dict(n=s.n + 1, sum=s.sum + v, who=k), store="fold"
    )
    with Driver(app) as d:
        in_one_batch(d, "in", ("a", 1.5), ("a", 2.0))
        d.pipe("in", 1.0, key="a")
        assert d.store("fold")["a"] == {"n": 3, "sum": 4.5, "who": "a"}
