"""Outer joins of two streams: what Kafka Streams' tests expect, said in our words."""

import holdfast as hf
from holdfast.testing import Driver
from tests.driver.helpers import letters, pairs
from tests.driver.joins import feeding, joined


def outer_joined(**options):
    return joined("outer_join", **options)


def test_records_of_one_key_and_time():
    with feeding(outer_joined(within="100 ms", grace="10 ms")) as feed:
        feed(
            ("l", "0", "A0", 0), ("l", "0", "A0-0", 0), ("r", "1", "11", 0), ("r", "1", "12", 0), ("r", "1", "10", 110)
        )
        assert feed(("r", "3", "100", 211)) == [
            ("1", "null+11", 0),
            ("1", "null+12", 0),
            ("0", "A0+null", 0),
            ("0", "A0-0+null", 0),
        ]
        feed(("l", "2", "A2", 200), ("l", "2", "A2-0", 200))
        assert feed(("r", "2", "13", 201), ("r", "2", "14", 201)) == [
            ("2", "A2+13", 201),
            ("2", "A2-0+13", 201),
            ("2", "A2+14", 201),
            ("2", "A2-0+14", 201),
        ]
        assert feed(("r", "3", "100", 1500)) == [("1", "null+10", 110), ("3", "null+100", 211)]


def test_a_record_of_either_side_closes_the_windows_of_both():
    for closing in ("l", "r"):
        with feeding(outer_joined(within="100 ms")) as feed:
            feed(("l", "0", "A", 1), ("r", "1", "b", 2), ("r", "2", "c", 3))
            assert feed(("l", "2", "C", 3)) == [("2", "C+c", 3)]
            assert feed((closing, "9", "now", 401)) == [("0", "A+null", 1), ("1", "null+b", 2)]


def test_the_closed_come_before_the_pairs_of_the_record_that_closes_them():
    with feeding(outer_joined(within="100 ms")) as feed:
        feed(("l", "0", "A0", 0), ("l", "1", "A1", 100))
        assert feed(("r", "1", "11", 110)) == [("0", "A0+null", 0), ("1", "A1+11", 110)]


def test_grace_keeps_windows_open():
    with feeding(outer_joined(within="100 ms", grace="10 ms")) as feed:
        feed(("l", "0", "A0", 0), ("r", "1", "11", 0))
        assert feed(("l", "1", "A1", 101), ("r", "0", "10", 101)) == []
        assert feed(("r", "0", "100", 112)) == [("1", "null+11", 0), ("0", "A0+null", 0)]


def test_each_side_has_a_window_of_its_own():
    with feeding(outer_joined(within=hf.JoinWindow(before="5 ms", after="20 ms"))) as feed:
        assert feed(("l", "0", "A0", 29), ("l", "1", "A1", 30), ("r", "2", "12", 31), ("r", "3", "13", 36)) == []
        assert feed(("r", "4", "14", 37)) == [("2", "null+12", 31)]
        assert feed(("r", "5", "15", 50)) == [("0", "A0+null", 29), ("3", "null+13", 36), ("4", "null+14", 37)]


def test_windows_with_one_bound_only():
    with feeding(outer_joined(within=hf.JoinWindow(before="0 ms", after="100 ms"))) as feed:
        feed(("l", "0", "A0", 0), ("l", "1", "A1", 1))
        assert feed(("r", "0", "10", 100)) == [("0", "A0+10", 100)]
        assert feed(("r", "1", "11", 102)) == [("1", "A1+null", 1)]
        assert feed(("r", "2", "12", 103)) == [("1", "null+11", 102)]
        assert feed(("l", "2", "A2", 103)) == [("2", "A2+12", 103)]
    with feeding(outer_joined(within=hf.JoinWindow(before="100 ms", after="0 ms"))) as feed:
        assert feed(("l", "0", "A0", 0), ("l", "1", "A1", 1)) == [("0", "A0+null", 0)]
        assert feed(("r", "1", "11", 1)) == [("1", "A1+11", 1)]
        assert feed(("r", "2", "12", 101), ("r", "3", "13", 101)) == []
        assert feed(("l", "2", "A2", 201)) == [("2", "A2+12", 201)]


def test_without_key_both_sides_go_on_alone():
    with Driver(outer_joined(within="1 second")) as d:
        d.pipe("l", "x")
        d.pipe("r", "y")
        assert pairs(d, "out") == [(None, "x+null"), (None, "null+y")]
        assert letters(d) == []


def test_fields_of_a_side_that_is_missing_are_null():
    app = hf.App("both", tasks=1)
    orders, payments = app.stream("orders", "item STRING", key=int), app.stream("payments", "paid DOUBLE", key=int)
    orders.outer_join(payments, within="1 minute").to("out")
    with Driver(app) as d:
        d.pipe("payments", {"paid": 9.5}, key=1, timestamp="2026-01-01T00:00:00Z")
        d.pipe("orders", {"item": "pen"}, key=2, timestamp="2026-01-01T00:01:01Z")
        assert pairs(d, "out") == [(1, {"item": None, "paid": 9.5})]
