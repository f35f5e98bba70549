import holdfast as hf
from holdfast.testing import Driver
from tests.driver.helpers import letters, pairs


def test_count():
    app = hf.App("counts")
    app.stream("in", str, key=str).group_by_key().count(store="n").to("out")
    with Driver(app) as d:
        for key, value in [("a", "x"), ("b", "x"), ("a", "y"), ("a", None)]:
            d.pipe("in", value, key=key)
        assert pairs(d, "out") == [("a", 1), ("b", 1), ("a", 2)]
        assert dict(d.store("n").all()) == {"a": 2, "b": 1}
        assert letters(d) == []
