"""Patterns in the records of a key: what matches, with which records and which time."""

import pytest

import holdfast as hf
from holdfast import functions as F
from holdfast.testing import Driver
from tests.driver.helpers import letters, timed

SMALL, LARGE = (lambda p: p.x < 10), (lambda p: p.x >= 100)


def found(pattern, *records, within="100 ms", size=1, key="k"):
    """Pipe (x, time) or (key, x, time) and give what matched as (step values, time), in batches of any size."""
    app = hf.App("patterns", tasks=1)
    app.stream("in", "x BIGINT", key=str).group_by_key().match(pattern, within=within).to("out")
    rows = [each if len(each) == 3 else (key, *each) for each in records]
    with Driver(app) as d:
        for start in range(0, len(rows), size):
            with d.batch():
                for k, x, at in rows[start : start + size]:
                    d.pipe("in", None if x is None else {"x": x}, key=k, timestamp=at)
        assert d.dead_letters() == []
        return [plain(*each, with_key=len(records[0]) == 3) for each in timed(d, "out")]


def plain(key, value, at, with_key):
    steps = {name: [r["x"] for r in taken] if isinstance(taken, list) else taken["x"] for name, taken in value.items()}
    return (key, steps, at) if with_key else (steps, at)


sizes = pytest.mark.parametrize("size", [1, 3, 100])


@sizes
def test_steps_in_order_with_others_between(size):
    pattern = hf.sequence(a=SMALL, b=LARGE)
    assert found(pattern, (50, 0), (1, 1), (50, 2), (100, 3), (200, 4), size=size) == [({"a": 1, "b": 100}, 3)]


@sizes
def test_the_time_from_first_to_last_is_at_most_within(size):
    pattern = hf.sequence(a=SMALL, b=LARGE)
    assert found(pattern, (1, 0), (100, 100), size=size) == [({"a": 1, "b": 100}, 100)]
    assert found(pattern, (1, 0), (100, 101), size=size) == []


@sizes
def test_a_condition_looks_at_earlier_steps(size):
    pattern = hf.sequence(probe=lambda p: p.x < 10, drain=lambda p, *, probe: p.x > 20 * probe.x)
    # The second probe is answered first; the first one is then over.
    assert found(pattern, (9, 0), (2, 1), (50, 2), (500, 3), size=size) == [({"probe": 2, "drain": 50}, 2)]


@sizes
def test_strict_steps_are_neighbours(size):
    pattern = hf.sequence(strict=True, a=SMALL, b=LARGE)
    records = [(1, 0), (50, 1), (100, 2), (2, 3), (200, 4)]
    assert found(pattern, *records, size=size) == [({"a": 2, "b": 200}, 4)]


@sizes
def test_the_next_match_begins_after_the_last_record_of_the_one_before(size):
    pattern = hf.sequence(a=lambda p: p.x > 0, b=lambda p: p.x > 0)
    records = [(1, 0), (2, 1), (3, 2), (4, 3), (5, 4)]
    assert found(pattern, *records, size=size) == [({"a": 1, "b": 2}, 1), ({"a": 3, "b": 4}, 3)]


@sizes
def test_with_overlap_a_match_may_begin_at_every_record(size):
    pattern = hf.sequence(overlap=True, a=lambda p: p.x > 0, b=lambda p: p.x > 0)
    records = [(1, 0), (2, 1), (3, 2)]
    assert found(pattern, *records, size=size) == [({"a": 1, "b": 2}, 1), ({"a": 2, "b": 3}, 2)]
    both = hf.sequence(overlap=True, a=SMALL, b=LARGE)
    assert found(both, (1, 0), (2, 1), (100, 2), size=size) == [({"a": 1, "b": 100}, 2), ({"a": 2, "b": 100}, 2)]


def test_of_several_that_end_with_one_record_the_first_to_begin_wins():
    assert found(hf.sequence(a=SMALL, b=LARGE), (1, 0), (2, 1), (100, 2), (200, 3)) == [({"a": 1, "b": 100}, 2)]


@sizes
def test_a_number_of_records(size):
    pattern = hf.sequence(three=hf.repeat(SMALL, 3))
    records = [(1, 0), (50, 1), (2, 2), (3, 3), (4, 4)]
    assert found(pattern, *records, size=size) == [({"three": [1, 2, 3]}, 3)]


@sizes
def test_at_least_so_many_until_the_next_step(size):
    pattern = hf.sequence(many=hf.repeat(SMALL, 2, at_least=True), end=LARGE)
    records = [(1, 0), (2, 1), (50, 2), (3, 3), (100, 4)]
    assert found(pattern, *records, size=size) == [({"many": [1, 2, 3], "end": 100}, 4)]
    assert found(pattern, (1, 0), (100, 1), size=size) == []


def test_the_next_step_comes_before_one_more_of_the_same():
    pattern = hf.sequence(many=hf.repeat(lambda p: p.x > 0, 2, at_least=True), end=LARGE)
    assert found(pattern, (1, 0), (100, 1), (200, 2), (300, 3)) == [({"many": [1, 100], "end": 200}, 2)]


@sizes
def test_at_least_so_many_at_the_end_are_gathered_until_the_time_is_over(size):
    pattern = hf.sequence(many=hf.repeat(SMALL, 2, at_least=True))
    records = [(1, 0), (50, 10), (2, 20), (3, 100), (4, 101), (50, 150)]
    # Its time is that of its last record; 4 began a match of its own.
    assert found(pattern, *records, size=size) == [({"many": [1, 2, 3]}, 100)]
    assert found(pattern, (1, 0), (50, 500), size=size) == []


@sizes
def test_strict_gathering_ends_with_the_first_other_record(size):
    pattern = hf.sequence(strict=True, many=hf.repeat(SMALL, 2, at_least=True))
    assert found(pattern, (1, 0), (2, 1), (3, 2), (50, 3), (4, 4), size=size) == [({"many": [1, 2, 3]}, 2)]


@sizes
def test_nothing_of_a_kind_between_two_steps(size):
    pattern = hf.sequence(a=SMALL, none=hf.absent(lambda p: p.x == 50), b=LARGE)
    assert found(pattern, (1, 0), (60, 1), (100, 2), size=size) == [({"a": 1, "b": 100}, 2)]
    assert found(pattern, (1, 0), (50, 1), (100, 2), size=size) == []
    # The neighbour itself is not between.
    assert found(hf.sequence(a=SMALL, none=hf.absent(LARGE), b=LARGE), (1, 0), (100, 1)) == [({"a": 1, "b": 100}, 1)]


@sizes
def test_an_absence_at_the_end_is_known_when_the_time_is_over(size):
    pattern = hf.sequence(a=SMALL, none=hf.absent(lambda p, *, a: p.x == a.x + 100))
    assert found(pattern, (1, 0), (102, 50), (50, 100), size=size) == []
    assert found(pattern, (1, 0), (102, 50), (50, 101), size=size) == [({"a": 1}, 100)]
    assert found(pattern, (1, 0), (101, 100), (50, 500), size=size) == []


@sizes
def test_records_of_other_keys_move_the_time(size):
    pattern = hf.sequence(a=SMALL, none=hf.absent(LARGE))
    records = [("a", 1, 0), ("b", 2, 0), ("c", 3, 5), ("b", 100, 50), ("d", 50, 101), ("d", 50, 200)]
    assert found(pattern, *records, size=size) == [("a", {"a": 1}, 100), ("c", {"a": 3}, 105)]


def test_every_key_for_itself():
    pattern = hf.sequence(a=SMALL, b=LARGE)
    assert found(pattern, ("x", 1, 0), ("y", 100, 1), ("x", 100, 2)) == [("x", {"a": 1, "b": 100}, 2)]


@sizes
def test_a_record_from_before_the_start_of_a_match_is_not_there_for_it(size):
    pattern = hf.sequence(a=SMALL, b=LARGE)
    assert found(pattern, (1, 50), (100, 49), (200, 50), size=size) == [({"a": 1, "b": 200}, 50)]
    strict = hf.sequence(strict=True, a=SMALL, b=LARGE)
    assert found(strict, (1, 50), (50, 10), (100, 60), size=size) == [({"a": 1, "b": 100}, 60)]
    quiet = hf.sequence(a=SMALL, none=hf.absent(LARGE))
    assert found(quiet, (1, 50), (100, 49), (50, 151), size=size) == [({"a": 1}, 150)]


def test_the_time_of_a_match_is_the_latest_of_its_records():
    pattern = hf.sequence(a=SMALL, b=lambda p: p.x == 50, c=LARGE)
    assert found(pattern, (1, 10), (50, 30), (100, 20)) == [({"a": 1, "b": 50, "c": 100}, 30)]


def test_a_record_whose_time_is_over_is_late():
    pattern = hf.sequence(a=SMALL, b=LARGE)
    assert found(pattern, (50, 201), (1, 100), (100, 101)) == []
    assert found(pattern, (50, 200), (1, 100), (100, 101)) == [({"a": 1, "b": 100}, 101)]


def test_late_records_are_counted():
    app = hf.App("patterns")
    app.stream("in", "x BIGINT", key=str).group_by_key().match(hf.sequence(a=SMALL), within="100 ms").to("out")
    with Driver(app) as d:
        for x, at in [(50, 201), (1, 100), (2, 101)]:
            d.pipe("in", {"x": x}, key="k", timestamp=at)
        (late,) = d.late()
        assert (late.record.value, late.node) == ({"x": 1}, "match-1")
        assert timed(d, "out") == [("k", {"a": {"x": 2}}, 101)]


def test_a_null_value_is_no_record_and_a_null_key_a_dead_letter():
    assert found(hf.sequence(strict=True, a=SMALL, b=LARGE), (1, 0), (None, 1), (100, 2)) == [({"a": 1, "b": 100}, 2)]
    app = hf.App("patterns")
    app.stream("in", "x BIGINT", key=str).group_by_key().match(hf.sequence(a=SMALL), within="1 s").to("out")
    with Driver(app) as d:
        d.pipe("in", {"x": 1})
        assert letters(d) == [("match-1", "the key is null; a pattern needs one")]


@sizes
def test_a_condition_that_fails_makes_a_dead_letter_and_leaves_no_trace(size):
    app = hf.App("patterns")
    steps = hf.sequence(strict=True, a=SMALL, b=lambda p, *, a: 100 / (p.x - 50) > a.x)
    app.stream("in", "x BIGINT", key=str).group_by_key().match(steps, within="1 s").to("out")
    with Driver(app) as d:
        for start in range(0, 3, size):
            with d.batch():
                for x in [1, 50, 60][start : start + size]:
                    d.pipe("in", {"x": x}, key="k", timestamp=x)
        ((node, reason),) = letters(d)
        assert (node, "DIVIDE_BY_ZERO" in reason) == ("match-1", True)
        assert timed(d, "out") == [("k", {"a": {"x": 1}, "b": {"x": 60}}, 60)]


def test_it_goes_on_after_a_crash():
    app = hf.App("patterns")
    steps = hf.sequence(many=hf.repeat(SMALL, 2), end=LARGE, none=hf.absent(SMALL))
    app.stream("in", "x BIGINT", key=str).group_by_key().match(steps, within="1 s").to("out")
    with Driver(app) as d:
        for x, at in [(1, 0), (2, 1), (100, 2), (50, 2000)]:
            d.pipe("in", {"x": x}, key="k", timestamp=at)
            d.crash()
        assert timed(d, "out") == [("k", {"many": [{"x": 1}, {"x": 2}], "end": {"x": 100}}, 1000)]


def test_several_records_seen_by_a_later_step_and_metadata_of_the_record():
    app = hf.App("patterns")
    steps = hf.sequence(
        low=hf.repeat(lambda v: v < 10, 2), high=lambda key, v, *, low: (v > F.element_at(low, 2)) & (hf.offset() > 2)
    )
    app.stream("in", int, key=str).group_by_key().match(steps, within="1 s").map_values(
        lambda m: dict(last=F.element_at(m.low, -1), high=m.high)
    ).to("out")
    with Driver(app) as d:
        for v in (1, 5, 7, 8):
            d.pipe("in", v, key="k")
        assert [r.value for r in d.read("out")] == [{"last": 5, "high": 8}]


def test_after_a_change_of_key_and_into_a_table():
    app = hf.App("patterns")
    payments = app.stream("in", "card STRING, x BIGINT")
    alerts = payments.group_by("card").match(hf.sequence(a=SMALL, b=LARGE), within="1 s")
    alerts.group_by_key().count(store="alerts")
    with Driver(app) as d:
        for x in (1, 100, 2, 200):
            d.pipe("in", {"card": "c", "x": x})
        assert d.store("alerts")["c"] == 2


def test_an_absence_is_known_when_the_source_falls_silent():
    app = hf.App("patterns")
    payments = app.stream("in", "x BIGINT", key=str, close_on_idle="1 second")
    payments.group_by_key().match(hf.sequence(a=SMALL, none=hf.absent(LARGE)), within="1 minute").to("out")
    with Driver(app) as d:
        d.pipe("in", {"x": 1}, key="k", timestamp=0)
        d.pipe("in", {"x": 2}, key="l", timestamp=10)
        d.pipe("in", {"x": 100}, key="l", timestamp=20)
        d.advance(seconds=59)
        assert timed(d, "out") == []
        d.advance(seconds=3)
        assert timed(d, "out") == [("k", {"a": {"x": 1}}, 60_000)]
        d.advance(minutes=5)
        assert timed(d, "out") == []


def test_records_of_any_type_under_keys_of_several_fields():
    app = hf.App("patterns")
    fields = (
        "shop STRING, till INT, x BIGINT, tags ARRAY<STRING>, price DECIMAL(10, 2), raw BINARY, more MAP<STRING, INT>"
    )
    events = app.stream("in", fields, close_on_idle="1 second").group_by("shop", "till")
    steps = hf.sequence(many=hf.repeat(SMALL, 2), none=hf.absent(lambda e, *, many: e.price > many[1].price))
    events.match(steps, within="1 minute").to("out")
    event = {"shop": "s", "till": 7, "tags": ["a", None], "raw": "AQI=", "more": {"k": 1}}
    with Driver(app) as d:
        for x, price in ((1, 1.5), (2, 2.25), (50, 2.25)):
            d.pipe("in", {**event, "x": x, "price": price}, timestamp=x)
            d.crash()
        assert letters(d) == []
        d.advance(minutes=2)
        ((key, match, at),) = timed(d, "out")
        assert (key, at) == ({"shop": "s", "till": 7}, 60_001)
        assert [(str(e["price"]), e["tags"], e["raw"], e["more"]) for e in match["many"]] == [
            ("1.50", ["a", None], b"\x01\x02", {"k": 1}),
            ("2.25", ["a", None], b"\x01\x02", {"k": 1}),
        ]


def test_after_windows():
    app = hf.App("patterns")
    per_second = app.stream("in", int, key=str).group_by_key().windowed_by(hf.tumbling("1 second")).count()
    rising = hf.sequence(a=lambda n: n == 1, b=lambda n, *, a: n > a)
    per_second.to_stream().group_by_key().match(rising, within="1 second").to("out")
    with Driver(app) as d:
        for at in (100, 1100, 1200):
            d.pipe("in", 1, key="k", timestamp=at)
        ((key, match, at),) = timed(d, "out")
        assert (key.key, key.start.second, match, at) == ("k", 1, {"a": 1, "b": 2}, 1200)
