import holdfast as hf
from holdfast import functions as F
from holdfast.testing import Driver
from tests.driver.helpers import through


def test_null_and_empty_give_nothing():
    split = lambda s: s.flat_map_values(lambda v: F.split(v, " "))  # noqa: E731
    assert through(split, ("a", None), ("b", "x y"), schema=str) == [("b", "x"), ("b", "y")]
    none = lambda s: s.flat_map_values(lambda v: F.filter(F.split(v, ""), lambda c: c == "z"))  # noqa: E731
    assert through(none, ("a", "abc"), ("b", "z"), schema=str) == [("b", "z")]


def test_null_items_are_null_values():
    assert through(
        lambda s: s.flat_map_values("items"), ("a", {"items": [1, None, 3]}), schema="items ARRAY<BIGINT>"
    ) == [
        ("a", 1),
        ("a", None),
        ("a", 3),
    ]


def test_hundreds_of_records_of_one_keep_their_order():
    app = hf.App("many")
    app.stream("in", int, key=str).flat_map_values(lambda n: F.sequence(F.lit(1), n)).group_by_key().agg(
        all=lambda v: F.collect_list(v), store="all"
    )
    with Driver(app) as d:
        d.pipe("in", 700, key="a")
        assert d.store("all")["a"] == {"all": list(range(1, 701))}
