"""Batches of any size give what single records give: the same stores, and every update in the same order per key."""

from collections import defaultdict
from itertools import count

from hypothesis import given, settings
from hypothesis import strategies as st

import holdfast as hf
from holdfast import functions as F
from holdfast.testing import Driver
from tests.driver.helpers import timed

Op = tuple[str, int]


class Program:
    """A small random program over records of x and y; every table emits every update."""

    def __init__(self, ops, ends, table, emit):
        self.app = hf.App("random", tasks=4)
        self._emit = emit
        self._numbers = count()
        self._table = self.app.table("names", "n BIGINT", key=str, store=self._store("every")) if table else None
        stream = self.app.stream("in", "x BIGINT, y BIGINT", key=str)
        for name, n in ops:
            stream = getattr(self, "op_" + name)(stream, n)
        stream.to("out")
        self.stores = [f"end-{i}" for i in range(len(ends))]
        for i, (name, n) in enumerate(ends):
            table = getattr(self, "end_" + name)(stream.group_by_key(), n, hf.Materialized(f"end-{i}", emit=emit))
            table.to(f"updates-{i}")

    def _store(self, emit):
        return hf.Materialized(f"table-{next(self._numbers)}", emit=emit)

    def op_filter(self, s, n):
        return s.filter(lambda v: v.x != n)

    def op_map_values(self, s, n):
        return s.map_values(lambda v: dict(x=v.y, y=v.x + n))

    def op_fails(self, s, n):
        return s.map_values(lambda v: dict(x=v.x, y=F.cast(6 / (v.x - n), "bigint")))

    def op_select_key(self, s, n):
        return s.select_key(lambda v: F.cast(v.y % 3, "string"))

    def op_flat_map_values(self, s, n):
        return s.flat_map_values(lambda v: F.when(v.x >= 0, [v, dict(x=v.x + n, y=v.y)]))

    def op_diamond(self, s, n):
        return s.filter(lambda v: v.x > n).merge(s.map_values(lambda v: dict(x=v.y, y=v.y)))

    def op_split(self, s, n):
        ways = s.split(low=lambda v: v.x < n)
        return ways.rest.map_values(lambda v: dict(x=n - v.x, y=v.y)).merge(ways.low)

    def op_reduce(self, s, n):
        table = s.group_by_key().reduce(
            lambda a, b: F.when(b.x != n, dict(x=a.x + b.x, y=b.y)), store=self._store("every")
        )
        return table.to_stream()

    def op_to_table(self, s, n):
        return s.to_table(store=self._store("every")).filter(lambda v: v.x != n).to_stream()

    def op_own_table(self, s, n):
        sums = s.group_by_key().aggregate(n, lambda total, v: total + v.x, store=self._store("every"))
        return s.left_join(sums, lambda v, total: dict(x=v.x, y=total))

    def op_regrouped(self, s, n):
        table = s.to_table(store=self._store("latest")).filter(lambda v: v.x != n)
        by_y = table.group_by(lambda v: F.cast(v.y % 2, "string"))
        return by_y.agg(x=F.sum("x"), y=F.max("y"), store=self._store("every")).to_stream()

    def op_subtracted(self, s, n):
        table = s.group_by_key().reduce(lambda a, b: b, store=self._store("latest"))
        sums = table.group_by(lambda v: F.cast(v.x % 2, "string")).reduce(
            lambda a, b: dict(x=a.x + b.x, y=b.y),
            subtract=lambda a, b: dict(x=a.x - b.x, y=a.y),
            store=self._store("every"),
        )
        return s.left_join(sums, lambda v, total: dict(x=v.x, y=total.x))

    def op_ending(self, s, n):
        return s.to_table(store=hf.Materialized(f"ends-{next(self._numbers)}", ttl="20 ms", emit="every")).to_stream()

    def op_deduplicate(self, s, n):
        return s.deduplicate("x", within="20 ms")

    def op_match(self, s, n):
        steps = hf.sequence(overlap=n % 2 == 0, a=lambda v: v.x >= n, b=lambda v, *, a: v.x != a.x)
        return s.group_by_key().match(steps, within="40 ms").map_values(lambda m: dict(x=m.a.x, y=m.b.x))

    def op_absent(self, s, n):
        steps = hf.sequence(a=hf.repeat(lambda v: v.x >= n, 2, at_least=True), b=hf.absent(lambda v: v.x < n))
        return (
            s.group_by_key()
            .match(steps, within="40 ms")
            .map_values(lambda m: dict(x=F.cast(F.size(m.a), "bigint"), y=m.a[0].y))
        )

    def op_join(self, s, n):
        if self._table is None:
            return s
        return s.join(self._table, lambda v, t: dict(x=v.x + t.n, y=v.y))

    def op_left_join(self, s, n):
        if self._table is None:
            return s
        view = self._table.filter(lambda t: t.n != n).map_values(lambda t: t.n * 10)
        return s.left_join(view, lambda v, t: dict(x=v.x, y=t))

    def end_count(self, grouped, n, store):
        return grouped.count(store=store)

    def end_agg(self, grouped, n, store):
        return grouped.agg(all=F.collect_list("x"), total=F.sum("y"), last=F.last("x"), mean=F.avg("x"), store=store)

    def end_ratio(self, grouped, n, store):
        return grouped.agg(ratio=F.sum("x") / F.sum("y"), seen=F.collect_set("x"), store=store)

    def end_regrouped(self, grouped, n, store):
        table = grouped.aggregate(dict(x=0, y=0), lambda s, v: dict(x=s.x + v.x, y=v.y), store=self._store("latest"))
        return table.group_by("y").top(2, by="x", store=store)

    def end_top(self, grouped, n, store):
        return grouped.top(n + 1, by="x", distinct="y" if n % 2 else None, store=store)

    def end_reduce(self, grouped, n, store):
        return grouped.reduce(lambda a, b: F.when(b.x != n, dict(x=a.x + 1, y=b.y)), store=store)


def names(prefix):
    return [name.removeprefix(prefix) for name in dir(Program) if name.startswith(prefix)]


small = st.integers(0, 3)
ops = st.lists(st.tuples(st.sampled_from(names("op_")), small), max_size=4)
ends = st.lists(st.tuples(st.sampled_from(names("end_")), small), min_size=1, max_size=2)
keys = st.sampled_from(["a", "b", "c", "0", "1", None])
maybe = st.one_of(small, st.none())
rows = st.one_of(st.none(), st.fixed_dictionaries({"x": maybe, "y": maybe}))
numbers = st.one_of(st.none(), st.fixed_dictionaries({"n": small}))
record = st.one_of(st.tuples(st.just("in"), keys, rows), st.tuples(st.just("names"), keys, numbers))


@st.composite
def cases(draw):
    """A program, its input, and sizes of batches. Two topics have one order only if time goes on between them."""
    table = draw(st.booleans())
    records = [r for r in draw(st.lists(record, max_size=14)) if table or r[0] == "in"]
    times = list(range(100, 100 + len(records)))
    if not table:
        times = [draw(st.integers(0, 200)) for _ in records]
    return draw(ops), draw(ends), table, list(zip(records, times, strict=True)), draw(st.integers(2, 15))


def run(program, records, size):
    with Driver(program.app) as driver:
        for start in range(0, len(records), size):
            with driver.batch():
                for (topic, key, value), at in records[start : start + size]:
                    driver.pipe(topic, value, key=key, timestamp=at)
        stores = {name: dict(driver.store(name).all()) for name in program.stores}
        outputs = {f"updates-{i}": per_key(timed(driver, f"updates-{i}")) for i in range(len(program.stores))}
        # After a change of key alone, records of one key come from several tasks; the next stage has them in order.
        outputs["out"] = sorted(timed(driver, "out"), key=repr)
        refused = sorted((x.node, x.reason, x.record.headers["hf-offset"]) for x in driver.dead_letters())
    return stores, outputs, refused


def per_key(records):
    out = defaultdict(list)
    for key, value, at in records:
        out[key].append((value, at))
    return dict(out)


@settings(max_examples=60, deadline=None)
@given(cases())
def test_every_update_is_the_same_whatever_the_batches(case):
    ops, ends, table, records, size = case
    program = Program(ops, ends, table, "every")
    assert run(program, records, size) == run(program, records, 1)


@settings(max_examples=40, deadline=None)
@given(cases())
def test_the_latest_update_is_what_the_store_holds(case):
    ops, ends, table, records, size = case
    program = Program(ops, ends, table, "latest")
    stores, outputs, refused = run(program, records, size)
    assert (stores, refused) == run(program, records, 1)[::2]
    for i, name in enumerate(program.stores):
        last = {key: updates[-1][0] for key, updates in outputs[f"updates-{i}"].items()}
        assert {key: value for key, value in last.items() if value is not None} == stores[name]
