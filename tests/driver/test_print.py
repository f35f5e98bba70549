import holdfast as hf
from holdfast.testing import Driver
from tests.driver.helpers import pairs


def test_shows_and_passes_on():
    app = hf.App("shown")
    app.stream("in", "x BIGINT", key=str).print("seen").to("out")
    with Driver(app) as d:
        d.pipe("in", {"x": 1}, key="a")
        d.pipe("in", None, key=None)
        assert pairs(d, "out") == [("a", {"x": 1}), (None, None)]
