"""What a running app publishes of itself for the servers of its stores: one record a second at most.

Counters count since the start of a run, so that a reader that misses records misses no count.
"""

from __future__ import annotations

import orjson

from holdfast.documents import Document
from holdfast.topics.own_topics import telemetry_topic
from holdfast.topics.records import Record, TopicSpec

VERSION = 1
KEPT_HOURS = 6
EPOCHS = 20
"""How many epochs a record describes at most."""
LARGEST = 512 << 10
_KEPT_BYTES = 64 << 20


def telemetry_spec(app: str) -> TopicSpec:
    """One partition; what is older than the dashboards show is deleted."""
    config = {
        "cleanup.policy": "delete",
        "retention.ms": str(KEPT_HOURS * 3_600_000),
        "retention.bytes": str(_KEPT_BYTES),
        "segment.ms": "1800000",
        "segment.bytes": str(_KEPT_BYTES // 8),
    }
    return TopicSpec(telemetry_topic(app), partitions=1, config=config)


def telemetry_record(app: str, at: int, figures: Document) -> Record | None:
    """The record of what was measured at a time, in milliseconds; None if it would be too large."""
    value = orjson.dumps({"v": VERSION, "at": at, **figures}, option=orjson.OPT_NON_STR_KEYS)
    return Record(telemetry_topic(app), None, value, timestamp=at) if len(value) <= LARGEST else None


def read_telemetry(value: bytes | None) -> Document | None:
    """What such a record says; None if it is of another version, or nothing that an app writes.

    >>> read_telemetry(b'{"v": 1, "at": 7, "run": "a"}')["run"]
    'a'
    >>> read_telemetry(b'{"v": 2, "at": 7, "run": "a"}') is None
    True
    """
    try:
        found = orjson.loads(value or b"")
    except ValueError:
        return None
    is_ours = isinstance(found, dict) and found.get("v") == VERSION
    return found if is_ours and isinstance(found.get("at"), int) and isinstance(found.get("run"), str) else None
