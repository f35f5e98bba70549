import holdfast as hf
from holdfast.testing import Driver
from tests.driver.helpers import pairs


def test_shows_and_passes_on(capsys):
    app = hf.App("shown")
    s = app.stream("in", "x BIGINT", key=str).print("seen")
    s.to("out")
    s.group_by_key().count().to_stream().print().to("counts")
    with Driver(app) as d:
        d.pipe("in", {"x": 1}, key="a")
        d.pipe("in", None, key="b")
        assert pairs(d, "out") == [("a", {"x": 1}), ("b", None)]
        assert pairs(d, "counts") == [("a", 1)]
    shown = capsys.readouterr().out.splitlines()
    assert shown == ['[seen]: "a", {"x":1}', '[to_stream-1]: "a", 1', '[seen]: "b", null']
