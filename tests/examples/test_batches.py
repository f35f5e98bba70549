"""Examples keep the same stores whatever the size of batches."""

import json
from datetime import datetime

import pytest

from holdfast.dsl.loader import load_app
from holdfast.ops import examples
from holdfast.testing import Driver


def in_order(example):
    """The records as the app orders them: by the running maximum of the times of each topic, tables first."""
    latest, placed = {}, []
    for record in example.records():
        at = time_of(record)
        latest[record.topic] = max(latest.get(record.topic, at), at)
        placed.append((latest[record.topic], record.key is None, record))
    return [record for *_, record in sorted(placed, key=lambda each: each[:2])]


def time_of(record):
    text = (record.value or b"").decode()
    at = json.loads(text).get("at") if text.startswith("{") else None
    return datetime.fromisoformat(at or "1970-01-01T00:00:00Z").timestamp()


def stores(app, records, size):
    with Driver(app) as driver:
        for start in range(0, len(records), size):
            with driver.batch():
                for record in records[start : start + size]:
                    driver.pipe(record.topic, record.value, key=record.key)
        return {name: dict(driver.store(name).all()) for name in app.topology.stores}


@pytest.mark.parametrize(
    "name", [name for name in examples.known() if load_app(examples.find(name).app).topology.stores]
)
def test_batches_of_any_size_leave_the_same_stores(name):
    example = examples.find(name)
    app, records = load_app(example.app), in_order(example)
    expected = stores(app, list(example.records()), len(records))
    assert any(expected.values())
    assert stores(app, records, 1) == expected
    assert stores(app, records, 3) == expected
