"""Joins of tables, however they are put together, give what a plain model gives, in batches of any size."""

from collections import defaultdict

from hypothesis import given, settings
from hypothesis import strategies as st

import holdfast as hf
from holdfast import functions as F
from holdfast.testing import Driver
from tests.driver.helpers import timed
from tests.driver.table_joins import feed

TOPICS = ("a", "b", "g")
SCHEMA = "n BIGINT, to BIGINT"


def sums(left, right):
    """What each join makes: a number, and a reference of the left or else of the right."""
    return dict(n=F.coalesce(left.n, F.lit(0)) * 2 + F.coalesce(right.n, F.lit(100)), to=F.coalesce(left.to, right.to))


def summed(left, right):
    """The same for the model."""
    n = (left["n"] if left else 0) * 2 + (right["n"] if right else 100)
    to = next((side["to"] for side in (left, right) if side and side["to"] is not None), None)
    return {"n": n, "to": to}


class Tables:
    """A program over tables and its model: each step is a table and a function of the topics' tables."""

    def __init__(self, steps, emit):
        self.app, self.emit = hf.App("tables", tasks=3), emit
        self.tables = [self.app.table(t, SCHEMA, key=int, store=self.store(t)) for t in TOPICS[:2]]
        self.titles = self.app.global_table("g", SCHEMA, key=int)
        self.models = [lambda topics, t=t: topics[t] for t in TOPICS[:2]]
        self.names = []
        for number, (name, left, right, stored) in enumerate(steps):
            self.add(number, name, left % len(self.tables), right % len(self.tables), stored)

    def store(self, name):
        return hf.Materialized(name, emit=self.emit)

    def add(self, number, name, left, right, stored):
        table = getattr(self, "op_" + name)(left, right, self.store(f"t{number}") if stored else None)
        self.tables.append(table)
        if stored:
            self.names.append(f"t{number}")
        table.to(f"out{number}")

    def by_key(self, how, left, right, store):
        one, two = self.models[left], self.models[right]
        self.models.append(lambda topics: joined(how, one(topics), two(topics)))
        return getattr(self.tables[left], f"{how}_join".removeprefix("inner_"))(self.tables[right], sums, store=store)

    def referring(self, how, left, right, store):
        one, two = self.models[left], self.models[right]
        self.models.append(lambda topics: referred(how, one(topics), two(topics)))
        method = getattr(self.tables[left], f"{how}_join".removeprefix("inner_"))
        return method(self.tables[right], sums, on="to", store=store)

    def op_inner(self, left, right, store):
        return self.by_key("inner", left, right, store)

    def op_left(self, left, right, store):
        return self.by_key("left", left, right, store)

    def op_outer(self, left, right, store):
        return self.by_key("outer", left, right, store)

    def op_referring(self, left, right, store):
        return self.referring("inner", left, right, store)

    def op_referring_left(self, left, right, store):
        return self.referring("left", left, right, store)

    def op_global(self, left, right, store):
        one = self.models[left]
        self.models.append(lambda topics: referred("left", one(topics), topics["g"]))
        return self.tables[left].left_join(self.titles, sums, on="to", store=store)

    def op_filter(self, left, right, store):
        one = self.models[left]
        self.models.append(lambda topics: {k: v for k, v in one(topics).items() if v["n"] % 3 != 0})
        return self.tables[left].filter(lambda v: v.n % 3 != 0).map_values(lambda v: v, store=store)

    def op_grouped(self, left, right, store):
        """What a join takes back must be what it gave, or the groups do not add up."""
        one = self.models[left]
        self.models.append(lambda topics: grouped(one(topics)))
        group = self.tables[left].group_by(lambda v: F.coalesce(v.to, F.lit(1)))
        return group.agg(n=F.max("n"), to=F.min("to"), store=store or self.store(f"grouped{len(self.tables)}"))


def grouped(rows):
    groups = defaultdict(list)
    for row in rows.values():
        groups[1 if row["to"] is None else row["to"]].append(row)
    return {
        key: {
            "n": max(row["n"] for row in found),
            "to": min((row["to"] for row in found if row["to"] is not None), default=None),
        }
        for key, found in groups.items()
    }


def joined(how, left, right):
    keys = {"inner": left.keys() & right.keys(), "left": left.keys(), "outer": left.keys() | right.keys()}[how]
    return {key: summed(left.get(key), right.get(key)) for key in keys}


def referred(how, left, right):
    found = {key: (value, right.get(value["to"])) for key, value in left.items()}
    return {key: summed(*both) for key, both in found.items() if both[1] or how == "left"}


def last_values(records):
    topics = {topic: {} for topic in TOPICS}
    for topic, key, value, _ in records:
        topics[topic].pop(key, None)
        if value is not None:
            topics[topic][key] = value
    return topics


def run(tables, records, size):
    with Driver(tables.app) as driver:
        feed(driver, records, size)
        stores = {name: dict(driver.store(name).all()) for name in tables.names}
        emitted = []
        for number in range(len(tables.tables) - 2):
            per_key = defaultdict(list)
            for key, value, at in timed(driver, f"out{number}"):
                per_key[key].append((value, at))
            emitted.append(dict(per_key))
        assert driver.dead_letters() == []
    return stores, emitted


OPS = [name.removeprefix("op_") for name in dir(Tables) if name.startswith("op_")]
position = st.integers(0, 5)
steps = st.lists(st.tuples(st.sampled_from(OPS), position, position, st.booleans()), min_size=1, max_size=4)
keys = st.integers(0, 2)
values = st.one_of(st.none(), st.fixed_dictionaries({"n": st.integers(0, 4), "to": st.one_of(keys, keys, st.none())}))
changes = st.lists(st.tuples(st.sampled_from(TOPICS), keys, values), min_size=2, max_size=25)
sizes = st.integers(2, 10)


def in_order(changes):
    return [(*change, at) for at, change in enumerate(changes)]


@settings(max_examples=60, deadline=None)
@given(steps, changes, sizes)
def test_every_update_is_the_same_whatever_the_batches_and_the_tables_are_the_models(steps, changes, size):
    tables, records = Tables(steps, "every"), in_order(changes)
    stores, emitted = run(tables, records, 1)
    assert (stores, emitted) == run(tables, records, size)
    check(tables, records, stores, emitted)


@settings(max_examples=60, deadline=None)
@given(steps, changes, sizes)
def test_the_last_updates_of_batches_end_as_the_models_do(steps, changes, size):
    tables, records = Tables(steps, "latest"), in_order(changes)
    stores, emitted = run(tables, records, size)
    check(tables, records, stores, emitted)


def check(tables, records, stores, emitted):
    topics = last_values(records)
    for number, updates in enumerate(emitted):
        model = tables.models[number + 2](topics)
        ends = {key: found[-1][0] for key, found in updates.items()}
        assert {key: value for key, value in ends.items() if value is not None} == model
        if f"t{number}" in stores:
            assert stores[f"t{number}"] == model
