"""Small programs beside each other: in our driver and on Kafka Streams."""

from __future__ import annotations

from typing import Any

import holdfast as hf
from holdfast.testing import Driver
from tests.oracle.judge import Judge
from tests.oracle.ours import milliseconds, plain
from tests.oracle.program import WORDS

Rows = list[tuple[Any, Any, int]]


def record(topic: str, key: Any, value: Any, timestamp: int = 0, **headers: str) -> dict[str, Any]:
    """One record of a case."""
    return {"topic": topic, "key": key, "value": value, "timestamp": timestamp, "headers": headers}


def app_of(program: str) -> hf.App:
    """The app of a program text that writes to `out`."""
    app = hf.App("oracle", tasks=1)
    exec(compile(program, "program.py", "exec"), {**WORDS, "app": app})
    return app


def both(judge: Judge, program: str, *records: dict[str, Any], literally: bool = False) -> tuple[Rows, Rows]:
    """What comes to `out`: ours and Kafka Streams'."""
    app = app_of(program)
    with Driver(app) as driver:
        for r in records:
            driver.pipe(r["topic"], r["value"], key=r["key"], timestamp=r["timestamp"])
        mine = [(plain(r.key), r.value, milliseconds(r.timestamp)) for r in driver.read("out")]
    theirs = judge.run(app.topology.json(), list(records), literally=literally)["outputs"].get("out", [])
    return mine, [tuple(each[:3]) for each in theirs]


def headers_of_both(judge: Judge, program: str, *records: dict[str, Any]) -> tuple[list[Any], list[Any]]:
    """The values that come to `out` and their headers: ours and Kafka Streams'."""
    app = app_of(program)
    with Driver(app) as driver:
        for r in records:
            headers = {name: text.encode() for name, text in r["headers"].items()}
            driver.pipe(r["topic"], r["value"], key=r["key"], timestamp=r["timestamp"], headers=headers)
        mine = [(r.value, {name: text.decode() for name, text in r.headers.items()}) for r in driver.read("out")]
    theirs = judge.run(app.topology.json(), list(records))["outputs"].get("out", [])
    return mine, [(value, headers) for _, value, _, headers in theirs]
