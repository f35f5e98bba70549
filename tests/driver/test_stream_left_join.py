"""Left joins of two streams: what Kafka Streams' tests expect, said in our words."""

import holdfast as hf
from holdfast.testing import Driver
from tests.driver.helpers import letters, pairs, timed
from tests.driver.joins import both, feeding, joined

KEYS = range(4)


def left_joined(**options):
    return joined("left_join", **options)


def test_a_pair_comes_at_once_and_what_is_alone_when_its_window_has_closed():
    with feeding(left_joined(within="100 ms")) as feed:
        assert feed(("l", "0", "A0", 1), ("l", "1", "A1", 2), ("l", "0", "A0-0", 3)) == []
        assert feed(("r", "1", "a1", 3)) == [("1", "A1+a1", 3)]
        assert feed(("l", "2", "now", 401)) == [("0", "A0+null", 1), ("0", "A0-0+null", 3)]
        assert feed(("r", "2", "now", 401)) == [("2", "now+now", 401)]


def test_a_record_of_either_side_closes_windows():
    with feeding(left_joined(within="100 ms")) as feed:
        feed(("l", "0", "A0", 1))
        assert feed(("r", "2", "now", 101)) == []
        assert feed(("r", "2", "now", 102)) == [("0", "A0+null", 1)]


def test_what_is_alone_on_the_right_is_never_seen():
    with feeding(left_joined(within="100 ms")) as feed:
        feed(("r", "0", "a0", 1), ("r", "1", "a1", 2))
        assert feed(("l", "1", "A1", 3)) == [("1", "A1+a1", 3)]
        assert feed(("l", "2", "now", 401), ("r", "2", "now", 402)) == [("2", "now+now", 402)]


def test_records_of_one_key_and_time():
    within = hf.JoinWindow(before="100 ms", after="100 ms", grace="10 ms")
    with feeding(left_joined(within=within)) as feed:
        feed(("l", "0", "A0", 0), ("l", "0", "A0-0", 0))
        assert feed(("r", "1", "a", 111)) == [("0", "A0+null", 0), ("0", "A0-0+null", 0)]
        feed(("l", "2", "A2", 1000), ("l", "2", "A2-0", 1000))
        assert feed(("r", "2", "a2", 1001)) == [("2", "A2+a2", 1001), ("2", "A2-0+a2", 1001)]
        assert feed(("r", "3", "a3", 3150)) == []


def test_the_closed_come_before_the_pairs_of_the_record_that_closes_them():
    with feeding(left_joined(within="100 ms")) as feed:
        feed(("l", "0", "A0", 0), ("l", "1", "A1", 100))
        assert feed(("r", "1", "a1", 110)) == [("0", "A0+null", 0), ("1", "A1+a1", 110)]


def test_grace_keeps_a_window_open():
    with feeding(left_joined(within="100 ms", grace="10 ms")) as feed:
        feed.each("l", "A", [0, 1], 0)
        assert feed.each("r", "a", KEYS, 101) == []
        assert feed(("r", "9", "x", 110)) == []
        assert feed(("r", "0", "late", 50)) == [("0", "A0+late", 50)]
        assert feed(("r", "9", "x", 111)) == [("1", "A1+null", 0)]


def test_out_of_order_records_without_partner_go_on_at_once():
    with feeding(left_joined(within="100 ms")) as feed:
        feed.each("r", "b", KEYS, 1000, step=1)
        feed(("l", "0", "now", 1405))
        assert feed.each("l", "G", KEYS, 899) == [(str(k), f"G{k}+null", 899) for k in KEYS]
        assert feed.each("l", "H", [0, 1], 900) == [("0", "H0+b0", 1000), ("1", "H1+null", 900)]


def test_windows_with_one_bound_only():
    with feeding(left_joined(within=hf.JoinWindow(before="0 ms", after="100 ms"))) as feed:
        feed(("l", "0", "A0", 0), ("l", "1", "A1", 1))
        assert feed(("r", "0", "a0", 100)) == [("0", "A0+a0", 100)]
        assert feed(("r", "1", "a1", 102)) == [("1", "A1+null", 1)]


def test_a_late_partner_comes_after_the_record_went_on_alone():
    """As in Kafka Streams: what is kept can be met, even when its window has closed."""
    with feeding(left_joined(within="10 ms")) as feed:
        feed(("l", "k", "A", 0))
        assert feed(("r", "x", "now", 11)) == [("k", "A+null", 0)]
        assert feed(("r", "k", "late", 5)) == [("k", "A+late", 5)]


def test_without_key_the_left_side_goes_on_alone_and_the_right_is_a_dead_letter():
    with Driver(left_joined(within="1 second")) as d:
        d.pipe("l", "x", timestamp=5)
        d.pipe("r", "y", timestamp=5)
        assert timed(d, "out") == [(None, "x+null", 5)]
        assert letters(d) == [("stream_join-1", "the key is null; no record can match it")]


def test_a_null_value_moves_time_but_closes_nothing():
    with feeding(left_joined(within="10 ms")) as feed:
        feed(("l", "k", "A", 0))
        assert feed(("r", "k", None, 100)) == []
        assert feed(("r", "x", "behind", 50)) == []
        assert feed(("r", "x", "now", 100)) == [("k", "A+null", 0)]


def test_who_waits_survives_a_crash_and_blames_its_own_record():
    app = hf.App("alone", tasks=1)
    left, right = app.stream("l", int, key=str), app.stream("r", int, key=str)
    left.left_join(right, lambda a, b: 10 / a, within="10 ms").to("out")
    with Driver(app) as d:
        d.pipe("l", 0, key="k", timestamp=0, headers={"from": b"left"})
        d.pipe("l", 5, key="k", timestamp=1)
        d.crash()
        d.pipe("r", 1, key="x", timestamp=100)
        assert pairs(d, "out") == [("k", 2.0)]
        (letter,) = d.dead_letters()
        assert (letter.record.value, letter.record.headers["from"]) == (b"0", b"left")
        assert letter.record.headers["hf-topic"] == b"l"


def test_silence_closes_windows_too():
    app = hf.App("silent", tasks=1)
    left = app.stream("l", str, key=str, close_on_idle="1 minute")
    right = app.stream("r", str, key=str, close_on_idle="1 minute")
    left.left_join(right, both, within="10 seconds").to("out")
    with Driver(app) as d:
        d.pipe("l", "A", key="k", timestamp=5_000)
        d.pipe("r", "x", key="x", timestamp=6_000)
        assert timed(d, "out") == []
        d.advance(minutes=2)
        assert timed(d, "out") == [("k", "A+null", 5_000)]
