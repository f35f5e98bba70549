import holdfast as hf
from holdfast import functions as F
from holdfast.testing import Driver
from tests.driver.helpers import pairs, through


def test_pairs_of_key_and_value_in_order():
    assert through(
        lambda s: s.flat_map(lambda k, v: [(v.s, v.x), (k, v.x + 1)]),
        ("a", {"x": 1, "s": "q"}),
        ("b", {"x": 5, "s": "r"}),
    ) == [("q", 1), ("a", 2), ("r", 5), ("b", 6)]


def test_changed_keys_meet_in_a_group():
    app = hf.App("words")
    app.stream("lines", str).flat_map(
        lambda line: F.transform(F.split(line, " "), lambda w: F.struct(w, F.lit(1)))
    ).group_by_key().count(store="words").to("out")
    with Driver(app) as d:
        d.pipe("lines", "a b a")
        assert dict(d.store("words").all()) == {"a": 2, "b": 1}
        assert sorted(pairs(d, "out")) == [("a", 2), ("b", 1)]
