"""`python -m bench.page`: the tables and charts of docs/performance.md and of the diary, from bench/published.json.

`python -m bench.page timed bench/timed-20261119-0700.json --note "a quiet machine"` publishes a run's results first.
"""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from bench import charts

ROOT = Path(__file__).resolve().parent.parent
PUBLISHED = ROOT / "bench" / "published.json"
PAGES = (ROOT / "docs" / "performance.md", ROOT / "docs" / "internals" / "performance-diary.md")
CHARTS = ROOT / "docs" / "charts"
REGION = re.compile(r"(<!-- figures: ([\w-]+) -->\n).*?(<!-- end -->)", re.DOTALL)
OURS = ("Holdfast", "Holdfast, `@hf.stateful`", "Holdfast, @hf.stateful", "real-time mode")
PEERS = {
    "ours": "Holdfast",
    "ours-stateful": "Holdfast, `@hf.stateful`",
    "kafka-streams": "Kafka Streams",
    "spark": "plain Spark",
    "pathway": "Pathway",
    "bytewax": "Bytewax",
    "quix": "Quix Streams",
    "faust": "faust-streaming",
    "spark-rows": "`transformWithState`, rows",
    "spark-pandas": "`transformWithState`, pandas",
    "real-time": "real-time mode",
    "ks-default": "Kafka Streams",
    "ks-linger-0": "Kafka Streams, `linger.ms=0`",
}
WORKLOADS = {
    "w1": "count per product",
    "w2": "best three per product",
    "w3": "count and sum per player",
    "map": "another record of each",
    "hopping": "hopping windows",
    "tumbling": "tumbling windows",
    "session": "sessions",
    "stream-join": "join of streams",
    "table-join": "join of tables",
    "foreign-key": "join by foreign key",
}

Rows = list[dict[str, Any]]
Runs = Mapping[str, Mapping[str, Any]]


def load() -> dict[str, dict[str, Any]]:
    """The published runs by their names."""
    runs: dict[str, dict[str, Any]] = json.loads(PUBLISHED.read_text())["runs"]
    return runs


def rates(run: Mapping[str, Any]) -> str:
    """A row per workload, a column per peer: records a second, and how many times that ours is."""
    rows: Rows = run["results"]
    peers, best = _distinct(rows, "peer"), _best(rows)
    lines = [[WORKLOADS[each], *(_rate(rows, each, peer, best[each]) for peer in peers)] for each in best]
    return table(["records/s", *(PEERS[peer] for peer in peers)], lines)


def _rate(rows: Rows, workload: str, peer: str, best: float) -> str:
    found = [each for each in rows if (each["workload"], each["peer"]) == (workload, peer)]
    if not found:
        return ""
    steady = found[0]["steady"]
    wrong = found[0].get("right", 0) < found[0].get("keys", 0)
    ratio = "" if peer.startswith("ours") else f" ({best / steady:.{1 if best / steady < 9.95 else 0}f}×)"
    return f"{steady:,.0f}{ratio}{' *' if wrong else ''}"


def _best(rows: Rows) -> dict[str, float]:
    return {
        workload: max(each["steady"] for each in rows if each["workload"] == workload and each["peer"][:4] == "ours")
        for workload in _distinct(rows, "workload")
    }


def cpu(run: Mapping[str, Any]) -> str:
    """CPU seconds per workload and peer."""
    rows: Rows = run["results"]
    peers = _distinct(rows, "peer")
    found = {(each["workload"], each["peer"]): f"{each['cpu_s']:.0f}" for each in rows}
    lines = [[WORKLOADS[w], *(found.get((w, peer), "") for peer in peers)] for w in _distinct(rows, "workload")]
    return table(["CPU seconds", *(PEERS[peer] for peer in peers)], lines)


def memory(run: Mapping[str, Any]) -> str:
    """The peak of each peer."""
    spans = [f"{each['peak_mb'][0] / 1000:.1f} to {each['peak_mb'][1] / 1000:.1f} GB" for each in run["results"]]
    return table(["", *(PEERS[each["peer"]] for each in run["results"])], [["peak memory", *spans]])


def again(run: Mapping[str, Any]) -> str:
    """Other runs: ours, and its ratio to a peer."""
    lines = [
        [
            f"{each['run']}",
            WORKLOADS[each["workload"]],
            f"{each['steady']:,.0f}" if "steady" in each else "",
            f"{ratio}×",
        ]
        for each in run["results"]
        for ratio in each["against"].values()
    ]
    (peer,) = {name for each in run["results"] for name in each["against"]}
    shown = [0, 1, 2, 3] if any(line[2] for line in lines) else [0, 1, 3]
    heads = ["run", "workload", "records/s", f"times {PEERS[peer]}"]
    return table([heads[n] for n in shown], [[line[n] for n in shown] for line in lines])


def python_time(run: Mapping[str, Any]) -> str:
    """Where the time of functions in Python goes."""
    parts = {
        "call": "calls of the function",
        "columns": "reading and writing columns in Python",
        "arrow": "Arrow, and the way there and back",
        "state": "reads and writes of state",
        "rest": "all else: reading, exchange, commits, sink",
        "total": "whole record",
    }
    heads = ["µs per record", *(WORKLOADS[each["workload"]] for each in run["results"])]
    return table(heads, [[name, *(f"{each[part]:g}" for each in run["results"])] for part, name in parts.items()])


def batches(run: Mapping[str, Any]) -> str:
    """Latency in batches."""
    lines = [
        [
            f"{each['run']}", f"{each['latency']['records']:,}", f"{each['latency']['p50']:g}",
            f"{each['latency']['p99']:g}", f"{each.get('phases', {}).get('triggerExecution', '')}",
        ]
        for each in run["results"]
    ]  # fmt: skip
    return table(["run", "events", "p50, ms", "p99, ms", "median batch, ms"], lines)


def fsync(run: Mapping[str, Any]) -> str:
    """What forcing files to the disk costs."""
    phases = {"triggerExecution": "whole batch", "walCommit": "of it: offsets", "commitOffsets": "of it: commit"}
    with_it, without = (each["phases"] for each in run["results"])
    lines = [[name, f"{with_it[phase]:g}", f"{without[phase]:g}"] for phase, name in phases.items()]
    return table(["ms", "with `fsync`", "without"], lines)


def latency(run: Mapping[str, Any]) -> str:
    """Percentiles per rate and peer."""
    lines = [
        [f"{each['rate']:,.0f}", PEERS[each["peer"]], *(f"{each[name]:,g}" for name in _PERCENTILES)]
        for each in run["results"]
    ]
    return table(["events/s", "", *_PERCENTILES.values()], lines)


_PERCENTILES = {
    "p50": "p50, ms",
    "p99": "p99, ms",
    "p999": "p99.9, ms",
    "longest": "longest, ms",
    "pauses": "pauses",
    "cpu_s": "CPU, s",
}


def latency_again(run: Mapping[str, Any]) -> str:
    """Two percentiles of other runs."""
    lines = [
        [f"{each['rate']:,}", PEERS[each["peer"]], f"{each['p50']:,}", f"{each['p99']:,}"] for each in run["results"]
    ]
    return table(["events/s", "", "p50, ms", "p99, ms"], lines)


def growth(run: Mapping[str, Any]) -> str:
    """What a record costs as an app grows."""
    rows: Rows = run["results"]
    base = next(each["rate"] for each in rows if each["part"] == "keys")
    lines = [[text(each), _cost(each, base)] for each in rows if (text := _GROWTH.get(each["part"]))]
    return table(["", "cost per record"], lines)


_GROWTH: dict[str, Callable[[Mapping[str, Any]], str]] = {
    "keys": lambda each: f"{each['keys']:,} keys, {each['tasks']} tasks",
    "history": lambda each: f"100 records of each key, instead of 20 ({each['records']:,} in all)",
}


def _cost(each: Mapping[str, Any], base: float) -> str:
    cost = each.get("cost", base / each["rate"] if "rate" in each else 0)
    return f"{cost:.{2 if 'cost' in each else 1}f}×" + (f", {each['rate']:,.0f} records/s" if "rate" in each else "")


def growth_again(run: Mapping[str, Any]) -> str:
    """The cost of many keys in other runs."""
    rows = [each for each in run["results"] if "cost" in each]
    lines = [[f"{each['run']}", f"{each['keys']:,}", f"{each['cost']}×"] for each in rows]
    return table(["run", "keys", "cost per record"], lines)


def start(run: Mapping[str, Any]) -> str:
    """Seconds to the first result, and the backlog."""
    rows: Rows = run["results"]
    found = next(each for each in rows if each["part"] == "start")
    lines = [["no state", f"{found['cold']} s"], ["a restart with one key", f"{found['again']} s"]]
    lines += [
        [f"a restart with {each['keys']:,} keys", _span(each["again"])]
        for each in rows
        if "again" in each and "keys" in each
    ]
    return table(["", "first result after"], lines)


def _span(seconds: list[float]) -> str:
    return f"{seconds[0]:g} s" if seconds[0] == seconds[1] else f"{seconds[0]:g} to {seconds[1]:g} s"


def backlog(run: Mapping[str, Any]) -> str:
    """A backlog of large records in a small heap."""
    (found,) = (each for each in run["results"] if each["part"] == "backlog")
    cells = [
        f"{found['records']:,}",
        f"{found['batches']}",
        f"{found['rate']:,.0f}",
        f"{found['mb_s']}",
        f"{found['peak_mb']:,}",
    ]
    return table(["records of 2 KB", "batches", "records/s", "MB/s", "peak memory, MB"], [cells])


def table(heads: Iterable[str], lines: Iterable[Iterable[str]]) -> str:
    """A table in Markdown; numbers stand on the right."""
    heads, body = list(heads), [list(line) for line in lines]
    right = [all(re.match(r"[\d.,]*( |$|×)", line[n]) for line in body) and n > 0 for n in range(len(heads))]
    rule = "|" + "|".join("---:" if each else "---" for each in right) + "|"
    return "\n".join([_line(heads), rule, *map(_line, body)]) + "\n"


def _line(cells: Iterable[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def _distinct(rows: Rows, field: str) -> list[str]:
    return list(dict.fromkeys(each[field] for each in rows))


TABLES: Mapping[str, tuple[str, Callable[[Mapping[str, Any]], str]]] = {
    "workloads": ("workloads", rates),
    "cpu": ("workloads", cpu),
    "memory": ("workloads-memory", memory),
    "workloads-again": ("workloads-again", again),
    "timed": ("timed", rates),
    "timed-long": ("timed-long", rates),
    "functions": ("functions", rates),
    "functions-again": ("functions-again", again),
    "functions-time": ("functions-time", python_time),
    "batches": ("batches", batches),
    "fsync": ("fsync", fsync),
    "latency": ("latency", latency),
    "latency-again": ("latency-again", latency_again),
    "growth": ("growth", growth),
    "growth-again": ("growth-again", growth_again),
    "start": ("growth", start),
    "backlog": ("growth", backlog),
}


def region(name: str, runs: Runs) -> str:
    """What stands between two marks of a page: which run, then the table."""
    source, make = TABLES[name]
    run = runs[source]
    records = f", {run['records']:,} records" if "records" in run else ""
    others = f", other processes took up to {run['others']:.0%} of the CPU" if run.get("others") else ""
    return f"\n*`{run['command']}`, {' and '.join(run['dates'])}{records}: {run['note']}{others}.*\n\n{make(run)}\n"


def page(text: str, runs: Runs) -> str:
    """The page with the tables as the runs have them."""
    return REGION.sub(lambda found: found[1] + region(found[2], runs) + found[3], text)


def pictures(runs: Runs) -> dict[str, str]:
    """The charts by the names of their files."""
    unit = "Records per second (more is better)"
    return {
        "workloads.svg": charts.bars(unit, _groups(runs["workloads"]["results"]), OURS),
        "timed.svg": charts.bars(unit, _groups(runs["timed"]["results"]), OURS),
        "functions.svg": charts.bars(unit, _groups(runs["functions"]["results"]), OURS),
        "latency.svg": charts.ranges(
            "Milliseconds, p50 and p99 (less is better)", _spans(runs["latency"]["results"]), OURS
        ),
    }


def _groups(rows: Rows) -> charts.Groups:
    groups: dict[str, dict[str, float]] = {}
    for each in rows:
        groups.setdefault(WORKLOADS[each["workload"]], {})[_plain(each["peer"])] = each["steady"]
    return groups


def _spans(rows: Rows) -> dict[str, dict[str, tuple[float, float]]]:
    groups: dict[str, dict[str, tuple[float, float]]] = {}
    for each in rows:
        groups.setdefault(f"{each['rate']:,.0f} events/s", {})[_plain(each["peer"])] = each["p50"], each["p99"]
    return groups


def _plain(peer: str) -> str:
    return PEERS[peer].replace("`", "")


def write(runs: Runs) -> None:
    """Write the pages and the charts."""
    for each in PAGES:
        each.write_text(page(each.read_text(), runs))
    CHARTS.mkdir(exist_ok=True)
    for name, drawn in pictures(runs).items():
        (CHARTS / name).write_text(drawn)


def publish(name: str, results: Path, note: str) -> None:
    """Put the results of a run in the place of the published ones."""
    document = json.loads(PUBLISHED.read_text())
    found: Rows = json.loads(results.read_text())
    day = re.search(r"(\d{4})(\d\d)(\d\d)-\d{4}\.json$", results.name)
    if day is None:
        raise SystemExit(
            f"{results.name}: the name of a file of results ends with its date, such as -20261119-0700.json"
        )
    old = document["runs"][name]
    kept = {key: value for key, value in old.items() if key not in {"records", "others"}}
    noisy = {"others": max(each["others"] for each in found)} if all("others" in each for each in found) else {}
    document["runs"][name] = {**kept, "dates": ["-".join(day.groups())], "note": note, **noisy, "results": found}
    PUBLISHED.write_text(dump(document))


def dump(document: Mapping[str, Any]) -> str:
    """JSON with a line per result."""
    runs = []
    for name, run in document["runs"].items():
        head = [f"   {json.dumps(key)}: {_json(value)}" for key, value in run.items() if key != "results"]
        rows = ",\n".join(f"    {_json(each)}" for each in run["results"])
        runs.append(f"  {json.dumps(name)}: {{\n" + ",\n".join(head) + f',\n   "results": [\n{rows}\n   ]\n  }}')
    return f'{{\n "about": {_json(document["about"])},\n "runs": {{\n' + ",\n".join(runs) + "\n }\n}\n"


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def main() -> None:
    """Publish a run, if one is given, and write the page."""
    parser = argparse.ArgumentParser(prog="python -m bench.page")
    parser.add_argument("name", nargs="?", help="which published run it replaces", choices=list(load()))
    parser.add_argument("results", nargs="?", type=Path, help="the JSON of a bench")
    parser.add_argument("--note", default="one run", help="how it was measured")
    options = parser.parse_args()
    if options.results:
        publish(options.name, options.results, options.note)
    write(load())


if __name__ == "__main__":
    main()
