"""A generated program in our driver, and its answer in the judge's form."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

from holdfast.testing import Driver
from tests.oracle.program import Program

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
Rows = list[list[Any]]


def run(
    program: Program, batches: list[list[dict[str, Any]]], tasks: int = 1, crashes: Mapping[int, str] = {}
) -> dict[str, Any]:
    """Outputs per topic, the stores, and how many records each batch dropped or sent to the dead letters.

    `crashes` says before which batches memory is lost, or `in` which, so that they are run again.
    """
    app = program.app(tasks=tasks, python=True)
    dropped, letters = [], []
    with Driver(app) as driver:
        for number, batch in enumerate(batches):
            if number in crashes:
                driver.crash(in_next_batch=crashes[number] == "in")
            skipped = driver._kernel.skipped() + driver._kernel.late()
            with driver.batch():
                for r in batch:
                    headers = {name: text.encode() for name, text in r.get("headers", {}).items()}
                    driver.pipe(r["topic"], r["value"], key=r["key"], timestamp=r["timestamp"], headers=headers)
            letters.append([(letter.node, letter.reason) for letter in driver.dead_letters()])
            dropped.append(len(letters[-1]) + driver._kernel.skipped() + driver._kernel.late() - skipped)
        names = [node["store"]["name"] for node in app.topology.json()["nodes"] if node.get("store")]
        return {
            "outputs": {topic: _rows(driver, topic) for topic in list(driver._unread)},
            "stores": {name: [[plain(k), v] for k, v in driver.store(name).all()] for name in names if name},
            "dropped": dropped,
            "letters": letters,
        }


def _rows(driver: Driver, topic: str) -> Rows:
    return [
        [plain(r.key), r.value, milliseconds(r.timestamp), {name: text.decode() for name, text in r.headers.items()}]
        for r in driver.read(topic)
    ]


def milliseconds(time: datetime) -> int:
    """A time as topics have it."""
    return (time - EPOCH) // timedelta(milliseconds=1)


def plain(key: Any) -> Any:
    """A windowed key as it is in JSON."""
    if not {"key", "start", "end"} <= set(dir(key)):
        return key
    return {"key": plain(key.key), "start": milliseconds(key.start), "end": milliseconds(key.end)}


def written(outputs: dict[str, Rows], topic: str) -> Rows:
    """What came to a topic, or, for a name with a star, to all that begin with it."""
    if not topic.endswith("*"):
        return outputs.get(topic, [])
    return [
        [[name, key], *rest] for name in sorted(outputs) if name.startswith(topic[:-1]) for key, *rest in outputs[name]
    ]


def per_key(rows: Rows) -> dict[str, Rows]:
    """Outputs by key, each in order."""
    out: dict[str, Rows] = {}
    for key, *rest in rows:
        out.setdefault(json.dumps(key, sort_keys=True), []).append(rest)
    return out


def last_per_key(rows: Rows) -> dict[str, list[Any]]:
    """The last output of each key; a delete counts as nothing."""
    return {key: each[-1] for key, each in per_key(rows).items() if each[-1][0] is not None}


def in_any_order(rows: Rows) -> list[str]:
    """Outputs of all keys, sorted."""
    return sorted(json.dumps(_numbers(each), sort_keys=True) for each in rows)


def about(rows: Any) -> Any:
    """Doubles and decimals to nine digits: the order of a sum may be open, and in JSON both are one kind of number."""
    if isinstance(rows, list):
        return [about(each) for each in rows]
    if isinstance(rows, dict):
        return {name: about(each) for name, each in rows.items()}
    return float(f"{rows:.9g}") if isinstance(rows, (float, Decimal)) else rows


def _numbers(value: Any) -> Any:
    """Equal numbers as equal texts, whatever their type."""
    if isinstance(value, (list, tuple)):
        return [_numbers(each) for each in value]
    if isinstance(value, dict):
        return {name: _numbers(each) for name, each in value.items()}
    if isinstance(value, Decimal):
        value = int(value) if value == int(value) else float(value)
    return int(value) if isinstance(value, float) and value.is_integer() else value


def in_order(program: Program, batch: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """A batch in the order of the rules: running maximum of the topic's times, tables first, topic, offset."""
    latest: dict[str, int] = {}
    kinds = {topic.name: topic.kind for topic in program.topics}
    places = []
    for offset, r in enumerate(batch):
        latest[r["topic"]] = max(latest.get(r["topic"], 0), r["timestamp"])
        places.append((latest[r["topic"]], kinds[r["topic"]] == "stream", r["topic"], offset))
    return [batch[place[-1]] for place in sorted(places)]
