"""Windowed tables joined by key and window."""

import pytest

import holdfast as hf
from holdfast import functions as F
from holdfast.testing import Driver
from tests.driver.helpers import timed
from tests.driver.table_joins import SIZES, feed


def windows(stream, grace, **options):
    return stream.group_by_key().windowed_by(hf.tumbling("10 ms", grace=grace, **options))


def emitted(app, records, size):
    """What came to "out" as (start of the window, value, milliseconds)."""
    with Driver(app) as d:
        feed(d, records, size)
        assert d.dead_letters() == []
        return [(round(k.start.timestamp() * 1000), *rest) for k, *rest in timed(d, "out")]


def both(emit="every", retention=None, far=False, **options):
    """Counts of one stream joined with sums of another; `far` lets the sums be in a later stage."""
    app = hf.App("windows", tasks=1)
    sent = app.stream("sent", int, key=str)
    got = app.stream("got", int, key=str)
    if far:
        got = got.to_table(store=hf.Materialized("got", emit="every")).to_stream().select_key(lambda k, v: k)
    counts = windows(sent, "5 ms", emit=emit, retention=retention).count(store="counts")
    sums = windows(got, "1 hour", emit="every").aggregate(0, lambda s, v: s + v, store="sums")
    counts.filter(lambda n: n > 0).outer_join(sums, lambda n, s: F.array(n, s), **options).to("out")
    return app


RECORDS = [
    ("sent", "k", 1, 1),
    ("got", "k", 5, 2),
    ("sent", "k", 1, 3),
    ("sent", "k", 1, 13),
    ("got", "k", 7, 14),
    ("got", "k", 2, 15),
    ("sent", "k", 1, 35),
]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("far", [False, True])
@pytest.mark.parametrize("options", [{}, {"store": hf.Materialized("joined", emit="every")}], ids=["view", "kept"])
def test_both_sides_tell_of_their_windows(options, far, size):
    assert emitted(both(far=far, **options), RECORDS, size) == [
        (0, [1, None], 1),
        (0, [1, 5], 2),
        (0, [2, 5], 3),
        (10, [1, None], 13),
        (10, [1, 7], 14),
        (10, [1, 9], 15),
        (30, [1, None], 35),
    ]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("far", [False, True])
def test_a_window_that_tells_when_it_closes_is_joined_then(far, size):
    """A change of the other side finds what there is so far, as in Kafka Streams."""
    assert emitted(both("final", far=far), RECORDS, size) == [
        (0, [1, 5], 2),
        (10, [1, 7], 14),
        (10, [1, 9], 15),
        (0, [2, 5], 3),
        (10, [1, 9], 15),
    ]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("far", [False, True])
@pytest.mark.parametrize("options", [{}, {"store": hf.Materialized("joined", emit="every")}], ids=["view", "kept"])
def test_nobody_is_told_of_what_is_forgotten(options, far, size):
    """The counts of the first window are gone when the sums change once more."""
    records = [*RECORDS[:3], ("sent", "k", 1, 95), ("got", "x", 8, 96), ("got", "k", 1, 4)]
    assert emitted(both(retention="20 ms", far=far, **options), records, size)[3:] == [
        (90, [1, None], 95),
        (90, [None, 8], 96),
        (0, [None, 6], 4),
    ]


@pytest.mark.parametrize("size", SIZES)
def test_the_result_of_a_window_that_expires_when_it_closes_still_meets_its_own_table(size):
    app = hf.App("own", tasks=1)
    table = windows(app.stream("sent", int, key=str), "0 ms", emit="final").count(store="counts")
    table.to_stream().left_join(table, lambda n, m: dict(n=n, m=m)).to("out")
    found = emitted(app, [("sent", "a", 1, at) for at in (0, 10, 25)], size)
    assert found == [(0, {"n": 1, "m": 1}, 0), (10, {"n": 1, "m": 1}, 10)]


@pytest.mark.parametrize("between", [[], [("sent", "x", 1, 5)]], ids=["by its own record", "by another"])
@pytest.mark.parametrize("options", [{}, {"store": hf.Materialized("joined", emit="every")}], ids=["view", "kept"])
def test_a_join_stays_as_it_was_emitted_when_one_of_its_windows_has_expired(options, between):
    """Expiry is no update. It was one for a record that let one window expire and updated the other."""
    app = hf.App("windows", tasks=1)
    group = app.stream("sent", int, key=str).group_by_key()
    short = group.windowed_by(hf.tumbling("5 ms", emit="every")).count(store="short")
    long = group.windowed_by(hf.tumbling("10 ms", emit="every")).count(store="long")
    long.join(short, lambda a, b: F.array(a, b), **options).to("out")
    records = [("sent", "k", 1, 0), *between, ("sent", "k", 1, 5), ("sent", "k", 1, 6)]
    assert emitted(app, records, 1) == [(0, [1, 1], 0)]
