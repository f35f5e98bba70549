"""What a peer wrote: the final result per key, and for counts how many records it had processed when."""

from __future__ import annotations

import json
from typing import Any

from bench.events import Expected
from holdfast.topics.admin import Topics


def final(topics: Topics, topic: str) -> tuple[dict[int, Any], list[tuple[float, int]]]:
    """The last value per key, and (broker's time, records processed) after each output where values are counts."""
    last: dict[int, Any] = {}
    versions: dict[int, int] = {}
    total, progress = 0, []
    records = sorted(topics.read(topic), key=lambda r: r.timestamp or 0)
    for record in records:
        value = json.loads(record.value or b"null")
        if isinstance(value, dict) and "diff" in value:
            if value["diff"] != 1 or versions.get(value["key"], -1) > value["time"]:
                continue
            key, versions[value["key"]] = value["key"], value["time"]
        else:
            key = int(record.key or b"0")
        total += _count(value) - _count(last.get(key))
        last[key] = value
        progress.append(((record.timestamp or 0) / 1000, total))
    return last, progress


def _count(value: Any) -> int:
    if isinstance(value, dict):
        return int(value.get("count", 0))
    return value if isinstance(value, int) else 0


def right(workload: str, expected: Expected, found: dict[int, Any]) -> tuple[int, int]:
    """How many keys have the right final result, of how many."""
    wanted: dict[int, Any] = getattr(expected, workload)
    return sum(_plain(workload, found.get(key)) == value for key, value in wanted.items()), len(wanted)


def _plain(workload: str, value: Any) -> Any:
    if value is None:
        return None
    if workload == "w1":
        return value["count"] if isinstance(value, dict) else value
    if workload == "w2":
        return [item["score"] for item in (value["top"] if isinstance(value, dict) else value)]
    return [value["count"], value["sum"]]
