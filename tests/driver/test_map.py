from dataclasses import dataclass

import holdfast as hf
from holdfast import functions as F
from holdfast.testing import Driver
from tests.driver.helpers import pairs, through


@dataclass
class Out:
    name: str
    twice: int


def test_map_gives_key_and_value():
    assert through(lambda s: s.map(lambda k, v: (v.s, v.x * 2)), ("a", {"x": 4, "s": "q"})) == [("q", 8)]


def test_map_may_give_nulls():
    assert through(
        lambda s: s.map(lambda k, v: (F.nullif(k, F.lit("a")), F.when(v.x > 1, v))), ("a", {"x": 1}), ("b", {"x": 2})
    ) == [(None, None), ("b", {"x": 2, "s": None})]


def test_the_timestamp_and_the_headers_stay():
    app = hf.App("through")
    app.stream("in", int, key=str).map(lambda k, v: (v, k)).to("out")
    with Driver(app) as d:
        d.pipe("in", 1, key="a", timestamp="2026-01-01T00:00:00Z", headers={"h": b"1"})
        (out,) = d.read("out")
        assert (out.key, out.value, out.timestamp.isoformat(), out.headers) == (
            1,
            "a",
            "2026-01-01T00:00:00+00:00",
            {"h": b"1"},
        )
        assert pairs(d, "out") == []
