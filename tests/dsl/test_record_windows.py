"""Windows that follow the records of a key: what they are in the plan, and what they refuse."""

from datetime import timedelta

import pytest

import holdfast as hf
from holdfast import functions as F
from holdfast.errors import DurationError, TopologyError
from tests.dsl.helpers import call, node, slot


def test_a_session_has_a_gap(orders):
    made = orders.group_by_key().windowed_by(hf.session("30 minutes", grace="1 minute"), late="late").count(store="n")
    assert node(made)["window"] == {
        "kind": "session",
        "gap": 1_800_000,
        "grace": 60_000,
        "emit": "latest",
        "retention": 1_860_000,
    }
    assert node(made)["late"] == "late"
    assert made.schema == "key: STRUCT<key: STRING, start: TIMESTAMP, end: TIMESTAMP>\nvalue: BIGINT"


def test_a_session_may_tell_every_update_or_the_last(orders):
    group = orders.group_by_key()
    every = group.windowed_by(hf.session("1 s", emit="every")).count()
    final = group.windowed_by(hf.session("1 s", emit="final")).count()
    assert node(every)["store"]["emit"] == "every"
    assert (node(final)["store"]["emit"], node(final)["window"]["emit"]) == ("latest", "final")


def test_a_session_stays_at_least_until_it_has_closed():
    with pytest.raises(TopologyError, match="retention is 1000 ms; it must be at least the gap and the grace, 1500 ms"):
        hf.session("1 s", grace="500 ms", retention="1 s")


@pytest.mark.parametrize("window", [hf.session, hf.trailing])
def test_lengths_have_units_and_are_longer_than_nothing(window):
    with pytest.raises(DurationError, match="say the unit"):
        window(5)
    with pytest.raises(TopologyError, match="longer than nothing"):
        window("0 ms")


def test_sessions_need_to_know_what_two_states_become(orders):
    group = orders.group_by_key().windowed_by(hf.session("1 minute"))
    with pytest.raises(TopologyError, match=r"what two states become; give merge=lambda left, right: ..."):
        group.aggregate(0, lambda s, o: s + 1)
    made = group.aggregate(0, lambda s, o: s + 1, merge=lambda a, b: a + b)
    assert node(made)["merge"] == call("+", slot("left"), slot("right"))
    with_key = group.aggregate("", lambda s, o: s, merge=lambda k, a, b: F.concat(k, a, b))
    assert node(with_key)["merge"] == call("concat", slot("key"), slot("left"), slot("right"))


def test_merge_makes_a_state(orders):
    group = orders.group_by_key().windowed_by(hf.session("1 minute"))
    with pytest.raises(TopologyError, match=r"merge gives record\(m\), the state is record\(n\)"):
        group.aggregate(dict(n=0), lambda s, o: s, merge=lambda a, b: dict(m=a.n))


def test_elsewhere_nothing_is_merged(orders):
    for group in (orders.group_by_key(), orders.group_by_key().windowed_by(hf.tumbling("1 minute"))):
        with pytest.raises(TopologyError, match="merge= is for sessions, where two states may become one"):
            group.aggregate(0, lambda s, o: s, merge=lambda a, b: a)


def test_a_trailing_window_keeps_the_plain_key(orders):
    made = orders.group_by_key().windowed_by(hf.trailing(timedelta(minutes=5), grace="1 s")).count(store="recent")
    assert node(made)["window"] == {"kind": "trailing", "size": 300_000, "grace": 1000}
    assert made.schema == "key: STRING\nvalue: BIGINT"


@pytest.mark.parametrize("window", [hf.trailing("1 minute"), hf.sliding_count(3), hf.tumbling_count(3)])
def test_each_result_is_emitted(orders, window):
    assert node(orders.group_by_key().windowed_by(window).count(store="n"))["store"]["emit"] == "every"


@pytest.mark.parametrize(("make", "kind"), [(hf.sliding_count, "last"), (hf.tumbling_count, "every")])
def test_counted_windows_have_a_number(orders, make, kind):
    assert node(orders.group_by_key().windowed_by(make(7)).count())["window"] == {"kind": kind, "n": 7}


@pytest.mark.parametrize("make", [hf.sliding_count, hf.tumbling_count])
@pytest.mark.parametrize("n", [0, -1, True, 2.5, "3"])
def test_the_number_is_whole_and_from_one(make, n):
    with pytest.raises(TopologyError, match="it must be a whole number from 1"):
        make(n)


@pytest.mark.parametrize("options", [{"late": "late"}, {"close_on": "watermark"}])
def test_counted_windows_know_no_time(orders, options):
    with pytest.raises(TopologyError, match=r"hf.sliding_count\(n\) counts records and knows no time; leave"):
        orders.group_by_key().windowed_by(hf.sliding_count(3), **options)


def test_trailing_windows_do_not_close(orders):
    with pytest.raises(TopologyError, match="belongs to a record and never closes; leave close_on= out"):
        orders.group_by_key().windowed_by(hf.trailing("1 minute"), close_on="watermark")


WORDS = [
    (hf.session("30 minutes", grace="1 minute"), "sessions with a gap of 30 minutes, grace 1 minute"),
    (hf.session("5 s", emit="final"), "sessions with a gap of 5 seconds, emitted when closed"),
    (hf.trailing("5 minutes"), "the 5 minutes before each record"),
    (hf.sliding_count(20), "the last 20 records"),
    (hf.tumbling_count(12), "every 12 records"),
]


@pytest.mark.parametrize(("window", "words"), WORDS, ids=[words for _, words in WORDS])
def test_descriptions_say_what_the_window_is(window, words):
    app = hf.App("described")
    app.stream("in", int, key=str).group_by_key().windowed_by(window).count(store="n")
    assert f"({words}; store: n)" in app.describe()
    assert words in app.explain()


def test_the_topic_for_late_records_is_among_those_that_are_made():
    app = hf.App("described")
    group = app.stream("in", int, key=str).group_by_key()
    group.windowed_by(hf.session("1 minute"), late="too-late").count()
    group.windowed_by(hf.trailing("1 minute"), late="too-late").count()
    assert app.explain().count("too-late (late records)") == 1


def test_only_windows_that_close_can_be_waited_for(orders):
    table = orders.group_by_key().windowed_by(hf.trailing("1 minute", grace="5 s")).count()
    with pytest.raises(TopologyError, match="window"):
        table.suppress(hf.until_window_closes())
