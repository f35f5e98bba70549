"""Pairs of two streams: what Kafka Streams' tests of its stream-stream join expect, said in our words."""

import pytest

import holdfast as hf
from holdfast.testing import Driver
from tests.driver.helpers import letters, pairs, timed
from tests.driver.joins import both, feeding, in_batches, joined, joined_sides

KEYS = range(4)


def test_every_pair_of_a_key_within_the_time():
    with feeding(joined(within="100 ms")) as feed:
        assert feed.each("l", "A", [0, 1], 0) == []
        assert feed.each("r", "a", [0, 1], 0) == [("0", "A0+a0", 0), ("1", "A1+a1", 0)]
        assert feed.each("l", "B", KEYS, 0) == [("0", "B0+a0", 0), ("1", "B1+a1", 0)]
        assert feed.each("r", "b", KEYS, 0) == [
            ("0", "A0+b0", 0),
            ("0", "B0+b0", 0),
            ("1", "A1+b1", 0),
            ("1", "B1+b1", 0),
            ("2", "B2+b2", 0),
            ("3", "B3+b3", 0),
        ]
        assert feed.each("l", "C", [0], 0) == [("0", "C0+a0", 0), ("0", "C0+b0", 0)]


def test_the_bounds_are_included_and_the_later_time_is_the_result_s():
    with feeding(joined(within="100 ms")) as feed:
        feed.each("r", "b", KEYS, 1000, step=1)
        assert feed.each("l", "B", KEYS, 1100) == [(str(k), f"B{k}+b{k}", 1100) for k in KEYS]
        assert feed.each("l", "C", KEYS, 1101) == [(str(k), f"C{k}+b{k}", 1101) for k in (1, 2, 3)]
        assert feed.each("l", "D", KEYS, 1103) == [("3", "D3+b3", 1103)]
        assert feed.each("l", "E", KEYS, 1104) == []
        assert feed.each("l", "F", KEYS, 899) == []
        assert feed.each("l", "G", KEYS, 900) == [("0", "G0+b0", 1000)]
        assert feed.each("l", "H", KEYS, 903) == [(str(k), f"H{k}+b{k}", 1000 + k) for k in KEYS]


def test_only_after():
    with feeding(joined(within=hf.JoinWindow(before="0 ms", after="100 ms"))) as feed:
        feed.each("l", "A", KEYS, 1000, step=1)
        assert feed.each("r", "a", KEYS, 999) == []
        assert feed.each("r", "b", KEYS, 1000) == [("0", "A0+b0", 1000)]
        assert feed.each("r", "c", KEYS, 1003) == [(str(k), f"A{k}+c{k}", 1003) for k in KEYS]
        assert feed.each("r", "d", KEYS, 1100) == [(str(k), f"A{k}+d{k}", 1100) for k in KEYS]
        assert feed.each("r", "e", KEYS, 1102) == [(str(k), f"A{k}+e{k}", 1102) for k in (2, 3)]
        assert feed.each("r", "f", KEYS, 1104) == []


def test_only_before():
    with feeding(joined(within=hf.JoinWindow(before="100 ms", after="0 ms"))) as feed:
        feed.each("l", "A", KEYS, 1000, step=1)
        assert feed.each("r", "a", KEYS, 899) == []
        assert feed.each("r", "b", KEYS, 900) == [("0", "A0+b0", 1000)]
        assert feed.each("r", "c", KEYS, 1000) == [(str(k), f"A{k}+c{k}", 1000 + k) for k in KEYS]
        assert feed.each("r", "d", KEYS, 1002) == [("2", "A2+d2", 1002), ("3", "A3+d3", 1003)]
        assert feed.each("r", "e", KEYS, 1004) == []


def test_partners_come_in_the_order_of_their_time_then_as_they_came():
    with feeding(joined(within="10 ms")) as feed:
        feed(("l", "k", "third", 8), ("l", "k", "first", 3), ("l", "k", "fourth", 8), ("l", "k", "second", 5))
        assert [value for _, value, _ in feed(("r", "k", "x", 9))] == ["first+x", "second+x", "third+x", "fourth+x"]


def test_records_of_equal_time_meet_within_nothing():
    with feeding(joined(within="0 ms")) as feed:
        assert feed(("l", "k", "A", 5), ("r", "k", "a", 6), ("r", "k", "b", 5)) == [("k", "A+b", 5)]


def test_what_is_too_old_for_its_own_side_is_not_met_any_more():
    within = hf.JoinWindow(before="10 ms", after="10 ms", grace="5 ms")
    with feeding(joined(within=within)) as feed:
        feed(("l", "k", "A", 100), ("l", "x", "now", 124))
        assert feed(("r", "k", "a", 101)) == [("k", "A+a", 101)]
        feed(("l", "x", "now", 125))
        assert feed(("r", "k", "b", 101)) == []


def test_late_records_are_counted_and_written_to_their_topic():
    with Driver(joined(within="10 ms", late="too-late")) as d:
        for record in [("l", "k", "A", 100), ("l", "k", "late", 80), ("l", "k", "kept", 81)]:
            d.pipe(record[0], record[2], key=record[1], timestamp=record[3])
        assert pairs(d, "out") == []
        ((key, value, time),) = timed(d, "too-late")
        assert (key, value, time) == ("k", "late", 80)


def test_a_late_record_still_meets_what_is_there():
    with Driver(joined(within="10 ms", late="too-late")) as d:
        d.pipe("r", "a", key="k", timestamp=80)
        d.pipe("l", "now", key="k", timestamp=200)
        d.pipe("l", "late", key="k", timestamp=85)
        assert pairs(d, "out") == [("k", "late+a")]
        assert pairs(d, "too-late") == []


def test_without_key_or_value():
    with Driver(joined(within="1 second")) as d:
        d.pipe("l", "x")
        d.pipe("r", "y")
        d.pipe("l", None, key="a")
        d.pipe("r", "b", key="a")
        assert pairs(d, "out") == []
        assert letters(d) == [("stream_join-1", "the key is null; no record can match it")] * 2
        assert d._kernel.skipped() == 1


def test_fields_of_both_sides():
    app = hf.App("both", tasks=1)
    orders, payments = app.stream("orders", "item STRING", key=int), app.stream("payments", "paid DOUBLE", key=int)
    orders.join(payments, within="1 hour").to("out")
    with Driver(app) as d:
        d.pipe("orders", {"item": "book"}, key=1)
        d.pipe("payments", {"paid": 9.5}, key=1)
        assert pairs(d, "out") == [(1, {"item": "book", "paid": 9.5})]


def test_the_key_in_the_joiner_and_the_results_go_on():
    app = joined(joiner=lambda k, left, right: dict(k=k, both=both(left, right)), within="1 second")
    with Driver(app) as d:
        d.pipe("l", "A", key="k")
        d.pipe("r", "a", key="k")
        assert pairs(d, "out") == [("k", {"k": "k", "both": "A+a"})]


def test_a_joiner_that_fails_makes_a_dead_letter_of_the_record_and_the_other_pairs_go_on():
    app = hf.App("fails", tasks=1)
    left, right = app.stream("l", int, key=str), app.stream("r", int, key=str)
    left.join(right, lambda a, b: a / b, within="1 second").to("out")
    with Driver(app) as d:
        for value in (2, 0, 4):
            d.pipe("r", value, key="k")
        d.pipe("l", 8, key="k")
        assert [value for _, value in pairs(d, "out")] == [4.0, 2.0]
        ((node, reason),) = letters(d)
        assert node == "stream_join-1"
        assert "zero" in reason


def test_both_sides_may_be_rekeyed():
    app = hf.App("rekeyed")
    orders = app.stream("orders", "id BIGINT, customer BIGINT").select_key("customer")
    calls = app.stream("calls", "who BIGINT, text STRING").select_key("who")
    orders.join(calls, lambda o, c: dict(id=o.id, text=c.text), within="1 minute").to("out")
    with Driver(app) as d:
        d.pipe("orders", {"id": 1, "customer": 7})
        d.pipe("calls", {"who": 7, "text": "where is it?"})
        assert pairs(d, "out") == [(7, {"id": 1, "text": "where is it?"})]


def test_a_crash_loses_nothing():
    with feeding(joined(within="100 ms")) as feed:
        feed(("l", "k", "A", 0))
        feed.driver.crash()
        assert feed(("r", "k", "a", 50)) == [("k", "A+a", 50)]


@pytest.mark.parametrize("size", [2, 100, 500])
def test_a_hot_key_in_pieces(size):
    """More records of a key than are kept in one row meet in the same order, whatever the batches."""
    records = [("l" if i % 3 else "r", "hot", f"{i}", 1000 + (i * 7) % 90 + i) for i in range(300)]
    app = joined_sides(within="20 ms")
    assert in_batches(app, records, size) == in_batches(app, records, 1)
