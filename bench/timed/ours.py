"""The workloads on Holdfast; prints `PROGRESS time records` after every batch."""

import os
import time
from dataclasses import replace
from pathlib import Path

import holdfast as hf
from holdfast import functions as F
from holdfast.runtime import start
from holdfast.spark import kernel

E = os.environ
app = hf.App(E["RUN"], tasks=int(E.get("TASKS", "16")))


def by_window(table):
    """Write a windowed table under key@start."""
    name = lambda k, v: F.concat(k.key, F.lit("@"), F.cast(F.unix_millis(k.start), "string"))  # noqa: E731
    table.to_stream().filter(lambda v: F.isnotnull(v)).select_key(name).to(E["OUT"])


match E["W"]:
    case "hopping":
        trades = app.stream("trades", "price INT NOT NULL", key=str)
        window = hf.hopping("5 seconds", advance="1 second")
        by_window(trades.group_by_key().windowed_by(window).agg(n=F.count("*"), avg=F.avg("price"), store="result"))
    case "tumbling":
        trades = app.stream("trades", "price INT NOT NULL", key=str)
        by_window(trades.group_by_key().windowed_by(hf.tumbling("5 seconds")).count(store="result"))
    case "session":
        clicks = app.stream("clicks", "page INT NOT NULL", key=str)
        by_window(clicks.group_by_key().windowed_by(hf.session("5 seconds")).count(store="result"))
    case "stream-join":
        orders = app.stream("orders", "amount INT NOT NULL", key=str)
        payments = app.stream("payments", "paid INT NOT NULL", key=str)
        orders.join(payments, within="1 second").to(E["OUT"])
    case "table-join":
        accounts = app.table("accounts", "balance INT NOT NULL", key=str)
        limits = app.table("limits", "most INT NOT NULL", key=str)
        accounts.join(limits, store="result").to(E["OUT"])
    case "foreign-key":
        purchases = app.table("purchases", "customer STRING NOT NULL, amount INT NOT NULL", key=str)
        customers = app.table("customers", "name STRING NOT NULL", key=str)
        joined = purchases.join(
            customers, lambda p, c: {"amount": p.amount, "name": c.name}, on=lambda p: p.customer, store="result"
        )
        joined.to(E["OUT"])
app.settings = replace(app.settings, state_dir=Path(E["DIR"]), spark={"spark.driver.memory": "3g"})
running = start(app, brokers=E["BROKERS"])
metrics = kernel.gateway().jvm.io.holdfast.kernel.stores.StateMetrics
seen = -1
while running.active:
    time.sleep(0.02)
    report = running._query.progress()
    if report and report["batchId"] != seen and report["numInputRows"]:
        seen = report["batchId"]
        ends = report["sources"][0]["endOffset"]
        read = sum(sum(parts.values()) for topic, parts in ends.items() if not topic.startswith("#"))
        reads, writes = metrics.reads() / read, metrics.writes() / read
        print(f"NOTE state per record: {reads:.2f} reads, {writes:.2f} writes", flush=True)
        print(f"PROGRESS {time.time():.3f} {read}", flush=True)
