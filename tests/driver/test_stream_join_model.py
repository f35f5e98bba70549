"""Joins of two streams against a plain model of what Kafka Streams' processors do, over random input and batches."""

import random

import pytest

import holdfast as hf
from tests.driver.joins import in_batches, joined_sides

NOTHING = "null"


class Model:
    """Both sides as lists that are searched from one end to the other."""

    def __init__(self, how, before, after, grace):
        self.reach = {"l": (before, after), "r": (after, before)}
        self.grace, self.retention = grace, max(1, before + after + grace)
        self.alone = {"inner": "", "left": "l", "outer": "lr"}[how]
        self.stored = {"l": [], "r": []}
        self.latest = {"l": -1, "r": -1}
        self.waiting = []
        self.now = -1
        self.out = []

    def take(self, side, key, value, time):
        self.now = max(self.now, time)
        if value is None:
            return
        if time == self.now:
            self.close()
        other = "r" if side == "l" else "l"
        before, after = self.reach[side]
        first = max(0, time - before, self.latest[other] - self.retention + 1)
        partners = [each for each in self.stored[other] if each[0] == key and first <= each[1] <= time + after]
        for _, when, met in sorted(partners, key=lambda each: each[1]):
            self.waiting = [each for each in self.waiting if each[:3] != (when, other, key)]
            self.give(side, key, value, met, max(time, when))
        if not partners and side in self.alone:
            if time + after < self.now:
                self.give(side, key, value, NOTHING, time)
            else:
                self.waiting.append((time, side, key, value))
        self.stored[side].append((key, time, value))
        self.latest[side] = max(self.latest[side], time)

    def close(self):
        closed = [each for each in self.waiting if each[0] + self.reach[each[1]][1] + self.grace < self.now]
        for each in sorted(closed, key=lambda each: (each[0], each[1] == "l", each[2])):
            self.waiting.remove(each)
            time, side, key, value = each
            self.give(side, key, value, NOTHING, time)

    def give(self, side, key, value, other, time):
        left, right = (value, other) if side == "l" else (other, value)
        self.out.append((key, f"{left}+{right}", time))


def records(chance, n):
    """Mostly forward in time, sometimes back, sometimes far ahead."""
    time = 100
    for number in range(n):
        time += chance.choice([0, 0, 1, 2, 5, 40])
        at = max(0, time - chance.choice([0, 0, 0, 3, 8, 30, 90]))
        value = None if chance.random() < 0.05 else str(number)
        yield chance.choice("lr"), chance.choice("abc"), value, at


def per_key(results):
    return {key: [each for each in results if each[0] == key] for key in "abc"}


@pytest.mark.parametrize("seed", range(24))
def test_it_gives_what_the_model_gives(seed):
    chance = random.Random(seed)
    how = chance.choice(["inner", "left", "outer"])
    before, after, grace = chance.choice([0, 1, 5, 20]), chance.choice([0, 3, 5, 20]), chance.choice([0, 0, 4, 30])
    given = list(records(chance, 160))
    model = Model(how, before, after, grace)
    for record in given:
        model.take(*record)
    window = hf.JoinWindow(before=f"{before} ms", after=f"{after} ms", grace=f"{grace} ms")
    app = joined_sides({"inner": "join"}.get(how, f"{how}_join"), within=window)
    for sizes in [(len(given),), (3, 17, 40)]:
        assert per_key(in_batches(app, given, *sizes)) == per_key(model.out)
