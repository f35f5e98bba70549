import holdfast as hf
from holdfast.testing import Driver
from tests.driver.helpers import letters, pairs


def test_to_table_and_to_stream():
    app = hf.App("tables")
    app.stream("in", "x BIGINT", key=str).select_key("x").map_values("x").to_table(store="t").to_stream().to("out")
    with Driver(app) as d:
        for x in (1, 2, 1, None):
            d.pipe("in", {"x": x}, key="k")
        assert pairs(d, "out") == [(1, 1), (2, 2), (1, 1)]
        assert dict(d.store("t").all()) == {1: 1, 2: 2}
        assert letters(d) == [("to_table:t", "the key is null; a table has no place for it")]
