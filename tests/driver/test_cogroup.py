"""Several groups folded into one table."""

from datetime import UTC, datetime

import pytest

import holdfast as hf
from holdfast import functions as F
from holdfast.testing import Driver
from tests.driver.helpers import pairs, timed


def texts(emit="every"):
    """Two topics of texts, appended to one state."""
    app = hf.App("texts")
    one = app.stream("one", str, key=str).group_by_key()
    two = app.stream("two", str, key=str).group_by_key()
    table = hf.cogroup(
        (one, lambda s, v: F.concat(s, v)),
        (two, lambda s, v: F.concat(s, F.lit("-"), v)),
    ).aggregate("", store=hf.Materialized("texts", emit=emit))
    table.to("out")
    return app


def test_values_of_both_streams_reach_one_state():
    with Driver(texts()) as d:
        d.pipe("one", "a", key="k", timestamp=0)
        d.pipe("two", "b", key="k", timestamp=5)
        d.pipe("one", "c", key="k", timestamp=1)
        d.pipe("two", "x", key="other", timestamp=2)
        assert timed(d, "out") == [("k", "a", 0), ("k", "a-b", 5), ("k", "a-bc", 5), ("other", "-x", 2)]
        assert dict(d.store("texts").all()) == {"k": "a-bc", "other": "-x"}


def test_one_batch_tells_the_last_state_per_key():
    with Driver(texts("latest")) as d:
        with d.batch():
            d.pipe("one", "a", key="k", timestamp=0)
            d.pipe("two", "b", key="k", timestamp=1)
            d.pipe("one", "c", key="k", timestamp=2)
        assert pairs(d, "out") == [("k", "a-bc")]


def test_records_of_several_topics_in_one_batch_follow_their_times():
    with Driver(texts()) as d:
        with d.batch():
            d.pipe("two", "3", key="k", timestamp=3)
            d.pipe("one", "1", key="k", timestamp=1)
            d.pipe("one", "2", key="k", timestamp=2)
        assert [value for _, value in pairs(d, "out")] == ["1", "12", "12-3"]


def test_a_group_of_one_stream_alone():
    app = hf.App("alone")
    numbers = app.stream("numbers", int, key=str).group_by_key()
    hf.cogroup((numbers, lambda s, v: s + v)).aggregate(0, store="sums")
    with Driver(app) as d:
        d.pipe("numbers", 1, key="k")
        d.pipe("numbers", 2, key="k")
        assert d.store("sums")["k"] == 3


def test_groups_may_need_different_exchanges():
    """One group has the key of its topic, one gets a new key, one comes out of a table in a stage of its own."""
    app = hf.App("exchanges")
    visits = app.stream("visits", "page STRING", key=str)
    orders = app.stream("orders", "user STRING, total BIGINT")
    changes = visits.group_by("page").count(store="pages").to_stream()
    table = hf.cogroup(
        (visits.group_by_key(), lambda s, v: dict(s, visits=s.visits + 1)),
        (orders.group_by("user"), lambda s, o: dict(s, spent=s.spent + o.total)),
        (changes.group_by_key(), lambda s, n: dict(s, most=F.greatest(s.most, n))),
    ).aggregate(dict(visits=0, spent=0, most=0), store="all")
    table.to("out")
    with Driver(app) as d:
        d.pipe("visits", {"page": "p"}, key="ann", timestamp=1)
        d.pipe("visits", {"page": "p"}, key="bob", timestamp=2)
        d.pipe("orders", {"user": "ann", "total": 7}, timestamp=3)
        assert dict(d.store("all").all()) == {
            "ann": {"visits": 1, "spent": 7, "most": 0},
            "bob": {"visits": 1, "spent": 0, "most": 0},
            "p": {"visits": 0, "spent": 0, "most": 2},
        }
        d.crash()
        d.pipe("visits", {"page": "p"}, key="ann", timestamp=4)
        assert d.store("all")["ann"] == {"visits": 2, "spent": 7, "most": 0}
        assert d.store("all")["p"]["most"] == 3


def test_values_without_content_are_skipped():
    with Driver(texts()) as d:
        d.pipe("one", None, key="k")
        d.pipe("two", None, key="k")
        d.pipe("two", "b", key="k")
        assert pairs(d, "out") == [("k", "-b")]


def test_a_failing_record_is_a_dead_letter_of_its_own_topic():
    app = hf.App("failing")
    numbers = app.stream("numbers", int, key=str).group_by_key()
    words = app.stream("words", str, key=str).group_by_key()
    hf.cogroup((numbers, lambda s, v: s + v), (words, lambda s, v: s + F.cast(v, "bigint"))).aggregate(0, store="sums")
    with Driver(app) as d:
        d.pipe("numbers", 1, key="k")
        d.pipe("words", "nothing", key="k")
        d.pipe("words", "2", key="k")
        assert d.store("sums")["k"] == 3
        (letter,) = d.dead_letters()
        assert (letter.node, letter.record.value) == ("cogroup:sums", b"nothing")


def test_a_null_state_deletes_the_key():
    app = hf.App("nulls")
    adds = app.stream("adds", int, key=str).group_by_key()
    resets = app.stream("resets", int, key=str).group_by_key()
    hf.cogroup(
        (adds, lambda s, v: s + v),
        (resets, lambda s, v: F.when(v == 0, s)),
    ).aggregate(0, store="sums").to("out")
    with Driver(app) as d:
        d.pipe("adds", 5, key="k")
        d.pipe("resets", 1, key="k")
        assert pairs(d, "out") == [("k", 5), ("k", None)]
        d.pipe("adds", 2, key="k")
        assert d.store("sums")["k"] == 2


def test_metadata_and_keys_are_there_for_every_group():
    app = hf.App("metadata")
    one = app.stream("one", int, key=str).group_by_key()
    two = app.stream("two", int, key=str).group_by_key()
    begin = F.cast(F.lit([]), "array<string>")
    hf.cogroup(
        (one, lambda k, s, v: F.array_append(s, F.concat(k, hf.topic()))),
        (two, lambda s, v: F.array_append(s, hf.topic())),
    ).aggregate(begin, store="seen")
    with Driver(app) as d:
        d.pipe("one", 1, key="k", timestamp=datetime(2026, 1, 1, tzinfo=UTC))
        d.pipe("two", 1, key="k", timestamp=datetime(2026, 1, 2, tzinfo=UTC))
        assert d.store("seen")["k"] == ["kone", "two"]


@pytest.mark.parametrize("size", [1, 2, 5])
def test_whatever_the_batches_the_states_are_the_same(size):
    records = [(topic, str(i)) for i, topic in enumerate(["one", "two", "two", "one", "two"])]
    with Driver(texts()) as d:
        for start in range(0, len(records), size):
            with d.batch():
                for offset, (topic, value) in enumerate(records[start : start + size]):
                    d.pipe(topic, value, key="k", timestamp=start + offset)
            d.crash()
        assert [value for _, value in pairs(d, "out")] == ["0", "0-1", "0-1-2", "0-1-23", "0-1-23-4"]


def windowed(window):
    app = hf.App("windowed", tasks=1)
    one = app.stream("one", str, key=str).group_by_key()
    two = app.stream("two", str, key=str).group_by_key()
    both = hf.cogroup((one, lambda s, v: F.concat(s, v)), (two, lambda s, v: F.concat(s, F.lit("-"), v)))
    both.windowed_by(window, late="late").aggregate("", store="texts").to("out")
    return app


def emitted(driver):
    """What came, as (key, start, end, value, time)."""
    return [(k.key, k.to_json()["start"], k.to_json()["end"], value, time) for k, value, time in timed(driver, "out")]


def test_windows_of_several_streams():
    with Driver(windowed(hf.tumbling("10 ms", grace="10 ms", emit="every"))) as d:
        d.pipe("one", "a", key="k", timestamp=1)
        d.pipe("two", "b", key="k", timestamp=5)
        d.pipe("two", "c", key="k", timestamp=12)
        d.pipe("one", "d", key="k", timestamp=3)
        assert emitted(d) == [
            ("k", 0, 10, "a", 1),
            ("k", 0, 10, "a-b", 5),
            ("k", 10, 20, "-c", 12),
            ("k", 0, 10, "a-bd", 5),
        ]


def test_windows_that_slide_over_several_streams():
    with Driver(windowed(hf.sliding("10 ms", grace="50 ms"))) as d:
        d.pipe("one", "a", key="k", timestamp=10)
        d.pipe("two", "b", key="k", timestamp=15)
        stored = sorted((k.to_json()["start"], value) for k, value in d.store("texts").all())
        assert stored == [(0, "a"), (5, "a-b"), (11, "-b")]


def test_a_stream_is_not_late_because_another_is_ahead():
    """As in Kafka Streams each stream has a time of its own."""
    with Driver(windowed(hf.tumbling("10 ms", retention="1 minute"))) as d:
        d.pipe("one", "a", key="k", timestamp=100)
        d.pipe("two", "b", key="k", timestamp=5)
        d.pipe("one", "c", key="k", timestamp=5)
        assert emitted(d) == [("k", 100, 110, "a", 100), ("k", 0, 10, "-b", 5)]
        (late,) = d.late()
        assert late.record.value == "c"


def test_what_is_told_at_the_end_has_one_time_for_all_streams():
    with Driver(windowed(hf.tumbling("10 ms", emit="final"))) as d:
        d.pipe("one", "a", key="k", timestamp=5)
        d.pipe("two", "b", key="k", timestamp=10)
        d.pipe("one", "c", key="k", timestamp=6)
        assert emitted(d) == [("k", 0, 10, "a", 5)]
        assert len(d.late()) == 1
