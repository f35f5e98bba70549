"""What an editor and a type checker see: keys and values carry their types through a program."""

import textwrap
from pathlib import Path

import pytest

from holdfast.dsl.loader import load_app

api = pytest.importorskip("mypy.api")

PROGRAM = """
from dataclasses import dataclass
import holdfast as hf
from holdfast import functions as F

@dataclass
class Score:
    score: int
    game: int

@dataclass
class Player:
    name: str

app = hf.App("typed")
scores = app.stream("scores", Score)
players = app.table("players", Player, key=int)
reveal_type(scores)
reveal_type(players)
reveal_type(scores.select_key(lambda s: s.game))
reveal_type(scores.map(lambda k, s: (s.game, s.score)))
reveal_type(scores.map_values(lambda s: Player("x")))
reveal_type(scores.join(players, lambda s, p: Player(p.name)))
reveal_type(players.join(players, lambda p, q: Player(p.name)))
reveal_type(players.left_join(players, lambda p, q: Player(q.name), on=lambda p: 1))
reveal_type(players.outer_join(players, lambda k, p, q: Player(q.name)))
reveal_type(scores.split(high=lambda s: s.score > 3).high)
reveal_type(scores.group_by(lambda s: s.game).count())
reveal_type(scores.group_by(lambda s: s.game).top(3, by=lambda s: s.score))
reveal_type(scores.group_by_key().windowed_by(hf.tumbling("1 minute")).count())
reveal_type(scores.group_by_key().windowed_by(hf.sliding_count(3)).count())
reveal_type(app.stream("plain", "x INT", key=str))
reveal_type(app.stream("plain", "x INT", key=str).process(hf.stateful(state=Player, returns="x INT")(print)))
reveal_type(app.stream("plain", "x INT", key=str).process(hf.stateful(state=Player, returns=int)(print)))
reveal_type(app.start())
scores.join(players, lambda s, p: dict(n=p.name)).group_by(lambda r: r.n).agg(m=F.max("n"))
scores.select_key(lambda s: s.gme)
scores.join(players, lambda s, p: Player(p.nme))
hf.Ap("typo")
F.uper("x")
"""


def test_types_and_mistakes(tmp_path):
    file = tmp_path / "typed_program.py"
    file.write_text(textwrap.dedent(PROGRAM))
    output, _, _ = api.run(["--config-file=", f"--cache-dir={tmp_path}", "--follow-imports=silent", str(file)])
    revealed = [line.split('"')[1] for line in output.splitlines() if "Revealed" in line]
    assert [each.replace("holdfast.dsl.", "").replace("typed_program.", "") for each in revealed] == [
        "stream.Stream[bytes, Score]",
        "table.Table[int, Player]",
        "stream.Stream[int, Score]",
        "stream.Stream[int, int]",
        "stream.Stream[bytes, Player]",
        "stream.Stream[bytes, Player]",
        "table.Table[int, Player]",
        "table.Table[int, Player]",
        "table.Table[int, Player]",
        "stream.Stream[bytes, Score]",
        "table.Table[int, int]",
        "table.Table[int, list[Score]]",
        "table.Table[holdfast.topics.windowed.Windowed[bytes], int]",
        "table.Table[bytes, int]",
        "stream.Stream[str, Any]",
        "stream.Stream[Any, Any]",
        "stream.Stream[str, int]",
        "holdfast.runtime.running.Running",
    ]
    errors = [line.split("error: ")[1] for line in output.splitlines() if "error: " in line]
    assert errors == [
        '"Score" has no attribute "gme"; maybe "game"?  [attr-defined]',
        '"Player" has no attribute "nme"; maybe "name"?  [attr-defined]',
        'Module has no attribute "Ap"; maybe "App"?  [attr-defined]',
        'Module has no attribute "uper"; maybe "upper"?  [attr-defined]',
    ]


USERS_PROGRAM = """
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

import holdfast as hf
from holdfast import functions as F

@dataclass
class Order:
    customer: str
    item: str
    amount: float
    at: datetime
    discount: float | None = None

@dataclass
class Customer:
    name: str
    city: str

@dataclass
class Bill:
    name: str
    amount: float

@dataclass
class Visits:
    n: int = 0
    seen: list[str] = field(default_factory=list)

app = hf.App("shop", tasks=2)
orders = app.stream("orders", Order, key=str, timestamp="at")
clicks = app.stream(["web", "phone"], "page STRING, user STRING, took INT", key=str)
payments = app.stream("payments", "paid DOUBLE", key=str)
customers = app.table("customers", Customer, key=str, store="customers")
prices = app.table("prices", "price DOUBLE", key=str)
items = app.global_table("items", "title STRING", key=str)

# One record at a time.
clicks.filter(lambda v: v.took > 1).filter_not(F.isnull("user")).require(lambda k, v: F.length(k) > 0, reason="no key")
orders.filter(lambda o: o.discount > 1).map_values(lambda o: dict(o, tax=o.amount * 0.2)).to("taxed")
orders.map(lambda k, o: (o.item, o.amount)).to(lambda k, v: F.concat(F.lit("sold-"), k))
clicks.map_values(lambda c: dict(c, at=hf.timestamp(), slow=F.when(c.took > 9, "slow").otherwise("fine"))).to("clicks")
clicks.flat_map(lambda c: [(c.user, c.page), (c.page, c.user)]).print("pairs")
app.stream("lines", str).flat_map_values(lambda line: F.split(line, " ")).group_by(lambda word: word).count(store="n")
ways = clicks.split(slow=lambda c: c.took > 9, default="fast")
ways.slow.merge(ways.fast).repartition(tasks=2).deduplicate("page", within="1 minute").select_key("user", "page")

# Joins.
bills = orders.join(customers, lambda o, c: Bill(c.name, o.amount)).filter(lambda b: b.amount > 10)
bills.peek(lambda b: print(b.name.upper())).to("bills")
orders.left_join(items, lambda o, i: dict(o, title=F.coalesce(i.title, F.lit("?"))), on=lambda o: o.item).to("named")
orders.join(payments, within=timedelta(minutes=10), late="late").filter(lambda both: both.paid > 0)
orders.outer_join(payments, lambda o, p: dict(amount=o.amount, paid=p.paid), within="1 hour", grace="5 minutes")
customers.join(prices, lambda c, p: dict(c, price=p.price), store="priced").filter(lambda both: both.price > 1)
customers.left_join(prices, on=lambda c: c.city, store=hf.Materialized("by-city", emit="every")).to("by-city")

# Aggregates.
per_city = customers.group_by(lambda c: c.city).count(store="cities")
per_hour = clicks.group_by_key().windowed_by(hf.tumbling("1 hour", grace="1 minute"), late="late-clicks").count()
per_hour.suppress(hf.until_window_closes()).to_stream().map(lambda k, n: (k.key, dict(hour=k.start, n=n))).to("hours")
stats = clicks.group_by("page").agg(n=F.count("*"), mean=F.avg("took"), store="stats")
stats.filter(lambda s: s.n > 10).to("stats")
sums = orders.group_by_key().aggregate(dict(n=0, sum=0.0), lambda s, o: dict(n=s.n + 1, sum=s.sum + o.amount))
sums.map_values(lambda s: s.sum / s.n).to("means")
orders.map_values(lambda o: o.amount).group_by_key().reduce(lambda old, new: old + new, store="spent")
orders.group_by(lambda o: o.item).top(3, by=lambda o: o.amount, distinct="customer").to("top")
both = hf.cogroup((clicks.group_by_key(), lambda s, c: s + 1), (payments.group_by_key(), lambda s, p: s + 1))
both.windowed_by(hf.session("5 minutes")).aggregate(0, merge=lambda a, b: a + b, store="sessions").to("sessions")
large = hf.sequence(probe=lambda p: p.paid < 1, drain=lambda p, *, probe: p.paid > 100 * probe.paid)
payments.group_by_key().match(large, within="10 minutes").map_values(lambda m: m.drain.paid).to("alerts")

# Functions of Python.
def shout(order: Order) -> str:
    return order.item.upper()

async def ask(key: str, order: Order) -> Bill:
    return Bill(key, order.amount)

def longest(state: str, order: Order) -> str:
    return max(state, order.item, key=len)

orders.map_values(hf.python(shout, returns=str)).to("shouted")
orders.map_values(hf.python(ask, returns=Bill, concurrency=10, timeout="1 second")).filter(lambda b: b.amount > 1)
orders.join(customers, hf.python(lambda o, c: f"{c.name}: {o.item}", returns=str)).to("told")
orders.group_by(hf.python(lambda o: o.item[:1], returns=str)).count()
orders.group_by_key().aggregate("", hf.python(longest, returns=str)).to("longest")
orders.foreach(lambda key, order: print(key, order))

# State.
@hf.stateful(state=Visits, returns=str, ttl="1 day")
def watch(key: str, page: str, state: Visits, timers: hf.Timers) -> Any:
    state.n += 1
    if page not in state.seen:
        state.seen.append(page)
        timers.at(timers.timestamp + timedelta(minutes=1), "idle")
    yield f"{key} was here {state.n} times"

@watch.on_timer
def idle(key: str, name: str, state: Visits, timers: hf.Timers) -> Any:
    yield hf.update_state(None)

clicks.map_values("page").process(watch, store="visits").map_values(lambda text: F.upper(text)).to("watched")

class Count(hf.Processor[str, Order]):
    returns = int
    children = ("many",)
    counts = hf.StateStore("counts", key=str, value=int)

    def process(self, record: hf.Record[str, Order]) -> None:
        n = self.counts.get(record.key, 0) + 1
        self.counts[record.key] = n
        self.context.forward(record.replace(value=n), to="many" if n > 9 else None)

counted = orders.process(Count)
counted.filter(lambda n: n > 1).to("counted")
counted.child("many").to("many")

# Routes.
sessions = app.store("sessions")

@app.get("/sessions/{user}")
def of_user(user: str, since: int = 0) -> list[dict[str, object]]:
    return [{"start": window.start, "n": n} for window, n in sessions.windows(user, since)]

if __name__ == "__main__":
    app.run()
"""


def test_a_strict_program_of_a_user_has_no_errors_and_can_be_loaded(tmp_path):
    file = tmp_path / "users_program.py"
    file.write_text(USERS_PROGRAM)
    options = ["--config-file=", f"--cache-dir={tmp_path}", "--follow-imports=silent", "--strict"]
    output, problems, status = api.run([*options, str(file)])
    assert status == 0, output + problems
    assert load_app(file).topology.stores.keys() >= {"customers", "visits", "sessions"}


def test_the_examples_have_no_errors(tmp_path):
    files = sorted(map(str, Path(__file__).parents[2].glob("examples/*/*.py")))
    options = ["--config-file=", f"--cache-dir={tmp_path}", "--follow-imports=silent", "--check-untyped-defs"]
    output, problems, status = api.run([*options, *files])
    assert files
    assert status == 0, output + problems
