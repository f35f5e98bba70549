"""Versioned tables and joins with them against a plain model, over random input and batches."""

import random

import pytest

import holdfast as hf
from tests.driver.helpers import timed
from tests.driver.joins import both, piped


class Versions:
    """Every version of every key, searched from the first to the last."""

    def __init__(self, kept):
        self.kept, self.now, self.puts = kept, -1, {}

    def put(self, key, value, time):
        if time < self.now - self.kept:
            return False
        self.now = max(self.now, time)
        self.puts.setdefault(key, {})[time] = value
        return True

    def at(self, key, time):
        versions = sorted(self.puts.get(key, {}).items())
        if time < self.now - self.kept:
            versions = [each for each in versions[-1:] if each[0] <= time]
        return next((value for when, value in reversed(versions) if when <= time), None)

    def latest(self):
        versions = {key: self.at(key, 10**9) for key in self.puts}
        return {key: value for key, value in versions.items() if value is not None}


class Model:
    """A stream joined with a versioned table, at once and with grace."""

    def __init__(self, kept, grace):
        self.table, self.grace, self.now = Versions(kept), grace, -1
        self.waiting, self.changes, self.at_once, self.later = [], [], [], []

    def take(self, side, key, value, time):
        if side == "r":
            if self.table.put(key, value, time):
                self.changes.append((key, value, time))
            return
        if value is None:
            return
        self.join(self.at_once, key, value, time)
        if time < self.now - self.grace:
            self.join(self.later, key, value, time)
            return
        self.now = max(self.now, time)
        self.waiting.append((time, key, value))
        due = [each for each in self.waiting if each[0] <= self.now - self.grace]
        self.waiting = [each for each in self.waiting if each[0] > self.now - self.grace]
        for time, key, value in sorted(due, key=lambda each: each[0]):
            self.join(self.later, key, value, time)

    def join(self, out, key, value, time):
        out.append((key, f"{value}+{self.table.at(key, time) or 'null'}", time))


def program(kept, grace):
    app = hf.App("versioned", tasks=1)
    sides = app.stream("in", "side STRING, value STRING", key=str).split(left=lambda v: v.side == "l")
    left, right = (side.map_values(lambda v: v.value) for side in (sides.left, sides.rest))
    table = right.to_table(store=hf.Materialized("table", versioned=f"{kept} ms"))
    table.to("changes")
    left.left_join(table, both).to("at-once")
    left.left_join(table, both, grace=f"{grace} ms").to("later")
    return app


def records(chance, n):
    time = 200
    for number in range(n):
        time += chance.choice([0, 0, 1, 2, 5, 40])
        at = time - chance.choice([0, 0, 0, 3, 8, 30, 90])
        value = None if chance.random() < 0.15 else str(number)
        yield chance.choice("lr"), chance.choice("abc"), value, at


def per_key(results):
    return {key: [each for each in results if each[0] == key] for key in "abc"}


@pytest.mark.parametrize("seed", range(16))
def test_it_gives_what_the_model_gives(seed):
    chance = random.Random(seed)
    kept = chance.choice([0, 10, 50, 500])
    grace = chance.choice([0, 5, kept])
    grace = min(grace, kept)
    given = list(records(chance, 200))
    model = Model(kept, grace)
    for record in given:
        model.take(*record)
    for sizes in [(len(given),), (3, 17, 40)]:
        with piped(program(kept, grace), given, *sizes) as driver:
            assert per_key(timed(driver, "changes")) == per_key(model.changes)
            assert per_key(timed(driver, "at-once")) == per_key(model.at_once)
            assert per_key(timed(driver, "later")) == per_key(model.later)
            assert dict(driver.store("table").all()) == model.table.latest()
