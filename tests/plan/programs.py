"""Programs for tests of the planner: each method is one of the DSL's and gives the id of the node that it adds.

Types are such that only Spark knows them, so that any operation may follow any other.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import holdfast as hf
from holdfast import functions as F
from holdfast.plan.planner import plan
from holdfast.topology.graph import Topology

VALUE = "v VARIANT"
Document = dict[str, Any]


def field(name: str, slot: str = "value") -> Any:
    """A field of a value, whatever its type."""
    return F.expr(f"{slot}.{name}")


ADD: dict[str, Callable[[Any], Any]] = {
    "filter": lambda s: s.filter(F.expr("value.n > 1")),
    "filter_not": lambda s: s.filter_not(F.expr("value.n > 1")),
    "require": lambda s: s.require(F.expr("value.n > 1"), reason="n is small"),
    "map": lambda s: s.map(lambda v: (field("k"), field("n"))),
    "map_values": lambda s: s.map_values(field("n")),
    "flat_map": lambda s: s.flat_map(field("items")),
    "flat_map_values": lambda s: s.flat_map_values(field("items")),
    "select_key": lambda s: s.select_key(field("k")),
    "group_by": lambda s: s.group_by(field("k")),
    "group_by_key": lambda s: s.group_by_key(),
    "print": lambda s: s.print("label"),
    "to_stream": lambda t: t.to_stream(),
}

FOLDS: dict[str, Callable[..., Any]] = {
    "count": lambda g, store: g.count(store=store),
    "agg": lambda g, store: g.agg(n=F.count("*"), store=store),
    "reduce": lambda g, store: g.reduce(lambda old, new: new, store=store),
    "aggregate": lambda g, store: g.aggregate(0, lambda state, value: state + 1, store=store),
    "top": lambda g, store: g.top(3, by=field("n"), store=store),
    "to_table": lambda s, store: s.to_table(store=store),
}


class Program:
    """A program that grows by ids."""

    def __init__(self, app: str = "shop", tasks: int = 16) -> None:
        self.app = hf.App(app, tasks=tasks)
        self._handles: dict[str, Any] = {}

    @property
    def nodes(self) -> list[Any]:
        return self.app.graph.nodes

    @property
    def topology(self) -> Topology:
        settings = self.app.settings
        return Topology(self.app.name, settings.tasks, settings.on_error, tuple(self.nodes))

    def plan(self, **options: Any) -> Topology:
        return plan(self.topology, **options)

    def document(self, **options: Any) -> Document:
        return self.plan(**options).json()

    def places(self) -> dict[str, int | None]:
        return {node.id: node.place for node in self.plan().nodes}

    def of(self, id: str) -> Any:
        """The stream or the table of a node."""
        return self._handles[id]

    def made(self, handle: Any) -> str:
        """Remember what a method gave; its nodes have lines as if each were written on one of its own."""
        for number, node in enumerate(self.nodes):
            vars(node)["at"] = f"{self.app.name}.py:{10 + number}"
        self._handles[handle.node.id] = handle
        return str(handle.node.id)

    def add(self, op: str, input: str) -> str:
        return self.made(ADD[op](self.of(input)))

    def stored(self, op: str, input: str, store: Any = None) -> str:
        return self.made(FOLDS[op](self.of(input), store))

    def source(self, *topics: str, key: Any = int) -> str:
        return self.made(self.app.stream(topics[0] if len(topics) == 1 else list(topics), VALUE, key=key))

    def table(self, topic: str, store: Any = None, key: Any = int) -> str:
        return self.made(self.app.table(topic, VALUE, key=key, store=store))

    def global_table(self, topic: str, store: Any = None) -> str:
        return self.made(self.app.global_table(topic, VALUE, key=int, store=store))

    def filter(self, input: str) -> str:
        return self.add("filter", input)

    def map_values(self, input: str) -> str:
        return self.add("map_values", input)

    def select_key(self, input: str, by: str = "k") -> str:
        return self.made(self.of(input).select_key(field(by)))

    def group_by(self, input: str, by: str = "k") -> str:
        return self.made(self.of(input).group_by(field(by)))

    def group_by_key(self, input: str) -> str:
        return self.add("group_by_key", input)

    def count(self, input: str, store: Any = None) -> str:
        return self.stored("count", self.group_by_key(input), store)

    def count_by(self, input: str, store: Any = None, by: str = "k") -> str:
        return self.stored("count", self.group_by(input, by), store)

    def cogroup(self, groups: list[str], store: Any = None) -> str:
        pairs = [(self.of(group), lambda state, value: state + 1) for group in groups]
        return self.made(hf.cogroup(*pairs).aggregate(0, store=store))

    def join(self, stream: str, table: str, left: bool = False) -> str:
        on = field("g") if isinstance(self.of(table), hf.GlobalTable) else None
        method = self.of(stream).left_join if left else self.of(stream).join
        return self.made(method(self.of(table), field("x", "left"), on=on))

    def view(self, table: str, store: Any = None) -> str:
        return self.made(self.of(table).filter(field("active"), store=store))

    def table_join(self, left: str, right: str, store: Any = None) -> str:
        return self.made(self.of(left).join(self.of(right), field("x", "left"), store=store))

    def fk_join(self, left: str, right: str, store: Any = None, by: str = "f", made: str = "x") -> str:
        return self.made(self.of(left).left_join(self.of(right), field(made, "left"), on=field(by), store=store))

    def merge(self, one: str, *others: str) -> str:
        return self.made(self.of(one).merge(*map(self.of, others)))

    def split(self, stream: str) -> tuple[str, str]:
        ways = self.of(stream).split(large=field("large"))
        return self.made(ways.large), self.made(ways.rest)

    def repartition(self, input: str, tasks: int | None = None) -> str:
        return self.made(self.of(input).repartition(tasks=tasks))

    def to(self, input: str, topic: Any) -> None:
        self.of(input).to(topic)
        self.made(self.of(input))


def leaderboard() -> Program:
    p = Program("leaderboard")
    scores = p.source("score-events")
    players = p.table("players")
    products = p.global_table("products")
    scored = p.join(p.select_key(scores, "player_id"), players)
    named = p.made(p.of(scored).join(p.of(products), field("x", "left"), on=field("g")))
    top = p.made(p.of(p.group_by(named, "productId")).top(3, by=field("score"), store="leaderboard"))
    p.to(top, "high-scores")
    return p


def referrals() -> Program:
    """Two stages, a diamond, three outputs, a table read by two joins in different stages."""
    p = Program("referrals")
    orders = p.source("orders", "web-orders")
    customers = p.table("customers", "customers")
    enriched = p.join(orders, customers)
    large, rest = p.split(enriched)
    p.to(large, "large-orders")
    both = p.merge(p.map_values(large), p.map_values(rest))
    active = p.view(customers)
    referred = p.join(p.select_key(both, "referrer"), active)
    p.to(referred, "referrals")
    counted = p.count(referred, "orders-by-referrer")
    p.to(p.add("to_stream", counted), "referral-counts")
    return p
