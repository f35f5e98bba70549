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


def test_many_record_keys_are_asked_for_as_dicts():
    app = hf.App("pairs", tasks=1)
    orders = app.stream("orders", "customer BIGINT, item STRING", key=str)
    orders.group_by("customer", "item").count(store="pieces")
    with Driver(app) as d:
        for customer, item in ((1, "pen"), (1, "pen"), (2, "cup")):
            d.pipe("orders", {"customer": customer, "item": item}, key="k")
        pieces = d.store("pieces")
        asked = [{"customer": 1, "item": "pen"}, {"item": "cup", "customer": 2}, {"customer": 3, "item": "cup"}]
        assert pieces.get_many(asked) == dict(pieces.all())
        assert pieces.get_many([(1, "pen")]) == {(1, "pen"): 2}
