"""Topologies written by hand, as the DSL would give them."""

from __future__ import annotations

from typing import Any

from holdfast.plan.planner import plan

Node = dict[str, Any]


def field(*path: str, slot: str = "value") -> Node:
    return {"slot": slot, "path": list(path)}


def serde(type: Any = "string", format: str = "text") -> Node:
    return {"format": format, "type": type}


class Program:
    """Builds topology JSON node by node; every method gives the id of the node it adds."""

    def __init__(self, app: str = "shop", tasks: int = 16) -> None:
        self.app, self.tasks = app, tasks
        self.nodes: list[Node] = []

    def json(self) -> Node:
        return {"app": self.app, "holdfast": 1, "tasks": self.tasks, "on_error": "dead-letter", "nodes": self.nodes}

    def plan(self, **options: Any) -> Node:
        return plan(self.json(), **options)

    def places(self) -> dict[str, int]:
        return {node["id"]: node["place"] for node in self.plan()["nodes"]}

    def add(self, op: str, *inputs: str, id: str | None = None, **fields: Any) -> str:
        number = sum(node["op"] == op for node in self.nodes) + 1
        id = id or f"{op}-{number}"
        at = f"{self.app}.py:{10 + len(self.nodes)}"
        self.nodes.append({"id": id, "op": op, "inputs": list(inputs), "at": at, **fields})
        return id

    def store(self, name: str | None, state: str) -> Node:
        changelog = f"{self.app}-{name}-changelog" if name else None
        return {"name": name, "state": name or state, "emit": "latest", "memory": False, "changelog": changelog}

    def source(self, *topics: str, kind: str = "stream", store: str | None = None) -> str:
        topic = "+".join(topics)
        kept = None if kind == "stream" else self.store(store, topic)
        time = {"from": "record"}
        read = {"topics": list(topics), "key": serde("long"), "value": serde("string"), "timestamp": time}
        return self.add("source", id=topic, kind=kind, **read, on_error=None, store=kept)

    def table(self, topic: str, store: str | None = None) -> str:
        return self.source(topic, kind="table", store=store)

    def global_table(self, topic: str, store: str | None = None) -> str:
        return self.source(topic, kind="global", store=store)

    def stored(self, op: str, input: str, store: str | None = None, **fields: Any) -> str:
        id = f"{op}:{store}" if store else None
        number = sum(node["op"] == op for node in self.nodes) + 1
        return self.add(op, input, id=id, **fields, store=self.store(store, f"{op}-{number}"))

    def filter(self, input: str) -> str:
        return self.add("filter", input, predicate={"call": ">", "args": [field("n"), {"lit": 1}]})

    def map_values(self, input: str) -> str:
        return self.add("map_values", input, value=field("n"))

    def select_key(self, input: str, by: str = "k") -> str:
        return self.add("select_key", input, key=field(by))

    def group_by(self, input: str, by: str = "k") -> str:
        return self.add("group_by", input, key=field(by))

    def group_by_key(self, input: str) -> str:
        return self.add("group_by_key", input)

    def count(self, input: str, store: str | None = None) -> str:
        return self.stored("count", self.group_by_key(input), store)

    def count_by(self, input: str, store: str | None = None, by: str = "k") -> str:
        return self.stored("count", self.group_by(input, by), store)

    def cogroup(self, groups: list[str], store: str | None = None) -> str:
        id = f"cogroup:{store}" if store else None
        number = sum(node["op"] == "cogroup" for node in self.nodes) + 1
        kept = self.store(store, f"cogroup-{number}")
        return self.add("cogroup", *groups, id=id, initial={"lit": 0}, adds=[field("n")] * len(groups), store=kept)

    def join(self, stream: str, table: str, kind: str = "table", left: bool = False) -> str:
        on = field("g") if kind == "global" else None
        return self.add("join", stream, table, left=left, **{"with": kind}, on=on, joiner=None)

    def view(self, table: str, store: str | None = None) -> str:
        kept = self.store(store, store) if store else None
        id = f"table_filter:{store}" if store else None
        return self.add("table_filter", table, id=id, predicate=field("active"), store=kept)

    def table_join(self, left: str, right: str, store: str | None = None, kind: str = "table") -> str:
        kept = self.store(store, store) if store else None
        id = f"table_join:{store}" if store else None
        met = {"how": "inner", "with": kind, "joiner": None}
        return self.add("table_join", left, right, id=id, **met, store=kept)

    def fk_join(self, left: str, right: str, store: str | None = None, kind: str = "table", by: str = "f") -> str:
        number = sum(node["op"] == "fk_join" for node in self.nodes) + 1
        kept = self.store(store, f"fk_join-{number}")
        met = {"how": "left", "with": kind, "on": field(by), "joiner": None}
        return self.add("fk_join", left, right, id=f"fk_join:{store}" if store else None, **met, store=kept)

    def merge(self, *inputs: str) -> str:
        return self.add("merge", *inputs)

    def repartition(self, input: str, tasks: int | None = None) -> str:
        return self.add("repartition", input, tasks=tasks)

    def to(self, input: str, topic: str | Node) -> str:
        name = topic if isinstance(topic, str) else "expression"
        return self.add("to", input, id=f"to:{name}", topic=topic, key=None, value=None, headers=None)


def leaderboard() -> Node:
    p = Program("leaderboard")
    scores = p.source("score-events")
    players = p.table("players")
    products = p.global_table("products")
    scored = p.join(p.select_key(scores, "player_id"), players)
    named = p.join(scored, products, "global")
    by = {"slot": "value", "path": ["score"]}
    top = p.stored("top", p.group_by(named, "productId"), "leaderboard", n=3, by=by, distinct=None)
    p.to(top, "high-scores")
    return p.json()


def referrals() -> Node:
    """Two stages, a diamond, three outputs, a table read by two joins in different stages."""
    p = Program("referrals")
    orders = p.source("orders", "web-orders")
    customers = p.table("customers", "customers")
    enriched = p.join(orders, customers)
    branches = [{"name": "large", "predicate": field("large")}]
    split = p.add("split", enriched, branches=branches, default="rest")
    large, rest = p.add("branch", split, index=0), p.add("branch", split, index=1)
    p.to(large, "large-orders")
    both = p.merge(p.map_values(large), p.map_values(rest))
    active = p.view(customers)
    referred = p.join(p.select_key(both, "referrer"), active)
    p.to(referred, "referrals")
    counted = p.count(referred, "orders-by-referrer")
    p.to(p.add("to_stream", counted), "referral-counts")
    return p.json()
