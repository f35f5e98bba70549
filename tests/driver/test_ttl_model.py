"""Entries that end, against a plain model that looks at all of them for every record."""

from collections import Counter, defaultdict

from hypothesis import given, settings
from hypothesis import strategies as st

import holdfast as hf
from holdfast import functions as F
from holdfast.testing import Driver
from tests.driver.helpers import timed

TTL = 10


class Model:
    """A table whose entries expire, and what it emits."""

    def __init__(self, counts):
        self.counts = counts
        self.now = -1
        self.entries = {}
        self.updates = []
        self.late = 0

    def take(self, key, value, at):
        if self.counts and value is None:
            return
        self.now = max(self.now, at)
        for ended in [k for k, (_, time) in self.entries.items() if time + TTL <= self.now]:
            self.updates.append((ended, None, self.entries.pop(ended)[1] + TTL))
        before, time = self.entries.get(key, (0, at))
        time = max(time, at) if self.counts else at
        if value is not None and time + TTL <= self.now:
            self.late += 1
            return
        self.entries.pop(key, None)
        new = before + 1 if self.counts else value
        self.updates.append((key, new, time))
        if new is not None:
            self.entries[key] = (new, time)

    @property
    def values(self):
        return {key: value for key, (value, _) in self.entries.items()}


def program(emit):
    app = hf.App("ending", tasks=1)
    stream = app.stream("in", int, key=str)
    table = stream.to_table(store=hf.Materialized("table", ttl="10 ms", emit=emit))
    table.to("out-table")
    stream.group_by_key().count(store=hf.Materialized("counts", ttl="10 ms", emit=emit)).to("out-counts")
    table.map_values(lambda v: v * 10, store="tenfold")
    table.group_by(lambda v: v).count(store="groups")
    return app


def run(emit, records, size):
    with Driver(program(emit)) as driver:
        for start in range(0, len(records), size):
            with driver.batch():
                for key, value, at in records[start : start + size]:
                    driver.pipe("in", value, key=key, timestamp=at)
        updates = {name: per_key(timed(driver, f"out-{name}")) for name in ("table", "counts")}
        stores = {name: dict(driver.store(name).all()) for name in ("table", "counts", "tenfold", "groups")}
        assert driver.dead_letters() == []
        return updates, stores, len(driver.late())


def per_key(updates):
    out = defaultdict(list)
    for key, value, at in updates:
        out[key].append((value, at))
    return dict(out)


values = st.one_of(st.none(), st.integers(0, 2))
inputs = st.lists(st.tuples(st.sampled_from("abc"), values, st.integers(0, 60)), max_size=16)


def models(records):
    table, counts = Model(False), Model(True)
    for record in records:
        table.take(*record)
        counts.take(*record)
    return table, counts


@settings(max_examples=40, deadline=None)
@given(inputs, st.integers(1, 16))
def test_every_update_is_that_of_the_model(records, size):
    updates, stores, late = run("every", records, size)
    table, counts = models(records)
    assert updates == {"table": per_key(table.updates), "counts": per_key(counts.updates)}
    assert (stores["table"], stores["counts"]) == (table.values, counts.values)
    assert late == table.late + counts.late


@settings(max_examples=40, deadline=None)
@given(inputs, st.integers(1, 16))
def test_what_is_made_of_the_table_holds_what_the_table_holds(records, size):
    updates, stores, _ = run("latest", records, size)
    table, counts = models(records)
    assert (stores["table"], stores["counts"]) == (table.values, counts.values)
    assert stores["tenfold"] == {key: value * 10 for key, value in table.values.items()}
    assert {group: n for group, n in stores["groups"].items() if n} == Counter(table.values.values())
    last = {key: emitted[-1][0] for key, emitted in updates["table"].items()}
    assert {key: value for key, value in last.items() if value is not None} == table.values


lookups = st.lists(st.tuples(st.sampled_from(["in", "visits"]), st.sampled_from("ab"), st.integers(1, 9)), max_size=16)


@settings(max_examples=40, deadline=None)
@given(lookups, st.integers(1, 16))
def test_a_join_sees_what_has_not_ended(records, size):
    app = hf.App("seeing", tasks=1)
    table = app.table("in", int, key=str, store=hf.Materialized("table", ttl="10 ms"))
    visits = app.stream("visits", int, key=str)
    visits.left_join(table, lambda v, t: F.coalesce(t, F.lit(-1))).to("out")
    visits.select_key(lambda k, v: k).left_join(table.filter(lambda t: t > 0), lambda v, t: t).to("moved")
    model, seen, at = Model(False), [], 0
    with Driver(app) as driver:
        for start in range(0, len(records), size):
            with driver.batch():
                for topic, key, step in records[start : start + size]:
                    at += step
                    driver.pipe(topic, step, key=key, timestamp=at)
                    if topic == "in":
                        model.take(key, step, at)
                    else:
                        seen.append((key, model.values.get(key, -1), at))
        assert timed(driver, "out") == seen
        assert timed(driver, "moved") == [(key, None if value < 0 else value, time) for key, value, time in seen]
