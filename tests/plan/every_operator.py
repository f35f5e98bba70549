"""One program with every operator, and one with every way to keep and to share state, as a user writes them."""

from __future__ import annotations

from dataclasses import dataclass

import holdfast as hf
from holdfast import functions as F


@dataclass
class Total:
    cents: int = 0


@hf.stateful(state=Total, returns=int, ttl="1 day")
def add(key, order, state, timers):
    state.cents += 1
    return state.cents


@hf.stateful(state={"seen": int}, returns=(str, int))
def pairs(key, order, state, timers):
    return key, 1


kept = hf.StateStore("kept", key=str, value=int)


class Twice(hf.Processor[str, int]):
    own = hf.StateStore(key=str, value=int)
    children = {"large": int, "other": (str, str)}

    def process(self, record):
        self.context.forward(record)


class First(hf.Processor[str, int]):
    kept = kept

    def process(self, record):
        self.context.forward(record)


class Second(First):
    pass


def program() -> hf.App:
    """Every operator."""
    app = hf.App("all", tasks=4)
    orders = app.stream("orders", "id BIGINT, amount DOUBLE, country STRING, tags ARRAY<STRING>", key=str)
    again = app.stream("returns", "id BIGINT, amount DOUBLE, country STRING, tags ARRAY<STRING>", key=str)
    numbers = app.stream("numbers", int, key=str, close_on_idle="5 seconds", max_ahead="1 hour")
    users = app.table("users", "name STRING, city STRING, age BIGINT", key=str, store="users")
    cities = app.table("cities", "land STRING", key=str)
    lands = app.global_table("lands", "title STRING", key=str)
    past = app.table("past", "price DOUBLE", key=str, store=hf.Materialized("past", versioned="1 hour"))
    _stateless(orders, again, numbers)
    _joins(orders, again, users, cities, lands, past)
    _tables(users, numbers)
    _groups(orders, again, users)
    _functions(numbers)
    app.source(lambda spark: spark.readStream.format("rate").load(), key="value").to("rates")
    return app


def _stateless(orders: hf.Stream, again: hf.Stream, numbers: hf.Stream) -> None:
    large = orders.filter(lambda o: o.amount > 10).filter_not(lambda o: o.country == "xx")
    sure = large.require(lambda o: o.id > 0, reason="no id").merge(again).sample(0.5, by="key", seed=7).print("sure")
    ways = sure.split(dear=lambda o: o.amount > 100, cheap=lambda o: o.amount < 1)
    ways.dear.map(lambda k, o: (o.country, o.amount)).to("dear", headers=lambda v: {"x": "y"})
    ways.cheap.map_values(lambda o: o.amount).select_key(lambda v: v).repartition(tasks=2).to("cheap")
    ways.rest.flat_map_values(lambda o: o.tags).to(lambda t: F.concat(F.lit("tag-"), t))
    orders.flat_map(lambda o: [(o.country, o.id), (o.country, o.id + 1)]).group_by_key().count(store="flat").to("flat")
    moved = numbers.repartition()
    moved.to("moved", key=hf.string(), value=hf.int64())
    moved.deduplicate(lambda v: v, within="10 minutes").to_table(
        store=hf.Materialized("once", ttl="1 hour")
    ).to_stream().to("once")


def _joins(
    orders: hf.Stream, again: hf.Stream, users: hf.Table, cities: hf.Table, lands: hf.GlobalTable, past: hf.Table
) -> None:
    named = orders.join(users).left_join(lands, lambda o, land: dict(o, title=land.title), on="country")
    named.select_key("city").join(cities, lambda o, c: dict(o, land=c.land)).to("placed")
    orders.join(past, lambda o, p: p.price, grace="1 minute").to("priced")
    orders.left_join(past, lambda o, p: p.price, grace="1 minute", store="waiting").to("priced-too")
    orders.join(again, lambda x, y: x.amount - y.amount, within="1 hour", grace="1 minute", late="late").to("back")
    orders.outer_join(again, lambda x, y: y.amount, within=hf.JoinWindow(before="1 s", after="2 s"), store="both").to(
        "outer"
    )
    users.join(cities, on="city", store="homes").to("homes")
    users.left_join(lands, lambda u, land: land.title, on="city").filter(lambda v: v != "x").to("titles")
    users.outer_join(cities, lambda u, c: c.land).to("outer-table")
    users.join(lands, lambda u, land: land.title, store="titled").to("titled")


def _tables(users: hf.Table, numbers: hf.Stream) -> None:
    old = users.filter(lambda u: u.age > 60, store="old").filter_not(lambda u: u.age > 100)
    old.map_values(lambda u: u.age, store=hf.Materialized("ages", versioned="1 day")).to("ages")
    users.map_values(hf.python(lambda u: 1, returns=int), store="ones").to("ones")
    users.filter(hf.python(lambda u: True, returns=bool)).to("some")
    users.suppress(hf.until_time("1 s", max_records=5)).to("calm")
    users.group_by("city").count(store="per-city").to("per-city")
    users.group_by("city").aggregate(
        0, lambda s, u: s + u.age, subtract=lambda s, u: s - u.age, store="age-per-city"
    ).suppress(hf.until_time("2 s"), store="held").to("age-per-city")
    numbers.map_values(hf.python(lambda n: n + 1, returns=int)).to("more")


def _groups(orders: hf.Stream, again: hf.Stream, users: hf.Table) -> None:
    grouped, other = orders.group_by("country"), again.group_by("country")
    grouped.agg(total=F.sum("amount"), n=F.count("*")).to("totals")
    grouped.reduce(lambda x, y: y, store="last").to("last")
    grouped.top(3, by="amount", store="best").to("best")
    grouped.windowed_by(hf.tumbling("1 minute", grace="5 s", emit="final"), late="too-late").count(store="minutes").to(
        "minutes"
    )
    grouped.windowed_by(hf.hopping("1 minute", advance="10 s")).count().suppress(hf.until_window_closes()).to("hops")
    grouped.windowed_by(hf.session("5 minutes")).aggregate(
        0, lambda s, o: s + 1, merge=lambda x, y: x + y, store="visits"
    ).to("visits")
    grouped.windowed_by(hf.sliding_count(3)).agg(total=F.sum("amount")).to("last-three")
    both = hf.cogroup((grouped, lambda s, o: s + o.amount), (other, lambda s, o: s - o.amount))
    both.aggregate(0.0, store="balance").to("balance")
    wrong = hf.sequence(small=lambda o: o.amount < 1, large=hf.repeat(lambda o: o.amount > 9, 2))
    grouped.match(wrong, within="1 minute").to("guessed")


def _functions(numbers: hf.Stream) -> None:
    numbers.process(add, store="sums").to("sums")
    numbers.process(pairs).to("pairs")
    twice = numbers.process(Twice, store="twice")
    twice.to("twice")
    twice.child("large").filter(lambda v: v > 1).to("twice-large")
    twice.child("other").group_by_key().count(store="others").to("others")
    numbers.process(First).process(Second).to("shared")


def tables_in_stages() -> hf.App:
    """Tables that are read in several stages, directly, through views and by a foreign key."""
    app = hf.App("stages", tasks=2)
    visits = app.stream("visits", "place STRING, land STRING", key=str)
    users = app.table("users", "name STRING, city STRING", key=str, store=hf.Materialized("users", ttl="1 day"))
    lands = app.global_table("lands", "title STRING", key=str, store="lands")
    active = users.filter(lambda u: u.name != "")
    first = visits.join(active)
    first.select_key("land").join(active.map_values(lambda u: u.name), lambda v, n: n).group_by_key().count(
        store="n"
    ).to_stream().group_by(lambda n: F.cast(n, "string")).count(store="m").join(
        users.map_values(lambda u: u.city), lambda n, c: c
    ).to("cities")
    users.join(users, lambda x, y: y.name, on="city").join(lands, lambda n, land: land.title, on=lambda n: n).to("far")
    first.join(lands, lambda v, land: land.title, on="land").group_by_key().count(store="titles").to("titles")
    return app
