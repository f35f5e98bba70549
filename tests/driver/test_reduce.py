import holdfast as hf
from holdfast import functions as F
from holdfast.testing import Driver
from tests.driver.helpers import pairs


def test_reduce_takes_the_first_as_it_is_and_null_deletes():
    app = hf.App("sums")
    reduced = app.stream("in", int, key=str).group_by_key().reduce(lambda a, b: F.when(b != 0, a + b), store="sum")
    reduced.to("out")
    with Driver(app) as d:
        for value in (1, 2, 0, 5, None, 6):
            d.pipe("in", value, key="a")
        assert pairs(d, "out") == [("a", 1), ("a", 3), ("a", None), ("a", 5), ("a", 11)]
        d.pipe("in", 0, key="a")
        assert dict(d.store("sum").all()) == {}
