from dataclasses import dataclass

import holdfast as hf
from holdfast import functions as F
from holdfast.testing import Driver
from tests.driver.helpers import through


@dataclass
class Out:
    name: str
    twice: int


def test_map_values_of_a_scalar():
    assert through(lambda s: s.map_values(lambda v: v + 1), ("a", 1), ("b", -1), schema=int) == [("a", 2), ("b", 0)]


def test_map_values_makes_records():
    assert through(lambda s: s.map_values(lambda k, v: dict(v, key=k)), ("a", {"x": 1, "s": "q"})) == [
        ("a", {"x": 1, "s": "q", "key": "a"})
    ]
    assert through(lambda s: s.map_values(lambda v: Out(name=v.s, twice=v.x * 2)), ("a", {"x": 2, "s": "q"})) == [
        ("a", {"name": "q", "twice": 4})
    ]


def test_a_null_value_reaches_map_values():
    assert through(lambda s: s.map_values(lambda v: F.coalesce(v.x, F.lit(-1))), ("a", None)) == [("a", -1)]


def test_an_integer_constant_in_a_record_is_a_long():
    app = hf.App("ones")
    ones = app.stream("in", str, key=str).map_values(lambda v: dict(n=2_000_000_000, m=F.when(F.isnotnull(v), 1)))
    ones.group_by_key().reduce(lambda a, b: dict(n=a.n + b.n, m=a.m + b.m), store="sums").to("out")
    with Driver(app) as d:
        for _ in range(3):
            d.pipe("in", "x", key="a")
        assert d.store("sums")["a"] == {"n": 6_000_000_000, "m": 3}
        assert d.dead_letters() == []
