"""Joins of two streams with `late=`: no record is both emitted unmatched and joined."""

import random

import pytest

import holdfast as hf
from holdfast.testing import Driver
from tests.driver.helpers import timed
from tests.driver.joins import both, feeding, joined, joined_sides, piped
from tests.driver.test_stream_join_model import NOTHING, Model, per_key, records

HOW = {"inner": "join", "left": "left_join", "outer": "outer_join"}


def window(before, after, grace):
    return hf.JoinWindow(before=f"{before} ms", after=f"{after} ms", grace=f"{grace} ms")


def late(feed):
    return timed(feed.driver, "too-late")


def test_a_partner_of_a_record_that_was_emitted_unmatched_is_late_and_not_joined():
    with feeding(joined("left_join", within="10 ms", late="too-late")) as feed:
        feed(("l", "k", "A", 0))
        assert feed(("r", "x", "now", 11)) == [("k", "A+null", 0)]
        assert feed(("r", "k", "partner", 5)) == []
        assert late(feed) == [("k", "partner", 5)]


def test_it_is_joined_with_those_that_were_not_and_is_late_once():
    with feeding(joined("left_join", within="10 ms", late="too-late")) as feed:
        feed(("l", "k", "A", 0), ("l", "k", "B", 1), ("l", "k", "C", 4))
        assert feed(("r", "x", "now", 12)) == [("k", "A+null", 0), ("k", "B+null", 1)]
        assert feed(("r", "k", "partner", 5)) == [("k", "C+partner", 5)]
        assert late(feed) == [("k", "partner", 5)]
        assert feed(("l", "k", "D", 12)) == [("k", "D+partner", 12)]


def test_a_record_that_has_met_another_is_met_again():
    with feeding(joined("left_join", within="10 ms", late="too-late")) as feed:
        assert feed(("l", "k", "A", 0), ("r", "k", "a", 1)) == [("k", "A+a", 1)]
        assert feed(("r", "x", "now", 15), ("r", "k", "b", 5)) == [("k", "A+b", 5)]
        assert late(feed) == []


def test_what_is_late_is_not_emitted_unmatched_itself():
    with feeding(joined("outer_join", within="10 ms", late="too-late")) as feed:
        feed(("l", "k", "A", 0))
        assert feed(("r", "x", "now", 11)) == [("k", "A+null", 0)]
        assert feed(("r", "k", "partner", 5)) == []
        assert feed(("r", "x", "end", 500)) == [("x", "null+now", 11)]
        assert late(feed) == [("k", "partner", 5)]


def test_a_record_whose_window_and_grace_are_over_is_late_instead_of_unmatched():
    with feeding(joined("left_join", within="10 ms", grace="5 ms", late="too-late")) as feed:
        feed(("r", "x", "now", 100))
        assert feed(("l", "k", "A", 84)) == []
        assert late(feed) == [("k", "A", 84)]
        assert feed(("r", "x", "end", 500)) == []


def test_a_record_within_the_grace_waits_for_its_partner():
    """Without `late=` it is emitted unmatched at once, as in Kafka Streams, and joined afterwards."""
    for options, emitted in (({}, [("k", "A+null", 85)]), ({"late": "too-late"}, [])):
        with feeding(joined("left_join", within="10 ms", grace="5 ms", **options)) as feed:
            feed(("r", "x", "now", 100))
            assert feed(("l", "k", "A", 85)) == emitted
            assert feed(("r", "k", "a", 90)) == [("k", "A+a", 90)]


def test_of_an_inner_join_a_record_is_late_when_those_it_could_meet_are_gone():
    with feeding(joined(within="10 ms", late="too-late")) as feed:
        feed(("l", "k", "A", 5), ("l", "x", "now", 1000))
        assert feed(("r", "k", "a", 10)) == []
        assert late(feed) == [("k", "a", 10)]
        assert feed(("r", "k", "b", 971)) == []
        assert feed(("l", "k", "B", 981)) == [("k", "B+b", 981)]
        assert late(feed) == []


def test_the_late_record_says_where_it_came_from_and_what_it_missed():
    with Driver(joined("left_join", within="10 ms", late="too-late")) as d:
        d.pipe("l", "A", key="k", timestamp=0)
        d.pipe("r", "now", key="x", timestamp=11)
        d.pipe("r", "partner", key="k", timestamp=5, headers={"trace": b"7"})
        (record,) = d.read("too-late")
        assert record.headers == {
            "trace": b"7",
            "hf-topic": b"r",
            "hf-partition": b"0",
            "hf-offset": b"1",
            "hf-node": b"stream_join-1",
            "hf-input": b"r",
            "hf-window-start": b"0",
            "hf-window-end": b"15",
            "hf-stream-time": b"11",
        }


def test_a_crash_does_not_forget_what_was_emitted():
    with feeding(joined("left_join", within="10 ms", late="too-late")) as feed:
        feed(("l", "k", "A", 0), ("r", "x", "now", 11))
        feed.driver.crash()
        assert feed(("r", "k", "partner", 5)) == []
        assert late(feed) == [("k", "partner", 5)]


def test_a_record_of_a_join_with_itself_is_late_once():
    app = hf.App("self", tasks=1)
    stream = app.stream("in", str, key=str)
    stream.outer_join(stream, both, within="10 ms", late="too-late").to("out")
    with feeding(app) as feed:
        feed(("in", "x", "now", 100))
        assert feed(("in", "k", "A", 5)) == []
        assert late(feed) == [("k", "A", 5)]
        assert feed(("in", "k", "B", 85)) == [("k", "B+B", 85)]
        assert late(feed) == []


def test_what_has_closed_by_silence_is_not_joined_afterwards():
    app = hf.App("silent", tasks=1)
    left = app.stream("l", str, key=str, close_on_idle="1 minute")
    right = app.stream("r", str, key=str, close_on_idle="1 minute")
    left.left_join(right, both, within="10 seconds", late="too-late").to("out")
    with feeding(app) as feed:
        feed(("l", "k", "A", 5_000), ("r", "x", "x", 6_000))
        feed.driver.advance(minutes=2)
        assert feed() == [("k", "A+null", 5_000)]
        assert feed(("r", "k", "partner", 7_000)) == []
        assert late(feed) == [("k", "partner", 7_000)]


class LateModel(Model):
    """The same with a topic for late records."""

    def __init__(self, how, before, after, grace):
        super().__init__(how, before, after, grace)
        self.emitted, self.late = set(), []

    def take(self, side, key, value, time):
        self.now = max(self.now, time)
        if value is None:
            return
        if time == self.now:
            self.close()
        other = "r" if side == "l" else "l"
        before, after = self.reach[side]
        gone = self.latest[other] - self.retention
        first, to = max(0, time - before, gone + 1), time + after
        found = [each for each in self.stored[other] if each[0] == key and first <= each[1] <= to]
        partners = [each for each in found if each[2] not in self.emitted]
        for _, when, met in sorted(partners, key=lambda each: each[1]):
            self.waiting = [each for each in self.waiting if each[:3] != (when, other, key)]
            self.give(side, key, value, met, max(time, when))
        self.latest[side] = max(self.latest[side], time)
        self.stored[side].append((key, time, value))
        closed = to + self.grace < self.now
        nobody = closed if side in self.alone else to <= gone or time <= self.latest[side] - self.retention
        if len(partners) < len(found) or (not partners and nobody):
            self.late.append((key, value, time))
        elif not partners and side in self.alone:
            self.waiting.append((time, side, key, value))

    def give(self, side, key, value, other, time):
        super().give(side, key, value, other, time)
        if other == NOTHING:
            self.emitted.add(value)


@pytest.mark.parametrize("seed", range(24))
def test_it_gives_what_the_model_gives(seed):
    chance = random.Random(seed)
    how = chance.choice(["inner", "left", "outer"])
    spans = chance.choice([0, 1, 5, 20]), chance.choice([0, 3, 5, 20]), chance.choice([0, 0, 4, 30])
    given = list(records(chance, 160))
    model = LateModel(how, *spans)
    for record in given:
        model.take(*record)
    assert_no_contradiction(model.out)
    app = joined_sides(HOW[how], within=window(*spans), late="too-late")
    for sizes in [(len(given),), (3, 17, 40)]:
        with piped(app, given, *sizes) as driver:
            assert per_key(timed(driver, "out")) == per_key(model.out)
            assert timed(driver, "too-late") == model.late


def assert_no_contradiction(results):
    """Every value is one record's: none of them is both alone and in a pair."""
    alone, paired = set(), set()
    for _, text, _ in results:
        left, right = text.split("+")
        (alone if NOTHING in (left, right) else paired).update({left, right} - {NOTHING})
    assert not alone & paired
