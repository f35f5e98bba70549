"""Aggregates of tables against a plain model that looks at all rows after every change."""

from collections import defaultdict
from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

import holdfast as hf
from holdfast import functions as F
from holdfast.testing import Driver
from tests.driver.helpers import timed

GONE = object()


def stored(name, emit):
    return hf.Materialized(name, emit=emit)


def numbers(rows):
    return [row["x"] for row in rows if row["x"] is not None]


def total(rows):
    found = numbers(rows)
    return {"n": len(rows), "total": sum(found) if found or not rows else None}


def floating(rows):
    out = 0.0
    for x in numbers(rows):
        out += x / 10
    return {"total": out if numbers(rows) or not rows else None}


def extremes(rows):
    if not rows:
        return GONE
    found = numbers(rows)
    mean = sum(found) / len(found) if found else None
    return {"low": min(found, default=None), "mean": mean, "all": found, "last": rows[-1]["x"]}


def best(rows):
    ranked = sorted(rows, key=lambda row: (row["x"] is None, -(row["x"] or 0)))
    return [row["x"] for row in ranked[:2]] if rows else GONE


def joined(rows):
    return "".join(row["s"] for row in rows) if rows else GONE


AGGREGATES = {
    "count": (lambda g, store: g.count(store=store), len),
    "total": (lambda g, store: g.agg(n=F.count("*"), total=F.sum("x"), store=store), total),
    "decimal": (
        lambda g, store: g.agg(n=F.count("*"), total=F.sum(F.cast(F.col("x"), "decimal(10, 0)")), store=store),
        total,
    ),
    "floating": (lambda g, store: g.agg(total=F.sum(F.col("x") / 10), store=store), floating),
    "extremes": (
        lambda g, store: g.agg(low=F.min("x"), mean=F.avg("x"), all=F.collect_list("x"), last=F.last("x"), store=store),
        extremes,
    ),
    "best": (lambda g, store: g.top(2, by="x", store=store).map_values(lambda v: F.transform(v, lambda r: r.x)), best),
    "joined": (
        lambda g, store: g.aggregate("", lambda state, row: F.concat(state, row.s), store=store),
        joined,
    ),
    "subtracted": (
        lambda g, store: g.aggregate(0, lambda n, row: n + row.y, subtract=lambda n, row: n - row.y, store=store),
        lambda rows: sum(row["y"] for row in rows),
    ),
}


def program(emits):
    app = hf.App("aggregates", tasks=3)
    table = app.table("in", "g STRING, x BIGINT, y BIGINT, s STRING", key=str, store=stored("table", emits[0]))
    shown = table.filter(lambda row: row.y != 0)
    for name, (make, _) in AGGREGATES.items():
        make(shown.group_by("g"), stored(name, emits[1])).to(f"out-{name}")
    return app


def model(records, value_of):
    """Every update as (group, value, time), and the groups at the end."""
    table, groups, times, updates = {}, defaultdict(dict), {}, []
    for key, row, at in records:
        old, new = table.get(key), row if row and row["y"] != 0 else None
        table[key] = new
        places = [r and r["g"] for r in (old, new)]
        for group in dict.fromkeys(place for place in places if place is not None):
            groups[group].pop(key, None)
            if places[1] == group:
                groups[group][key] = new
            times[group] = max(times.get(group, at), at)
            value = value_of(list(groups[group].values()))
            updates.append((group, None if value is GONE else value, times[group]))
            if value is GONE:
                del times[group], groups[group]
    return updates, {group: value_of(list(rows.values())) for group, rows in groups.items()}


def run(emits, records, size):
    with Driver(program(emits)) as driver:
        for start in range(0, len(records), size):
            with driver.batch():
                for key, row, at in records[start : start + size]:
                    driver.pipe("in", row, key=key, timestamp=at)
        updates = {name: per_group(timed(driver, f"out-{name}")) for name in AGGREGATES}
        stores = {name: dict(driver.store(name).all()) for name in AGGREGATES}
        return updates, stores, len(driver.dead_letters())


def per_group(updates):
    out = defaultdict(list)
    for group, value, at in updates:
        out[group].append((value, at))
    return dict(out)


rows = st.fixed_dictionaries(
    {
        "g": st.sampled_from(["p", "q", "r", None]),
        "x": st.one_of(st.none(), st.integers(-3, 3)),
        "y": st.integers(0, 2),
        "s": st.sampled_from("abc"),
    }
)
inputs = st.lists(st.tuples(st.sampled_from("klm"), st.one_of(st.none(), rows), st.integers(0, 50)), max_size=14)


@settings(max_examples=25, deadline=None)
@given(inputs, st.integers(1, 8))
def test_every_update_is_that_of_the_model(records, size):
    updates, stores, refused = run(("every", "every"), records, size)
    for name, (_, value_of) in AGGREGATES.items():
        expected, groups = model(records, value_of)
        assert updates[name] == per_group(expected), name
        assert {group: shown(name, value) for group, value in stores[name].items()} == groups, name
    without_group = [row for _, row, _ in records if row and row["y"] != 0 and row["g"] is None]
    assert refused == len(without_group) * len(AGGREGATES)


def shown(name, value):
    return [row["x"] for row in value] if name == "best" else value


@settings(max_examples=25, deadline=None)
@given(inputs, st.integers(2, 14))
def test_the_tables_do_not_depend_on_the_batches(records, size):
    updates, stores, _ = run(("latest", "latest"), records, size)
    for name, (_, value_of) in AGGREGATES.items():
        _, groups = model(records, value_of)
        assert {group: shown(name, value) for group, value in stores[name].items()} == groups, name
        last = {group: emitted[-1][0] for group, emitted in updates[name].items()}
        assert {group: value for group, value in last.items() if value is not None} == groups, name
        assert all(
            one[0] is not None or other[0] is not None
            for emitted in updates[name].values()
            for one, other in pairwise(emitted)
        )
