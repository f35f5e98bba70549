import pytest

import holdfast as hf
from holdfast.errors import KernelError
from holdfast.testing import Driver
from tests.driver.helpers import in_one_batch, letters, pairs


def program(**settings):
    app = hf.App("shop", **settings)
    app.stream("in", "x BIGINT", key=str).require(lambda v: v.x > 0, reason="x must be positive").to("out")
    return app


def test_what_does_not_fit_is_a_dead_letter_and_the_rest_goes_on():
    with Driver(program()) as d:
        in_one_batch(d, "in", ("a", {"x": 1}), ("b", {"x": -1}), ("c", {"x": None}), ("d", {"x": 4}))
        assert pairs(d, "out") == [("a", {"x": 1}), ("d", {"x": 4})]
        found = d.dead_letters()
    assert [(each.node, each.reason, each.record.key) for each in found] == [
        ("require-1", "x must be positive", b"b"),
        ("require-1", "x must be positive", b"c"),
    ]
    assert found[0].record.headers["hf-topic"] == b"in"
    assert found[0].record.headers["hf-offset"] == b"1"
    assert found[0].record.headers["hf-at"].startswith(b"test_require.py:")


def test_fail_stops_and_says_it_once():
    with Driver(program(on_error="fail")) as d:
        with pytest.raises(KernelError) as caught:
            d.pipe("in", {"x": -1}, key="b")
        assert str(caught.value).count("x must be positive") == 1
        assert "offset 0" in str(caught.value)
        assert caught.value.node == "require-1"
        d.pipe("in", {"x": 7}, key="c")
        assert pairs(d, "out") == [("c", {"x": 7})]
        assert letters(d) == []
