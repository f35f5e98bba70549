import holdfast as hf
from holdfast.testing import Driver
from tests.driver.helpers import in_one_batch, letters


def test_group_by_one_and_several():
    app = hf.App("groups")
    s = app.stream("in", "x BIGINT, s STRING")
    s.group_by("s").count(store="one")
    s.group_by(lambda v: v.s, "x").count(store="two")
    with Driver(app) as d:
        for x, text in [(1, "a"), (2, "a"), (1, "a")]:
            d.pipe("in", {"x": x, "s": text})
        assert dict(d.store("one").all()) == {"a": 3}
        assert d.store("two")[{"s": "a", "x": 1}] == 2
        assert [*dict(d.store("two").all())] == [{"s": "a", "x": 1}, {"s": "a", "x": 2}]


def test_a_null_key_of_a_group_is_a_dead_letter():
    app = hf.App("groups")
    app.stream("in", "s STRING", key=str).group_by("s").count(store="n")
    with Driver(app) as d:
        in_one_batch(d, "in", ("k", {"s": "a"}), ("k", {"s": None}), ("k", {"s": "a"}))
        assert dict(d.store("n").all()) == {"a": 2}
        assert letters(d) == [("count:n", "the key is null; a table has no place for it")]
