"""The workloads on Holdfast; prints `PROGRESS time records` after every batch, and where its time went."""

import os
import time
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path

import holdfast as hf
from bench.watch import by_program
from holdfast.runtime import start
from holdfast.spark import kernel


@dataclass
class Event:
    score: int
    product_id: int
    player_id: int


@dataclass
class Level:
    player_id: int
    points: int
    level: str


@dataclass
class Score:
    score: int
    player_id: int


@dataclass
class Top:
    best: list[Score] = field(default_factory=list)


@dataclass
class Both:
    count: int = 0
    sum: int = 0


def level(event: Event) -> Level:
    return Level(event.player_id, event.score * 2, "high" if event.score >= 5_000 else "low")


def top(state: Top, event: Event) -> Top:
    best = state.best
    best.append(Score(event.score, event.player_id))
    best.sort(key=lambda each: (-each.score, each.player_id))
    del best[3:]
    return state


def count_and_sum(state: Both, event: Event) -> Both:
    state.count += 1
    state.sum += event.score
    return state


def keyed(events: hf.Stream, name: str) -> hf.Grouped:
    return events.group_by((lambda e: e.product_id) if name == "w2" else (lambda e: e.player_id))


def folded(events: hf.Stream, name: str) -> hf.Table:
    function, initial = {"w2": (top, Top()), "w3": (count_and_sum, Both())}[name]
    return keyed(events, name).aggregate(initial, hf.python(function, returns=type(initial)), store="result")


def with_state(events: hf.Stream, name: str) -> hf.Stream:
    function, kept = {"w2": (top, Top), "w3": (count_and_sum, Both)}[name]

    @hf.stateful(state=kept, returns=kept)
    def process(key, event, state, timers):
        yield function(state, event)

    by_key = events.select_key((lambda e: e.product_id) if name == "w2" else (lambda e: e.player_id))
    return by_key.process(process, store="result")


def where(running: object, records: int, seconds: float) -> str:
    """Microseconds per record of both cores: what the parts of the calls took, and the CPU of each program."""
    spent = running.progress()["python_seconds"]
    metrics = kernel.gateway().jvm.io.holdfast.kernel.stores.StateMetrics
    python = {part: spent.get(f"python {part}", 0.0) for part in ("read", "call", "write")}
    parts = {
        "to and from Arrow": spent.get("arrow", 0.0),
        "Python reads": python["read"],
        "Python calls": python["call"],
        "Python writes": python["write"],
        "on the way": max(0.0, spent.get("call", 0.0) - sum(python.values())),
        "reads and writes of state": metrics.nanoseconds() / 1e9,
    }
    parts["all else (source, exchange, commits, sink)"] = max(0.0, 2 * seconds - sum(parts.values()))
    cpu = {f"CPU of {program}": used for program, used in by_program(os.getpid()).items()}
    return ", ".join(f"{part} {used / records * 1e6:.2f}" for part, used in {**parts, **cpu}.items())


def ended(report: dict) -> float:
    """When a batch ended."""
    began = datetime.fromisoformat(report["timestamp"])
    return began.timestamp() + report["durationMs"]["triggerExecution"] / 1000


def main() -> None:
    E = os.environ
    app = hf.App(E["RUN"], tasks=int(E.get("TASKS", "16")))
    events = app.stream(E["IN"], Event)
    if E["W"] == "map":
        result = events.map_values(hf.python(level, returns=Level))
    else:
        result = (with_state if E["VARIANT"] == "stateful" else folded)(events, E["W"])
    result.to(E["OUT"])
    app.settings = replace(app.settings, state_dir=Path(E["DIR"]), spark={"spark.driver.memory": "3g"})
    running = start(app, brokers=E["BROKERS"])
    seen, seconds = -1, 0.0
    while running.active:
        time.sleep(0.2)
        report = running._query.progress()
        if report and report["batchId"] != seen and report["numInputRows"]:
            seen = report["batchId"]
            read = sum(report["sources"][0]["endOffset"][E["IN"]].values())
            seconds += report["durationMs"]["triggerExecution"] / 1000
            print(f"NOTE µs per record: {where(running, read, seconds)}", flush=True)
            print(f"PROGRESS {ended(report):.3f} {read}", flush=True)


if __name__ == "__main__":
    main()
