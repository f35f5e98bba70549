"""The example with the leaderboard as a process of its own; prints `EPOCH {Spark's report}` for every batch."""

import importlib.util
import json
import os
import time
from dataclasses import replace
from pathlib import Path

from holdfast.runtime import start

E = os.environ
spec = importlib.util.spec_from_file_location("leaderboard", E["APP"])
example = importlib.util.module_from_spec(spec)
spec.loader.exec_module(example)
app = example.app
app.settings = replace(
    app.settings,
    state_dir=Path(E["DIR"]),
    mode=E.get("MODE", "exactly-once"),
    trigger_ms=int(E.get("TRIGGER", app.settings.trigger_ms)),
    spark={**app.settings.spark, **json.loads(E.get("SPARK", "{}"))},
)
running = start(app, brokers=E["BROKERS"])
epoch = -1
while running.active:
    time.sleep(1)
    for report in running._query.reports(epoch):
        epoch = report["batchId"]
        print("EPOCH", json.dumps(report), flush=True)
