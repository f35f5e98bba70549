"""A stream that waits for a versioned table: what Kafka Streams' tests expect, said in our words."""

import holdfast as hf
from holdfast.testing import Driver
from tests.driver.helpers import letters, timed
from tests.driver.joins import both, feeding

KEYS = range(4)


def waiting(how="join", grace="2 ms", stored="5 minutes", joiner=both):
    app = hf.App("waiting", tasks=1)
    table = app.table("table", str, key=str, store=hf.Materialized("table", versioned=stored))
    getattr(app.stream("in", str, key=str), how)(table, joiner, grace=grace).to("out")
    return app


def test_records_wait_until_the_stream_has_come_further_by_the_grace():
    with feeding(waiting()) as feed:
        feed.each("table", "Y", KEYS, 0, step=1)
        assert feed.each("in", "X", KEYS, 0, step=1) == [("0", "X0+Y0", 0), ("1", "X1+Y1", 1)]
        assert feed.each("table", "YY", KEYS, 0, step=1) == []
        assert feed.each("in", "X", KEYS, 0, step=1) == [("0", "X0+YY0", 0), ("1", "X1+YY1", 1)]
        assert feed(("in", "5", "test", 7)) == [("2", "X2+YY2", 2)] * 2 + [("3", "X3+YY3", 3)] * 2


def test_what_comes_later_than_the_grace_is_joined_at_once():
    with feeding(waiting()) as feed:
        feed.each("table", "Y", KEYS, 0, step=1)
        feed.each("in", "X", KEYS, 0, step=1)
        assert feed(("in", "0", "late", 0)) == [("0", "late+Y0", 0)]


def test_the_table_may_learn_in_the_meantime():
    with feeding(waiting(grace="10 ms")) as feed:
        feed(("table", "k", "old", 0), ("in", "k", "x", 5))
        assert feed(("table", "k", "too late for x", 6), ("table", "k", "new", 3)) == []
        assert feed(("in", "other", "now", 15)) == [("k", "x+new", 5)]


def test_deletes_of_the_table():
    with feeding(waiting("left_join", grace="10 ms")) as feed:
        feed(("table", "k", "old", 0), ("in", "k", "x", 5), ("table", "k", None, 4), ("in", "k", "y", 3))
        assert feed(("in", "other", "now", 20)) == [("k", "y+old", 3), ("k", "x+null", 5)]


def test_an_inner_join_drops_what_has_no_match_when_its_time_comes():
    with feeding(waiting(grace="10 ms")) as feed:
        assert feed(("in", "k", "x", 5), ("table", "k", "after", 6), ("in", "k", "y", 6), ("in", "o", "now", 20)) == [
            ("k", "y+after", 6)
        ]


def test_of_one_time_the_first_to_come_is_the_first_to_go():
    with feeding(waiting("left_join", grace="10 ms")) as feed:
        feed(*(("in", "k", str(n), 5 - n // 4) for n in range(8)))
        assert [value[0] for _, value, _ in feed(("in", "k", "now", 16))] == list("45670123")


def test_without_key_or_value():
    with Driver(waiting("left_join")) as d:
        d.pipe("in", "x", timestamp=5)
        d.pipe("in", None, key="k", timestamp=9)
        assert timed(d, "out") == [(None, "x+null", 5)]
        assert d._kernel.skipped() == 1
    with Driver(waiting("join")) as d:
        d.pipe("in", "x")
        assert letters(d) == [("join-1", "the key is null; an inner join needs one")]


def test_who_waits_keeps_headers_and_metadata_over_a_crash():
    app = waiting(joiner=lambda v, t: dict(v=v, t=t, topic=hf.topic(), at=hf.timestamp(), offset=hf.offset()))
    with Driver(app) as d:
        d.pipe("table", "Y", key="k", timestamp=0)
        d.pipe("in", "x", key="k", timestamp=1000, headers={"trace": b"7"})
        d.crash()
        d.pipe("in", "now", key="o", timestamp=5000, headers={"trace": b"8"})
        (result,) = d.read("out")
        assert result.headers == {"trace": b"7"}
        assert (result.value["topic"], result.value["offset"], result.value["at"].second) == ("in", 0, 1)


def test_a_joiner_that_fails_blames_the_record_that_waited():
    app = hf.App("fails", tasks=1)
    table = app.table("table", int, key=str, store=hf.Materialized("table", versioned="1 hour"))
    app.stream("in", int, key=str).join(table, lambda v, t: v / t, grace="2 ms").to("out")
    with Driver(app) as d:
        d.pipe("table", 0, key="k", timestamp=0)
        d.pipe("in", 5, key="k", timestamp=1)
        d.pipe("in", 6, key="other", timestamp=9)
        (letter,) = d.dead_letters()
        assert letter.record.headers["hf-offset"] == b"0"


def test_silence_lets_them_go():
    app = hf.App("silent", tasks=1)
    table = app.table("table", str, key=str, store=hf.Materialized("table", versioned="1 hour"))
    app.stream("in", str, key=str, close_on_idle="1 minute").left_join(table, both, grace="10 seconds").to("out")
    with Driver(app) as d:
        d.pipe("in", "x", key="k", timestamp=5_000)
        assert timed(d, "out") == []
        d.advance(minutes=2)
        assert timed(d, "out") == [("k", "x+null", 5_000)]
