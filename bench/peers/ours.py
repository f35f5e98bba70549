"""The workloads on Holdfast; prints `PROGRESS time records` after every batch."""

import os
import time
from dataclasses import replace
from pathlib import Path

import holdfast as hf
from holdfast import functions as F
from holdfast.runtime import start

E = os.environ
app = hf.App(
    E["RUN"],
    tasks=int(E.get("TASKS", "16")),
    mode=E.get("MODE", "exactly-once"),
    real_time_epoch=E.get("EPOCH", "5 minutes"),
)
events = app.stream(E["IN"], "score INT NOT NULL, product_id INT NOT NULL, player_id INT NOT NULL")
match E["W"]:
    case "w1":
        table = events.group_by(lambda e: e.product_id).count(store="result")
    case "w2":
        table = events.group_by(lambda e: e.product_id).top(3, by=lambda e: e.score, store="result")
    case "w3":
        table = events.group_by(lambda e: e.player_id).agg(count=F.count("*"), sum=F.sum("score"), store="result")
table.to(E["OUT"])
app.settings = replace(app.settings, state_dir=Path(E["DIR"]), spark={"spark.driver.memory": E.get("HEAP", "3g")})
running = start(app, brokers=E["BROKERS"])
seen = -1
while running.active:
    time.sleep(1 if app.settings.mode == "real-time" else 0.02)
    report = running._query.progress()
    if report and report["batchId"] != seen and report.get("numInputRows"):
        seen = report["batchId"]
        end = report["sources"][0]["endOffset"][E["IN"]]
        print(f"PROGRESS {time.time():.3f} {sum(end.values())}", flush=True)
