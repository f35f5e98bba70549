"""A stream joined with itself: each pair of its records, in both orders, and each record with itself."""

import holdfast as hf
from holdfast.testing import Driver
from tests.driver.helpers import letters, pairs
from tests.driver.joins import both, feeding


def self_joined(how="join", **options):
    app = hf.App("self", tasks=1)
    stream = app.stream("in", str, key=str)
    getattr(stream, how)(stream, both, **options).to("out")
    return app


def test_pairs_in_both_orders_and_each_with_itself():
    with feeding(self_joined(within="100 ms")) as feed:
        assert feed(("in", "A", "1", 1)) == [("A", "1+1", 1)]
        assert feed(("in", "B", "1", 2)) == [("B", "1+1", 2)]
        assert feed(("in", "A", "2", 3)) == [("A", "2+1", 3), ("A", "1+2", 3), ("A", "2+2", 3)]


def test_records_out_of_order_keep_the_order_of_time():
    with feeding(self_joined(within="10 ms")) as feed:
        feed(("in", "A", "1", 0), ("in", "A", "3", 8))
        assert feed(("in", "A", "2", 4)) == [
            ("A", "2+1", 4),
            ("A", "2+3", 8),
            ("A", "1+2", 4),
            ("A", "2+2", 4),
            ("A", "3+2", 8),
        ]


def test_different_bounds():
    with feeding(self_joined(within=hf.JoinWindow(before="0 ms", after="10 ms"))) as feed:
        feed(("in", "A", "1", 0))
        assert feed(("in", "A", "2", 5)) == [("A", "1+2", 5), ("A", "2+2", 5)]


def test_what_is_left_of_a_join_with_itself_is_never_alone():
    with feeding(self_joined("outer_join", within="10 ms")) as feed:
        assert feed(("in", "A", "1", 0), ("in", "B", "2", 100)) == [("A", "1+1", 0), ("B", "2+2", 100)]


def test_a_record_without_key_is_one_dead_letter():
    with Driver(self_joined(within="10 ms")) as d:
        d.pipe("in", "x")
        d.pipe("in", None, key="a")
        assert pairs(d, "out") == []
        assert letters(d) == [("stream_join-1", "the key is null; no record can match it")]
        assert d._kernel.skipped() == 1
