from tests.driver.helpers import through

RECORDS = [("a", {"x": 1}), ("b", {"x": 5}), ("c", {"x": None}), ("d", None), (None, {"x": 9})]


def test_filter_not_keeps_exactly_what_filter_drops():
    assert [k for k, _ in through(lambda s: s.filter_not(lambda v: v.x > 2), *RECORDS)] == ["a", "c", "d"]
