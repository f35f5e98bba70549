"""Sliding windows as Kafka Streams has them; the inputs are those of its own tests."""

import random

import pytest

import holdfast as hf
from holdfast import functions as F
from holdfast.testing import Driver
from tests.driver.windows import emitted, moments, pipe, stored, texts, through

SMALL = [10, 10, 14, 15, 20, 22, 30]
EARLY = [0, 5, 6, 3, 13, 10, 70]


def numbered(times, key="A"):
    return [(key, str(n), t) for n, t in enumerate(times, 1)]


def history(updates):
    """{start: [(value, time), ...]}"""
    out = {}
    for _, start, _, value, time in updates:
        out.setdefault(start, []).append((value, time))
    return out


def test_a_window_ends_with_each_record_and_one_begins_behind_it():
    assert history(through(hf.sliding("10 ms", grace="5 ms"), *numbered(SMALL))) == {
        0: [("0+1", 10), ("0+1+2", 10)],
        4: [("0+1+2+3", 14)],
        5: [("0+1+2+3+4", 15)],
        10: [("0+1+2+3+4+5", 20)],
        11: [("0+3", 14), ("0+3+4", 15), ("0+3+4+5", 20)],
        12: [("0+3+4+5+6", 22)],
        15: [("0+4", 15), ("0+4+5", 20), ("0+4+5+6", 22)],
        16: [("0+5", 20), ("0+5+6", 22)],
        20: [("0+5+6+7", 30)],
        21: [("0+6", 22), ("0+6+7", 30)],
        23: [("0+7", 30)],
    }


def test_told_when_closed():
    assert history(through(hf.sliding("10 ms", grace="5 ms", emit="final"), *numbered(SMALL))) == {
        0: [("0+1+2", 10)],
        4: [("0+1+2+3", 14)],
        5: [("0+1+2+3+4", 15)],
        10: [("0+1+2+3+4+5", 20)],
        11: [("0+3+4+5", 20)],
        12: [("0+3+4+5+6", 22)],
    }


def test_records_out_of_order():
    records = [*numbered([10, 20, 22, 15]), *numbered([12, 13, 18, 19, 25, 14], "B")]
    found = through(hf.sliding("10 ms", grace="50 ms"), *records)
    assert history(u for u in found if u[0] == "A") == {
        0: [("0+1", 10)],
        5: [("0+1+4", 15)],
        10: [("0+1+2", 20), ("0+1+2+4", 20)],
        11: [("0+2", 20), ("0+2+4", 20)],
        12: [("0+2+3", 22), ("0+2+3+4", 22)],
        16: [("0+2+3", 22)],
        21: [("0+3", 22)],
    }
    assert history(u for u in found if u[0] == "B") == {
        2: [("0+1", 12)],
        3: [("0+1+2", 13)],
        4: [("0+1+2+6", 14)],
        8: [("0+1+2+3", 18), ("0+1+2+3+6", 18)],
        9: [("0+1+2+3+4", 19), ("0+1+2+3+4+6", 19)],
        13: [("0+2", 13), ("0+2+3", 18), ("0+2+3+4", 19), ("0+2+3+4+6", 19)],
        14: [("0+3", 18), ("0+3+4", 19), ("0+3+4+6", 19)],
        15: [("0+3+4+5", 25)],
        19: [("0+4", 19), ("0+4+5", 25)],
        20: [("0+5", 25)],
    }


def test_records_before_the_first_difference_share_a_window():
    assert history(through(hf.sliding("50 ms"), *numbered(EARLY))) == {
        0: [("0+1", 0), ("0+1+2", 5), ("0+1+2+3", 6), ("0+1+2+3+4", 6), ("0+1+2+3+4+5", 13), ("0+1+2+3+4+5+6", 13)],
        1: [("0+2", 5), ("0+2+3", 6), ("0+2+3+4", 6), ("0+2+3+4+5", 13), ("0+2+3+4+5+6", 13)],
        4: [("0+2+3", 6), ("0+2+3+5", 13), ("0+2+3+5+6", 13)],
        6: [("0+3", 6), ("0+3+5", 13), ("0+3+5+6", 13)],
        7: [("0+5", 13), ("0+5+6", 13)],
        11: [("0+5", 13)],
        20: [("0+7", 70)],
    }


def test_early_records_at_the_same_time():
    assert history(through(hf.sliding("5 ms", emit="final"), *numbered([0, 2, 4, 0, 2, 2, 0, 7]))) == {
        0: [("0+1+2+3+4+5+6+7", 4)],
        1: [("0+2+3+5+6", 4)],
    }


def test_without_grace_a_record_is_late_for_the_windows_that_end_before():
    with Driver(texts(hf.sliding("50 ms"))) as driver:
        pipe(driver, *numbered([100, 105, 106, 103, 113, 110]))
        assert history(emitted(driver))[63] == [("0+1+2+3+4+5", 113), ("0+1+2+3+4+5+6", 113)]
        assert [moments(hf.Windowed(late.record.value, late.start, late.end)) for late in driver.late()] == [
            ("4", 55, 105),
            ("4", 53, 103),
            ("6", 60, 110),
        ]


def test_a_record_whose_windows_have_all_closed_is_late_once():
    with Driver(texts(hf.sliding("10 ms", grace="90 ms"))) as driver:
        pipe(driver, ("k", "100", 200), ("k", "0", 100), ("k", "6", 15), ("k", "101", 300))
        assert [u[1:4] for u in emitted(driver)] == [(190, 200, "0+100"), (290, 300, "0+101")]
        assert [moments(hf.Windowed(late.record.value, late.start, late.end)) for late in driver.late()] == [
            ("0", 90, 100),
            ("6", 15, 25),
        ]


def test_reduce_and_agg_do_not_share_state_between_windows():
    app = hf.App("shared", tasks=1)
    group = app.stream("in", int, key=str).group_by_key().windowed_by(hf.sliding("10 ms", grace="50 ms"))
    group.agg(all=lambda v: F.collect_list(v), store="store")
    group.reduce(lambda old, new: old * 10 + new, store="reduced")
    with Driver(app) as driver:
        pipe(driver, ("a", 1, 10), ("a", 2, 20), ("a", 3, 15))
        assert stored(driver, "reduced") == {
            ("a", 0): 1,
            ("a", 5): 13,
            ("a", 10): 123,
            ("a", 11): 23,
            ("a", 16): 2,
        }
        assert {k: v["all"] for k, v in stored(driver).items()} == {
            ("a", 0): [1],
            ("a", 5): [1, 3],
            ("a", 10): [1, 2, 3],
            ("a", 11): [2, 3],
            ("a", 16): [2],
        }


@pytest.mark.parametrize("together", [False, True])
def test_any_order_gives_the_records_that_are_together(together):
    """With enough grace each window holds, in the order they came, the records that lie in it."""
    chance = random.Random(7)
    times = [chance.randrange(100, 200) for _ in range(60)]
    records = numbered(times)
    with Driver(texts(hf.sliding("12 ms", grace="1 s", retention="10 s"))) as driver:
        pipe(driver, *records, together=together)
        found = stored(driver)
    inside = {
        start: "+".join(["0", *(value for _, value, t in records if start <= t <= start + 12)])
        for start in {*(t - 12 for t in times), *(t + 1 for t in times)}
    }
    assert found == {("A", start): text for start, text in inside.items() if text != "0"}


def test_a_crash_loses_nothing():
    whole, broken = [], []
    for out, crash in ((whole, False), (broken, True)):
        with Driver(texts(hf.sliding("10 ms", grace="5 ms"))) as driver:
            for record in numbered([10, 14, 12, 25, 22, 40]):
                pipe(driver, record)
                if crash:
                    driver.crash()
            out += emitted(driver)
    assert whole == broken


def test_records_of_the_same_moment():
    with Driver(texts(hf.sliding("0 ms"))) as driver:
        pipe(driver, ("a", "1", 5), ("a", "2", 5), ("a", "3", 6))
        assert [u[1:4] for u in emitted(driver)] == [(5, 5, "0+1"), (5, 5, "0+1+2"), (6, 6, "0+3")]
