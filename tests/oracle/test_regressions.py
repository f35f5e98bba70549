"""Cases that once differed from Kafka Streams, each under the name of what was wrong."""

import pytest

import holdfast as hf
from holdfast.testing import Driver
from tests.oracle import ours
from tests.oracle.helpers import both, headers_of_both, record


def test_a_filtered_table_told_of_entries_that_it_never_showed(judge):
    program = "app.table('in', int, key=str, store='t').filter(lambda v: v > 3).to('out')"
    records = [record("in", "a", 1), record("in", "a", 2), record("in", "a", 5), record("in", "a", 0)]
    mine, theirs = both(judge, program, *records)
    assert mine == theirs == [("a", 5, 0), ("a", None, 0)]


def test_a_change_did_not_see_itself_in_its_own_table(judge):
    program = """
counts = app.stream('in', int, key=str).group_by_key().count(store='n')
counts.to_stream().join(counts, lambda n, c: c).to('out')
"""
    mine, theirs = both(judge, program, record("in", "a", 1), record("in", "a", 1))
    assert mine == theirs == [("a", 1, 0), ("a", 2, 0)]


def test_a_refused_record_did_not_count_in_the_order_of_a_batch():
    """The end of a batch is chosen by Kafka's times, so a record that is refused has its place in time, too."""
    app = hf.App("order")
    prices = app.table("prices", int, key=str)
    app.stream("orders", int, key=str).join(prices, lambda o, p: p).to("out")
    with Driver(app) as driver:
        driver.pipe("prices", 1, key="a", timestamp=1)
        with driver.batch():
            driver.pipe("prices", 2, key=None, timestamp=20)
            driver.pipe("prices", 3, key="a", timestamp=2)
            driver.pipe("orders", 1, key="a", timestamp=5)
        assert [r.value for r in driver.read("out")] == [1]


def test_a_predicate_after_the_one_that_was_true_failed(judge):
    program = "app.stream('in', int, key=str).split(zero=lambda v: v == 0, big=lambda v: 6 / v > 2).zero.to('out')"
    mine, theirs = both(judge, program, record("in", "a", 0))
    assert mine == theirs == [("a", 0, 0)]


def test_a_null_value_does_not_age_its_side_of_a_join(judge):
    program = """
a, b = app.stream('a', int, key=str), app.stream('b', int, key=str)
a.join(b, lambda l, r: l + r, within='2 ms').to('out')
"""
    records = [record("a", "k", None, 21), record("a", "k", 1, 17), record("b", "k", 2, 17)]
    mine, theirs = both(judge, program, *records)
    assert mine == theirs == [("k", 3, 17)]


def test_a_record_without_a_key_is_alone_on_both_sides_of_an_outer_join_with_itself(judge):
    program = (
        "s = app.stream('in', int, key=str)\ns.outer_join(s, lambda l, r: dict(l=l, r=r), within='2 ms').to('out')"
    )
    mine, theirs = both(judge, program, record("in", None, 1, 5))
    assert mine == theirs == [(None, {"l": 1, "r": None}, 5), (None, {"l": None, "r": 1}, 5)]


def test_a_session_that_a_record_can_still_reach_was_forgotten(judge):
    program = """
group = app.stream('in', int, key=str).group_by_key()
group.windowed_by(hf.session('6 ms', grace='4 ms', emit='every')).count(store='n').to('out')
"""
    records = [record("in", "other", 1, 12), record("in", "a", 1, 2), record("in", "a", 1, 5)]
    mine, theirs = both(judge, program, *records)
    assert mine == theirs
    assert mine[-1] == ({"key": "a", "start": 2, "end": 5}, 2, 5)


def test_a_session_a_gap_before_a_record_that_is_not_late_was_forgotten(judge):
    program = """
app.stream('in', int, key=str).group_by_key().windowed_by(hf.session('6 ms', grace='30 ms')).count(store='n').to('out')
"""
    records = [record("in", "a", 1, 0), record("in", "a", 1, 40), record("in", "a", 1, 4)]
    mine, theirs = both(judge, program, *records)
    assert mine == theirs
    assert mine[-1] == ({"key": "a", "start": 0, "end": 4}, 2, 4)


def test_windows_that_wait_since_one_record_go_on_by_their_start(judge):
    program = """
windows = hf.hopping('6 ms', advance='2 ms')
counts = app.stream('in', int, key=str).group_by_key().windowed_by(windows).count(store='n')
counts.suppress(hf.until_time('3 ms', max_records=2, on_full='emit')).to('out')
"""
    mine, theirs = both(judge, program, record("in", "a", 1, 6))
    assert mine == theirs == [({"key": "a", "start": 2, "end": 8}, 1, 6)]


def test_a_final_session_was_forgotten_before_it_could_be_joined_with_its_own_table(judge):
    program = """
counts = app.stream('in', int, key=str).group_by_key().windowed_by(hf.session('2 ms', emit='final')).count(store='n')
counts.to_stream().join(counts, lambda l, r: l + r).to('out')
"""
    mine, theirs = both(judge, program, record("in", "a", 1, 0), record("in", "a", 1, 5))
    assert mine == theirs == [({"key": "a", "start": 0, "end": 0}, 2, 0)]


@pytest.mark.parametrize("window", ["tumbling('5 ms')", "sliding('3 ms')", "session('2 ms')"])
def test_a_window_was_forgotten_that_is_open_for_another_stream(judge, window):
    program = f"""
def joined(s):
    return (s.group_by_key(), lambda k, text, v: F.concat(text, v))

a, b = app.stream('a', str, key=str), app.stream('b', str, key=str)
groups = hf.cogroup(joined(a), joined(b)).windowed_by(hf.{window})
merge = dict(merge=lambda l, r: F.concat(l, r)) if 'session' in {window!r} else dict()
groups.aggregate('', store='n', **merge).to('out')
"""
    records = [record("a", "k", "x", 0), record("a", "k", "y", 40), record("b", "k", "z", 0)]
    mine, theirs = both(judge, program, *records)
    assert ours.in_any_order(mine) == ours.in_any_order(theirs)
    assert "xz" in [value for _, value, _ in mine]


def test_streams_with_new_keys_are_aggregated_together(judge):
    program = """
def added(s):
    return (s.select_key(lambda v: F.cast(v, 'string')).group_by_key(), lambda k, total, v: total + v)

a, b = app.stream('a', int, key=str), app.stream('b', int, key=str)
hf.cogroup(added(a), added(b)).aggregate(0, store='n').to('out')
"""
    mine, theirs = both(judge, program, record("a", "x", 2), record("b", "y", 2))
    assert mine == theirs == [("2", 2, 0), ("2", 4, 0)]


def test_a_suppressed_window_has_the_headers_of_its_last_record(judge):
    program = """
counts = app.stream('in', int, key=str).group_by_key().windowed_by(hf.tumbling('10 ms', emit='every')).count(store='n')
counts.suppress(hf.until_window_closes()).to('out')
"""
    given = (("a", 1, "first"), ("a", 2, "last"), ("b", 12, "another"))
    records = [record("in", key, 1, time, h=name) for key, time, name in given]
    mine, theirs = headers_of_both(judge, program, *records)
    assert mine == theirs == [(2, {"h": "last"})]


def test_a_session_without_a_value_did_not_let_others_expire(judge):
    """Its time counts as that of any other, so a late record does not reach what has expired by it."""
    program = """
group = app.stream('in', int, key=str).group_by_key()
sums = group.windowed_by(hf.session('2 ms', grace='4 ms', emit='every'))
sums.aggregate(0, lambda s, v: F.when(v > 0, s + v), merge=lambda l, r: l + r, store='n').to('out')
"""
    records = [record("in", "a", 1, 0), record("in", "b", 0, 9), record("in", "a", 1, 3), record("in", "a", 1, 2)]
    mine, theirs = both(judge, program, *records)
    assert mine == theirs


@pytest.mark.parametrize("how", ["join", "left_join", "outer_join"])
@pytest.mark.parametrize("store", ["", ", store=hf.Materialized('j', emit='every')"], ids=["view", "kept"])
@pytest.mark.parametrize("between", [(), ("b",)], ids=["by its own record", "by another"])
def test_an_update_deleted_its_join_with_a_window_that_it_let_expire(judge, how, store, between):
    """Expiry is no update: the join stays as it was last emitted, whichever record the window expires by."""
    program = f"""
group = app.stream('in', int, key=str).group_by_key()
short = group.windowed_by(hf.tumbling('5 ms', emit='every')).count(store='short')
long = group.windowed_by(hf.tumbling('10 ms', emit='every')).count(store='long')
long.{how}(short, lambda l, r: dict(l=l, r=r){store}).to('out')
"""
    records = [record("in", key, 1, at) for at, key in zip((0, *range(5, 8)), ("a", *between, "a", "a"), strict=False)]
    mine, theirs = both(judge, program, *records)
    assert mine == theirs
    assert None not in [value for _, value, _ in mine]


@pytest.mark.parametrize("store", ["", ", store=hf.Materialized('j', emit='every')"], ids=["view", "kept"])
def test_a_row_that_loses_its_match_in_a_filter_of_its_own_table_is_deleted_once(judge, store):
    program = f"""
t = app.table('in', int, key=str, store=hf.Materialized('t', emit='every'))
t.join(t.filter(lambda v: v < 5), lambda l, r: l + r{store}).to('out')
"""
    mine, theirs = both(judge, program, record("in", "a", 1, 0), record("in", "a", 7, 1))
    assert mine == theirs == [("a", 2, 0), ("a", 2, 0), ("a", None, 1)]
