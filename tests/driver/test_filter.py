from holdfast import functions as F
from tests.driver.helpers import through

RECORDS = [("a", {"x": 1}), ("b", {"x": 5}), ("c", {"x": None}), ("d", None), (None, {"x": 9})]


def test_keeps_what_is_true_and_drops_null():
    assert through(lambda s: s.filter(lambda v: v.x > 2), *RECORDS) == [
        ("b", {"x": 5, "s": None}),
        (None, {"x": 9, "s": None}),
    ]


def test_a_null_value_reaches_the_predicate():
    assert through(lambda s: s.filter(lambda v: F.isnull(v)), *RECORDS) == [("d", None)]


def test_the_key_may_decide():
    found = through(lambda s: s.filter(lambda k, v: (k == "a") | (k == "d")), *RECORDS)
    assert [key for key, _ in found] == ["a", "d"]


def test_a_field_name_is_a_predicate():
    assert through(lambda s: s.filter("ok"), ("a", {"ok": True}), ("b", {"ok": False}), schema="ok BOOLEAN") == [
        ("a", {"ok": True})
    ]
